// The decisions of a merging: pure functions of the fits so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/search/search.hpp"

namespace regraft::search {

struct MergeData;

/// Sums over the subsets of a scheme.
struct SchemeSums {
    std::uint64_t subsets = 0;
    double loglh = 0;
    std::uint64_t parameters = 0;  // of models, without scalers
    std::uint64_t scalers = 0;     // that are free

    SchemeSums with(SubsetFit const& fit, MergeData const& data) const;
    SchemeSums without(SubsetFit const& fit, MergeData const& data) const;
};

/// What the decisions depend on besides the progress.
struct MergeData {
    std::span<ModelSpec const> specs;  // per partition
    SearchOptions const& options;      // with MergeOptions
    BranchLinkage linkage;
    std::size_t num_edges;

    MergeOptions const& how() const { return *options.merging; }
    std::uint64_t sites_of(Subset const& subset) const;
    /// The value of a scheme, with its branch lengths.
    SchemeValue value(SchemeSums const& sums) const;
    SchemeValue value(std::span<SubsetFit const> scheme) const;
    double score(SchemeValue const& value) const;
};

/// The pairs of subsets that a round tries, the most similar first, as positions in the scheme. Ties go to the pair
/// that comes first.
struct SubsetPair {
    std::size_t first;
    std::size_t second;  // above first
    friend bool operator==(SubsetPair const&, SubsetPair const&) = default;
};
std::vector<SubsetPair> nearest_pairs(std::span<SubsetFit const> scheme, MergeData const& data);

/// The fit from which a union is optimised: means over the sites of both, or the values of the larger one.
SubsetFit united(SubsetFit const& a, SubsetFit const& b, MergeData const& data);

/// Goes on after the subject has been fitted: to the next pairs, the next round, or the fit of the best scheme. Returns
/// whether anything is left.
bool go_on(Merging& merging, MergeData const& data);

}  // namespace regraft::search
