// What the steps of a search depend on besides its state.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regraft/search/alrt.hpp"
#include "regraft/search/candidates.hpp"
#include "regraft/search/constraint.hpp"
#include "regraft/search/counted_data.hpp"
#include "regraft/search/effort.hpp"
#include "regraft/search/merging.hpp"
#include "regraft/search/optimise.hpp"
#include "regraft/search/tasks/climb.hpp"
#include "regraft/search/tested_trees.hpp"
#include "regraft/search/ultrafast.hpp"
#include "regraft/search/ways_ahead.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Options of a search; all PEs pass the same.
struct SearchOptions {
    std::optional<Stage> last;             // a climb ends after this stage; none: after the last one
    std::uint64_t seed = 1;                // of all random choices
    double patience = 0.6;                 // failed escapes in a row that end a search, per taxon; 0: no escapes
    std::uint32_t spr_radius = 20;         // edges from the old place of a subtree in far moves
    Care far_care = much_care;             // of subtrees in far moves
    Saves saves = Saves::reductions;       // where all branch lengths are optimised
    double rough_epsilon = 1.0;            // a round of model optimisation that gains less than this ends its stage
    double final_epsilon = 0.001;          // the same for the final model
    double least_gain = 0.1;               // least gain of branches, models and escapes on the way
    Lengths lengths = Lengths::change;     // of branches in a climb; fixed: only models are optimised
    Criterion criterion = Criterion::bic;  // how models are compared
    double choice_epsilon = 0.1;           // a round that gains less than this for every candidate ends the trials
    std::vector<CountedData> counted;      // per partition; only for the choice of models
    Candidates candidates;                 // per partition; only for the choice of models
    std::vector<std::uint64_t> sites_per_partition;  // for scalers and scores
    Replicates const* replicates = nullptr;          // for the ultrafast bootstrap
    RellSamples const* rell_samples = nullptr;       // for SH-aLRT
    std::optional<TestSamples> test_samples;         // for tests of trees
    std::optional<MergeOptions> merging;             // for merging partitions
    std::vector<msa::Tree> others;           // good trees, the best first: to fuse the tree with, or for replicates
    Lookahead* lookahead = nullptr;          // new for each likelihood; null: moves are not computed ahead
    WaysAhead* ways = nullptr;               // the same for escapes
    Constraint const* constraint = nullptr;  // all trees comply with it, including the first one; null: any tree
};

}  // namespace regraft::search
#pragma GCC visibility pop
