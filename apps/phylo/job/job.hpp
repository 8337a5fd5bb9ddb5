// A job: searches on groups of PEs, from the input files to the output files, whichever PEs die meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "job/climb.hpp"
#include "job/context.hpp"
#include "job/dealt_sites.hpp"
#include "job/job_files.hpp"
#include "job/meeting.hpp"
#include "job/records.hpp"
#include "sites/ancestral.hpp"

namespace regraft::phylo {

/// The work is a sequence of lists of items (Agenda). The items of a list are dealt to groups of PEs. All PEs meet
/// after every list and after every failure. Then they have the same progress, the newest state of each item. Between
/// meetings each PE has news of the items of its own group, in memory and occasionally on disk.
class Job {
public:
    Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Context::Output output,
        Log::Voice voice);

    /// Runs the job. Bad input throws the same InputError on all PEs, and a request to stop throws Stopped.
    /// Precondition: it was not called before. Collective, uniform.
    Result run();

private:
    Result body();
    void set_up();
    void tell_input(std::uint32_t replicas);
    std::uint32_t groups_for(std::span<Item const> items) const;
    void work_on(std::vector<Item> const& items);
    void work_in_group(std::vector<Item> const& items, ft::Participants participants);
    SearchState state_of(Item item, ft::Participants participants);
    std::vector<std::vector<std::uint64_t>> my_patterns() const;
    Samples samples_for(Item item, SiteSampler const* sampler, TestedTrees const* trees) const;
    TestedTrees tested_trees(SiteSampler const& sampler, ft::Participants participants);
    std::vector<std::vector<double>> site_loglh();
    void meet();
    void recover(ft::Failure const& failure);
    [[noreturn]] void stop();
    Result result_of(LargeFiles& large);

    Context context_;
    std::string failure_plan_;
    bool ready_ = false;  // whether the job is set up
    Knowledge known_;
    Records records_;
    JobFiles files_;
    DealtSites sites_;
    Climber climber_;
};

}  // namespace regraft::phylo
