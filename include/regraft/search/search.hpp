// The hill climb as a machine of small steps. Its state contains everything that is known between two steps: from equal
// states every PE, and every repetition after a failure, continues the same way, bit by bit.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "regraft/search/alrt.hpp"
#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/effort.hpp"
#include "regraft/search/merging.hpp"
#include "regraft/search/model_choice.hpp"
#include "regraft/search/subject.hpp"
#include "regraft/search/tested_trees.hpp"
#include "regraft/search/topology.hpp"
#include "regraft/search/ultrafast.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// What is looked for: the likelihood as it is, the best branch lengths and models for a tree, or the best tree.
enum class Goal : std::uint8_t { likelihood, evaluation, tree };

/// The stages of the machine. A search passes through all stages in this order, an evaluation through the last ones.
/// Before both, models are chosen if requested. Near and far: how far subtrees are moved. Fusing leaves a local maximum
/// by parts of other good trees; if that pays, far moves follow again. Escapes leave a local maximum by random changes
/// at one place. If requested: the ultrafast bootstrap, the support of edges, tests of given trees on resampled sites.
/// Merging partitions is outside of this order. It is last because checkpoints store stages as numbers.
enum class Stage : std::uint8_t {
    model_choice,
    rough_model,
    near_spr,
    far_spr,
    model,
    fusing,
    escapes,
    final_model,
    ultrafast,
    support,
    tests,
    done,
    merging
};
std::string to_string(Stage stage);  // for people, such as "near SPR"

/// The local maximum that a change leaves. The search returns to it unless it finds a higher one.
struct Home {
    msa::Tree tree;             // with its branch lengths
    double loglh;               // its log-likelihood
    std::uint64_t fingerprint;  // fingerprint of the tree
};

/// All that a search knows between two steps. Equal states continue alike.
struct SearchState {
    explicit SearchState(msa::Tree start) : tree(std::move(start)) {}  // without models; start_state has them
    msa::Tree tree;                                                    // the present tree
    std::vector<ModelSpec> specs;                                      // one per partition
    std::vector<Model> models;                                         // one per partition
    std::vector<PartitionChoice> choices;                              // for partitions whose model is not given
    Stage stage = Stage::final_model;                                  // of the next step
    std::uint32_t round = 0;                                           // number of the round within the stage
    std::uint64_t position = 0;                                        // number of the step within the round
    double loglh = 0;                                                  // log-likelihood of tree and models
    double round_start = 0;                                            // loglh when the round began
    std::uint64_t steps = 0;                                           // number of steps so far
    std::uint64_t evaluations = 0;                                     // evaluations of the likelihood in these steps
    std::deque<msa::HalfEdge> waiting;      // subtrees to be moved in this round, in their order
    double difficulty = 1;                  // of the data (msa::difficulty); only an automatic effort asks for it
    Losses losses;                          // of insertions so far; decides how far subtrees are tried
    std::optional<Home> home;               // the maximum to return to; none between two escapes or exchanges
    std::vector<std::uint64_t> tried;       // SubtreeExchange::change of those tried while trees are fused
    std::uint64_t successes = 0;            // number of exchanges and escapes that improved the tree
    std::uint64_t failures = 0;             // number of consecutive escapes that did not improve the tree much
    std::vector<ReplicateTree> replicates;  // of the ultrafast bootstrap; empty until it has begun
    std::vector<double> alrt;               // SH-aLRT support of tree.edges(), NaN at tips; empty until it is computed
    SampleCounts counts;                    // of the samples so far, for tests of trees
    std::optional<Merging> merging;         // of partitions, if they are merged

    std::vector<std::byte> to_bytes() const;  // the same for equal states
    /// Reads what to_bytes wrote. Throws InputError if these bytes are no state.
    static SearchState from_bytes(std::span<std::byte const> bytes);
};

/// The state for people: "final model round 2", "escapes, 3 successful", "model choice, candidate 3 (GTR+FC+G4m)",
/// "done".
std::string describe(SearchState const& state);

/// The state before the first step, if all models are given.
SearchState start_state(Goal goal, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models);

/// The state before the first step, if models of some partitions are to be chosen: their specs tell the type of data.
/// Precondition: `state` is a start state; counted has an entry per partition.
void begin_model_choice(SearchState& state, std::span<std::size_t const> partitions,
                        std::span<CountedData const> counted);

/// Options of a search; all PEs pass the same.
struct SearchOptions {
    Goal goal = Goal::tree;                // where the search ends
    std::optional<Stage> last;             // the search ends after this stage; none: it ends as the goal says
    std::uint64_t seed = 1;                // of all random choices
    double patience = 0.6;                 // failed escapes in a row that end a search, per taxon; 0: no escapes
    std::uint32_t spr_radius = 20;         // edges from the old place of a subtree in far moves
    Care far_care = much_care;             // of subtrees in far moves
    double rough_epsilon = 1.0;            // a round of model optimisation that gains less than this ends its stage
    double final_epsilon = 0.001;          // the same for the final model
    double least_gain = 0.1;               // least gain of branches, models and escapes on the way
    Criterion criterion = Criterion::bic;  // how models are compared
    double choice_epsilon = 0.1;           // a round that gains less than this for every candidate ends the trials
    std::vector<CountedData> counted;      // per partition; only for the choice of models
    std::vector<std::uint64_t> sites_per_partition;  // for scalers and scores
    Replicates const* replicates = nullptr;          // for the ultrafast bootstrap; null: no such stage
    RellSamples const* rell_samples = nullptr;       // for SH-aLRT; null: no stage of support
    std::optional<TestSamples> test_samples;         // for tests of trees; none: no such stage
    std::optional<MergeOptions> merging;             // for merging partitions
    std::vector<msa::Tree> others;           // good trees, the best first: to fuse the tree with, or for replicates
    Lookahead* lookahead = nullptr;          // new for each likelihood; null: moves are not computed ahead
    Constraint const* constraint = nullptr;  // all trees comply with it, including the first one; null: any tree
};

/// The state to continue from a search that is done, with SearchOptions::others found by other searches: first come
/// exchanges with these, then escapes. Precondition: best.stage == Stage::done.
SearchState start_fusing(SearchState best);

/// The state to bootstrap the tree, with SearchOptions::replicates. Precondition: best.stage == Stage::done.
SearchState start_ultrafast(SearchState best);

/// The state to find the support of the tree's edges, with SearchOptions::rell_samples. Precondition: best.stage ==
/// Stage::done.
SearchState start_support(SearchState best);

/// The state to count samples for tests of trees, with SearchOptions::test_samples. Precondition: best.stage ==
/// Stage::done.
SearchState start_tests(SearchState best);

/// The state to merge partitions on the tree, with SearchOptions::merging. Precondition: best.stage == Stage::done.
SearchState start_merging(SearchState best);

/// Makes the step that `state` says is next, and updates the state: an optimiser call, a random change, the move of one
/// subtree, or a batch of samples. `likelihood` must hold the subject of the state, and does so after the step, except
/// after one that ends the trials of models or of unions (changes_subject). Precondition: state.stage != done.
/// Collective over the PEs of the likelihood, which all pass equal states and options. After ft::ProcessFailure the
/// state may be halfway: continue from one saved before, with a new likelihood, as examples/search.cpp does.
void advance(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options);

}  // namespace regraft::search
#pragma GCC visibility pop
