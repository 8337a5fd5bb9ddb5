// The decisions of a merging (regraft/search/tasks/merging.hpp): pure functions of the fits so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/merging.hpp"

namespace regraft::search {

struct MergeData;

/// Sums over the subsets of a scheme.
struct SchemeSums {
    std::uint64_t subsets = 0;     // number of subsets
    double loglh = 0;              // of their sites
    std::uint64_t parameters = 0;  // free parameters of their models, without scalers
    std::uint64_t scalers = 0;     // number of free scalers

    /// The sums with one more subset, or without one that they have.
    SchemeSums with(SubsetFit const& fit, MergeData const& data) const;
    SchemeSums without(SubsetFit const& fit, MergeData const& data) const;
};

/// What the decisions depend on besides the progress.
struct MergeData {
    std::span<ModelSpec const> specs;  // per partition
    SearchOptions const& options;      // with options.merging
    BranchLinkage linkage;
    std::size_t num_edges;  // of the tree

    MergeOptions const& how() const { return *options.merging; }
    /// The number of sites of a subset.
    std::uint64_t sites_of(Subset const& subset) const;
    /// The value of a scheme. Its parameters include the branch lengths, as docs/trees/phylo-models.md counts them.
    SchemeValue value(SchemeSums const& sums) const;
    SchemeValue value(std::span<SubsetFit const> scheme) const;
    /// The score by options.criterion; lower is better.
    double score(SchemeValue const& value) const;
};

/// Two subsets, as positions in a scheme.
struct SubsetPair {
    std::size_t first;
    std::size_t second;  // above first
    friend bool operator==(SubsetPair const&, SubsetPair const&) = default;
};
/// The pairs of subsets that a round tries: of those of one kind the share MergeOptions::share, the most similar first.
/// Ties go to the pair that comes first. O(subsets^2).
std::vector<SubsetPair> nearest_pairs(std::span<SubsetFit const> scheme, MergeData const& data);

/// The fit from which the union of two subsets is optimised: branch lengths and scalers are means over the sites of
/// both, counted values are counted anew, and all others are those of the subset with more sites.
SubsetFit united(SubsetFit const& a, SubsetFit const& b, MergeData const& data);

/// Goes on after the subject has been fitted: to the next pairs, the next round, the fit of the best scheme, or the
/// end.
void go_on(Merging& merging, MergeData const& data);

}  // namespace regraft::search
