// The files of a job: its input, its checkpoints on disk, and its output.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/checkpoint_file.hpp"
#include "input/input.hpp"
#include "input/rgm_columns.hpp"
#include "job/context.hpp"
#include "job/dealt_sites.hpp"
#include "job/kept_progress.hpp"
#include "job/meeting.hpp"
#include "job/records.hpp"
#include "profile/profile.hpp"
#include "report/report.hpp"
#include "sites/ancestral.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {

/// What a PE has of the patterns when the input has been read.
struct ReadPatterns {
    std::optional<msa::Patterns> patterns;  // all of them, if every PE had to read the whole alignment
    std::vector<std::byte> blocks;          // those of my_part
};

class JobFiles {
public:
    /// Keeps references to all of these.
    JobFiles(Context& context, Knowledge& known, Records& records)
        : context_(context), known_(known), records_(records), kept_(context) {}

    /// Reads the input into the context, and checks that output can replace existing files. Collective, uniform.
    ReadPatterns read_all();
    /// Opens the alignment again, to read blocks. Both throw InputError if it has changed. Precondition: read_all has
    /// returned.
    DealtSites::BlockReader read_again() const;

    /// Reads, on one PE for all, what an earlier run of this job has left on disk, and on one PE of each node what it
    /// has kept there. Collective, uniform.
    void resume();
    /// Adds to the news what members of a group that died out may have left on disk.
    void read_news_of_the_dead();

    /// The time to the next checkpoint begins.
    void begin_interval() { saved_at_ = Clock::now(); }
    bool is_due() const;
    /// Writes what this PE knows, and no other PE that writes, to its checkpoint on disk. Returns the problem, if any:
    /// the search can continue without a checkpoint.
    Problem save();
    void save_or_warn();
    /// Keeps what this PE knows in the memory of its node, if it is time to and this PE writes for its group.
    void keep(std::span<PeId const> group);
    /// The path of this PE's checkpoint.
    std::filesystem::path checkpoint_path() const;

    /// Writes all files so that they appear together. As long as some of them may be missing, there is a checkpoint
    /// with the result. So if a job is ended between the first name and the last, the same command completes its
    /// output. large: further files, which appear with the others. work: for a profile; null: none is written.
    /// Collective, uniform.
    void write_output(Result const& result, LargeFiles large, WorkLog const* work);

private:
    using Clock = Records::Clock;

    /// Reads all of the alignment, and the dataset into the context.
    ReadPatterns read_whole();
    /// The same by all PEs together. None, on all, if that cannot be. Collective.
    std::optional<ReadPatterns> read_share(std::optional<RgmColumns> const& columns);

    Progress read_saved(std::string const& prefix);
    Progress read_kept();
    Progress checked_progress(CheckpointContents const& contents) const;
    void write_files_of(Result const& result, std::vector<disk::NewFile> large, std::optional<Profile> const& profile,
                        std::string const& closing);

    Context& context_;
    Knowledge& known_;
    Records& records_;
    KeptProgress kept_;
    bool warned_ = false;  // that nothing can be kept
    Clock::time_point saved_at_ = Clock::now();
};

}  // namespace regraft::phylo
