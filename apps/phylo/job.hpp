// A job: the search on all PEs, from the input files to the output files, whoever dies on the way.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"
#include "profile.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/store/replicated_store.hpp"
#include "report.hpp"
#include "search.hpp"

namespace regraft::phylo {

class Job {
public:
    /// Whether the result is to be kept.
    enum class Output : std::uint8_t { files, none };

    Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Output output, Log::Voice voice);

    /// Collective, uniform: bad input throws the same InputError on all PEs. Precondition: called once.
    Result run();

private:
    using Clock = std::chrono::steady_clock;

    Result body();
    Likelihood likelihood_of(SearchState const& state);
    void climb(SearchState& state, Likelihood& likelihood);
    void set_up();
    void commit(SearchState const& state);
    void recover(ft::Failure const& failure);
    void take_over(Recovery& record);
    std::vector<std::byte> load_gained(Csr<BlockRange> const& rows, Recovery& record);
    Input read_same_input() const;
    void write_output(Result const& result);
    Result result_of(SearchState state, Likelihood& likelihood);
    /// What all PEs measured; nothing but on the one that leads. Collective.
    Profile gather_profile();

    /// Throws InputError on all PEs, with the first message, if one of them has a problem. Collective, uniform.
    void agree_on_input(std::string const& problem);
    void say(std::string const& text) { log_.line(text, comm_.leads()); }

    ft::Communicator& comm_;
    Options const& options_;
    std::string failure_plan_;
    Output output_;
    Log log_;

    store::ReplicatedStore store_;
    checkpoint::MiniCheckpoint checkpoint_;
    Dataset dataset_;
    SearchOptions search_options_;
    std::vector<std::uint64_t> costs_;  // of a pattern, per partition
    assign::Assignment assignment_;
    std::vector<std::byte> blocks_;  // of this PE's row of the assignment

    std::optional<WorkClock> clock_;  // if a profile is wanted
    std::vector<Recovery> recoveries_;
    std::size_t told_ = 0;  // of them, in the log
    std::string doing_;
    std::uint64_t uncommitted_evaluations_ = 0;
    double checkpoint_ms_ = 0;
    Clock::time_point restoring_at_ = Clock::now();
    Clock::time_point committed_at_ = Clock::now();
};

}  // namespace regraft::phylo
