// A job: searches on groups of PEs, from the input files to the output files, whichever PEs die meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/checkpoint_file.hpp"
#include "input/input.hpp"
#include "input/options.hpp"
#include "job/agenda.hpp"
#include "job/dealt_sites.hpp"
#include "job/progress.hpp"
#include "job/stop.hpp"
#include "profile/profile.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/search/search.hpp"
#include "report/log.hpp"
#include "report/report.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {

/// The work is a list of items, which is dealt to groups of PEs. All PEs have the same progress, with what was known of
/// each item when they last met: after every list, and after every failure. Between meetings each PE has news of its
/// own group's item, in memory and occasionally on disk.
class Job {
public:
    /// Whether the result is written to files.
    enum class Output : std::uint8_t { files, none };

    Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Output output, Log::Voice voice);

    /// Runs the job. Bad input throws the same InputError on all PEs, and a request to stop throws Stopped.
    /// Precondition: called once. Collective, uniform.
    Result run();

private:
    using Clock = std::chrono::steady_clock;

    Result body();
    void set_up();
    msa::Patterns read_all();
    void tell_input(std::uint32_t replicas);
    void resume();
    Progress read_saved();
    Progress checked_progress(CheckpointContents const& contents) const;

    std::uint32_t groups_for(std::size_t num_items) const;
    /// The whole alignment, if it is in memory.
    msa::Patterns const* all_patterns() const { return patterns_ ? &*patterns_ : nullptr; }

    /// The items of a list that this PE's group works on.
    struct Batch {
        std::size_t mine = 0;
        std::size_t done = 0;
        Clock::time_point begin = Clock::now();

        std::string share_done() const;
        std::string time_left() const;
    };
    /// An item that a group works on.
    struct Task {
        Item item;
        std::vector<std::uint32_t> weights;       // weights of the patterns; empty: as in the alignment
        std::optional<RellSamples> rell_samples;  // for SH-aLRT
        ft::Participants who;
    };
    void work_on(std::vector<Item> const& items);
    void work_in_group(std::vector<Item> const& items, ft::Participants who);
    SearchState state_of(Item item) const;
    std::optional<RellSamples> rell_samples_for(Item item) const;
    void compute(Task const& task, SearchState& state);
    DistributedLikelihood likelihood_of(Task const& task, SearchState const& state);
    void climb(Task const& task, SearchState& state, DistributedLikelihood& likelihood);
    void commit(Task const& task, SearchState const& state);

    void meet();
    void recover(ft::Failure const& failure);
    [[noreturn]] void stop();
    Problem save();
    void save_or_warn();
    void read_news_of_the_dead();
    void tell_recoveries();
    std::filesystem::path checkpoint_path(PeId pe) const;

    Input read_same_input() const;
    void write_output(Result const& result);
    void write_files_of(Result const& result, std::optional<Profile> const& profile, std::string const& closing);
    Result result_of();
    Profile gather_profile();
    void say(std::string const& text) { log_.line(text, comm_.leads()); }

    ft::Communicator& comm_;
    Options const& options_;
    std::string failure_plan_;
    Output output_;
    Log log_;
    StopWatch stop_watch_;

    Dataset dataset_;
    std::optional<Agenda> agenda_;           // set when the input has been read
    std::optional<msa::Patterns> patterns_;  // the whole alignment, as long as start trees have to be made
    DealtSites sites_;

    bool ready_ = false;         // whether the job is set up
    Progress progress_;          // the same on all PEs
    Progress news_;              // states noted since all PEs met
    bool news_on_disk_ = false;  // whether some news are in a file that only this PE writes
    Batch batch_;
    bool diverged_ = false;
    std::string reason_to_stop_;  // empty: no request to stop

    std::optional<WorkClock> clock_;  // only if a profile is wanted
    std::vector<Recovery> recoveries_;
    std::size_t told_ = 0;  // number of recoveries that are in the log
    std::string doing_;
    std::uint64_t uncommitted_evaluations_ = 0;
    Checkpoints checkpoints_;
    Clock::time_point restoring_at_ = Clock::now();
    Clock::time_point committed_at_ = Clock::now();
    Clock::time_point saved_at_ = Clock::now();
};

}  // namespace regraft::phylo
