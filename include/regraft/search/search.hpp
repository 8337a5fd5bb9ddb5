// The search as a machine of small steps. Its state contains everything that is known between two steps: from equal
// states every PE, and every repetition after a failure, continues the same way, bit by bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/choice.hpp"
#include "regraft/search/tasks/climb.hpp"
#include "regraft/search/tasks/merging.hpp"
#include "regraft/search/tasks/supports.hpp"
#include "regraft/search/tasks/tests.hpp"
#include "regraft/search/tasks/ultrafast.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// What a search does, with the progress so far. All tasks have the same members: `changes_subject` (whether the end of
/// a phase may call for another likelihood), `is_done`, `shown_step` (the number of the step, for people), `describe`,
/// `subject`, `step`, `check`, `write` and `read`. The functions below call them.
using Task = std::variant<Climb, Choice, Ultrafast, Supports, Tests, Merging>;

/// All that a search knows between two steps. Equal states continue alike.
struct SearchState : Estimate {
    /// Without models; start_state has them.
    explicit SearchState(msa::Tree start) : Estimate{std::move(start)} {}

    std::uint64_t steps = 0;        // number of steps so far
    std::uint64_t evaluations = 0;  // evaluations of the likelihood in these steps
    Task task;                      // what the steps do

    bool is_done() const;  // whether the last step was made
    /// The progress of a task of this kind. Precondition: it is one.
    template <class Kind>
    Kind& as() {
        return std::get<Kind>(task);
    }
    template <class Kind>
    Kind const& as() const {
        return std::get<Kind>(task);
    }

    std::vector<std::byte> to_bytes() const;  // the same for equal states
    /// Reads what to_bytes wrote. Throws InputError if these bytes are no state; regraft/search/check.hpp says whether
    /// it fits the data.
    static SearchState from_bytes(std::span<std::byte const> bytes);
};

/// The state for people: "final model round 2", "escapes, 3 successful", "model choice, candidate 3 (GTR+FC+G4m)",
/// "done".
std::string describe(SearchState const& state);

/// The number of the next step within its round or batch, for people.
std::uint64_t shown_step(SearchState const& state);

/// The subject of the next step. linkage: that of the search, which holds once models are chosen.
Subject subject(SearchState const& state, BranchLinkage linkage);
/// Whether a step may change the subject, so that the next one needs a new DistributedLikelihood.
bool changes_subject(SearchState const& state);

/// The state before the first step of a climb, if all models are given.
SearchState start_state(Goal goal, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models);

/// The state before the first step, if models of some partitions are to be chosen among their candidates. A climb with
/// the models that were chosen begins from start_state with the specs and models of the state that is done.
/// Precondition: candidates and counted have an entry per partition.
SearchState start_choice(SearchState start, std::span<std::size_t const> partitions, Candidates candidates,
                         std::span<CountedData const> counted);

/// The state to continue from a climb that is done, with SearchOptions::others found by other searches: first come
/// exchanges with these, then escapes. Precondition: best.is_done().
SearchState start_fusing(SearchState best);

/// The state to bootstrap the tree of a search, with SearchOptions::replicates.
SearchState start_ultrafast(SearchState best);

/// The state to find the support of the tree's edges, with SearchOptions::rell_samples.
SearchState start_supports(SearchState best);

/// The state to count samples for tests of trees, with SearchOptions::test_samples.
SearchState start_tests(SearchState best);

/// The state to merge partitions on the tree, with SearchOptions::merging.
SearchState start_merging(SearchState best);

/// Makes the step that `state` says is next, and updates the state: an optimiser call, a random change, the move of one
/// subtree, or a batch of samples. `likelihood` must hold the subject of the state, and does so after the step, except
/// after one that ends the trials of models or of unions (changes_subject). Precondition: !state.is_done(). Collective
/// over the PEs of the likelihood, which all pass equal states and options. After ft::ProcessFailure the state may be
/// halfway: continue from one saved before, with a new likelihood, as examples/search.cpp does.
void advance(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options);

}  // namespace regraft::search
#pragma GCC visibility pop
