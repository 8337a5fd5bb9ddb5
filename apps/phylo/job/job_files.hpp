// The files of a job: its input, its checkpoints on disk, and its output.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "columns/rgm_columns.hpp"
#include "files/checkpoint_file.hpp"
#include "files/prefix_lock.hpp"
#include "input/input.hpp"
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

/// Is thrown, on all PEs alike, if the same command has already written everything.
class Completed : public std::exception, public ft::Uniform {};

/// Reads and writes the files of a job.
class JobFiles {
public:
    /// Keeps references to all of these.
    JobFiles(Context& context, Knowledge& known, Records& records)
        : context_(context), known_(known), records_(records), kept_(context) {}

    /// Reads the input into the context, and checks that output can replace existing files: no other job writes them
    /// meanwhile. Returns the blocks of my_part. Throws Completed. Collective, uniform.
    std::vector<std::byte> read_all();
    /// Opens the alignment again, to read blocks. Both throw InputError if it has changed. Precondition: read_all has
    /// returned.
    DealtSites::BlockReader read_again() const;

    /// Adds to the progress what an earlier run of this job has left: on disk, which the leading PE reads, and in the
    /// memory of the nodes (--keep), which one PE of each node reads. Collective, uniform.
    void resume();
    /// Adds to the news of this PE the checkpoints on disk, among them those of groups that have died out.
    void read_news_of_the_dead();

    /// Lets the interval to the next checkpoint on disk begin now.
    void begin_interval() { saved_at_ = Clock::now(); }
    /// Whether this interval is over.
    bool is_due() const;
    /// Writes the news of this PE, on the leading PE also the progress, to this PE's checkpoint on disk. Returns the
    /// problem, if any: the search can continue without a checkpoint.
    Problem save();
    /// The same; logs the problem.
    void save_or_warn();
    /// Keeps the progress and the news in the memory of this node, if it is time to and this PE writes for its group.
    void keep(std::span<PeId const> group);
    /// The path of this PE's checkpoint.
    std::filesystem::path checkpoint_path() const;

    /// Writes all files of results so that they appear together. Until the last of them has its name, there is a
    /// checkpoint with the result, so the same command completes the output of a job that is ended in between. large:
    /// further files, which appear with the others. work: measurements for a profile; null: no profile is written.
    /// Collective, uniform.
    void write_output(Result const& result, LargeFiles large, WorkLog const* work);

private:
    using Clock = Records::Clock;

    /// Reads the whole alignment, and puts the dataset into the context. Not collective.
    std::vector<std::byte> read_whole();
    /// The same by all PEs together. None, on all PEs, if the alignment cannot be shared. Collective.
    std::optional<std::vector<std::byte>> read_share(std::optional<RgmColumns> const& columns);

    void lock_prefix();
    /// Ends the job if the existing files are those of this command. finished: the job that has written them, if any.
    void end_if_complete(std::optional<std::uint64_t> finished);
    /// Identifies the command and all that it computes with.
    std::uint64_t identity() const;

    Progress read_saved(std::string const& prefix);
    Progress read_kept();
    Progress checked_progress(CheckpointContents const& contents) const;
    void write_files_of(Result const& result, std::vector<disk::NewFile> large, std::optional<Profile> const& profile,
                        std::string const& closing);

    Context& context_;
    Knowledge& known_;
    Records& records_;
    KeptProgress kept_;
    std::optional<PrefixLock> lock_;
    bool looks_again_ = false;  // whether files of others may not have appeared when results get their names
    bool warned_ = false;       // that nothing can be kept
    Clock::time_point saved_at_ = Clock::now();
};

}  // namespace regraft::phylo
