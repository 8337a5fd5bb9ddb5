// Whether a search can continue from a state that was read from a file, whose bytes may be anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/search/candidates.hpp"
#include "regraft/search/constraint.hpp"
#include "regraft/search/counted_data.hpp"
#include "regraft/search/merging.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchState;

/// What the state of a search must fit.
struct Expected {
    std::size_t num_taxa = 0;                       // of the data
    BranchLinkage linkage = BranchLinkage::linked;  // of the search
    std::vector<ModelSpec> specs{};                 // one per partition, before models are chosen
    std::vector<std::size_t> automatic{};           // partitions whose models are chosen
    Candidates candidates{};                        // one per partition
    std::span<CountedData const> counted{};         // one per partition
    std::span<std::uint64_t const> num_sites{};     // one per partition
    Criterion criterion = Criterion::bic;           // how models are compared
    Constraint const* constraint = nullptr;         // null: any tree
    std::size_t num_trees = 0;                      // that are tested
    std::uint32_t num_samples = 0;                  // of tests, of each size
    bool is_usual_size = false;                     // of these samples
    std::uint32_t num_replicates = 0;               // of the ultrafast bootstrap
    std::optional<MergeOptions> merging{};          // if partitions are merged
};

/// Throws InputError unless a search can go on from the state: otherwise a step would break a precondition. The text
/// says what is wrong, and continues the name of a file: "has a search whose tree has other taxa". Results in the state
/// are not checked: a checksum protects them. O(size of the state). Not collective.
void check(SearchState const& state, Expected const& expected);

}  // namespace regraft::search
#pragma GCC visibility pop
