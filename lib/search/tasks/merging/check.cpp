// Checks what a merging of partitions relies on.
#include <algorithm>
#include <functional>
#include <numeric>

#include "regraft/search/tasks/merging.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {
namespace {

/// Checks the fit of a subset, whose partitions then are known to be of one kind.
void check_subset(SubsetFit const& fit, Estimate const& now, Expected const& expected) {
    auto const& subset = fit.subset;
    bool const is_increasing = std::ranges::adjacent_find(subset, std::greater_equal<>()) == subset.end();
    auto const num_partitions = expected.specs.size();
    require(!subset.empty() && is_increasing && subset.back() < num_partitions, "with a subset that is none");
    auto const& kinds = expected.merging->kinds;
    require(std::ranges::all_of(subset, [&](auto q) { return kinds[q] == kinds[subset.front()]; }),
            "that merges partitions with different models");
    std::vector<CountedData> counted;
    for (auto q : subset) counted.push_back(expected.counted[q]);
    auto const& spec = now.specs[subset.front()];
    check_model(spec, fit.model, counted_together(counted, spec.num_states()));
    require(fit.lengths.size() == (expected.linkage == BranchLinkage::unlinked ? now.tree.num_edges() : 0),
            "with a subset of more or fewer branches");
    check_lengths(fit.lengths, "with a subset of an impossible branch length");
}

/// Whether a subset is the union of two subsets of the scheme.
bool is_union(Subset const& subset, std::vector<SubsetFit> const& scheme) {
    std::size_t parts = 0;
    std::size_t size = 0;
    for (auto const& fit : scheme) {
        if (!std::ranges::includes(subset, fit.subset)) continue;
        ++parts;
        size += fit.subset.size();
    }
    return parts == 2 && size == subset.size() && std::ranges::is_sorted(subset);
}

}  // namespace

void Merging::check(Estimate const& now, Expected const& expected) const {
    require(expected.merging.has_value(), "that merges partitions, which this job does not");
    std::vector<std::uint32_t> all;
    for (auto const& fit : scheme) {
        check_subset(fit, now, expected);
        all.insert(all.end(), fit.subset.begin(), fit.subset.end());
    }
    std::ranges::sort(all);
    std::vector<std::uint32_t> each(expected.specs.size());
    std::iota(each.begin(), each.end(), 0U);
    require(all == each, "with a scheme that lacks partitions, or has one twice");
    for (auto const* fits : {&tried, &running}) {
        for (auto const& fit : *fits) {
            check_subset(fit, now, expected);
            require(is_union(fit.subset, scheme), "with a union of other subsets");
        }
    }
    require(std::ranges::is_sorted(tried, {}, &SubsetFit::subset), "with unions in another order");
    auto const is_known = [&](Subset const& subset) {
        auto const& kinds = expected.merging->kinds;
        return is_union(subset, scheme) && subset.back() < kinds.size() &&
               std::ranges::all_of(subset, [&](auto q) { return kinds[q] == kinds[subset.front()]; });
    };
    require(std::ranges::all_of(waiting, is_known), "that waits for a union of other subsets");
    require(phase <= Phase::over, "in an unknown phase of a merging");
    require((phase == Phase::pairs) == !running.empty(), "that tries no unions, or in another phase");
    require(phase != Phase::partitions || scheme.size() == each.size(), "that has merged partitions before");
    auto const is_named = [&](Subset const& subset) {
        return !subset.empty() && std::ranges::all_of(subset, [&](auto q) { return q < each.size(); });
    };
    require(std::ranges::all_of(merges, [&](Merge const& m) { return is_named(m.first) && is_named(m.second); }),
            "that has merged what is no partition");
}

}  // namespace regraft::search
