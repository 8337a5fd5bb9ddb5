#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "msa/parsimony/half_edge_sets.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::msa {

Tree with_parsimony_lengths(Tree tree, ParsimonySites const& sites, std::uint64_t num_sites, SumOverParts const& sum) {
    REGRAFT_EXPECTS(num_sites > 0);
    constexpr double least = 0.1;  // changes
    auto const& planes = sites.planes();
    HalfEdgeSets sets(planes);
    sets.compute(tree);
    auto const edges = tree.edges();
    std::vector<std::uint64_t> numbers;
    for (auto h : edges) numbers.push_back(count_disjoint(planes.groups(), sets[h], sets[tree.back(h)]));
    numbers.insert(numbers.end(), {planes.constant_score(), parsimony_score(tree, sites)});
    if (sum) sum(numbers);
    auto const changes = std::span(numbers).first(edges.size());
    auto const count = std::accumulate(changes.begin(), changes.end(), std::uint64_t{0});
    auto const single = static_cast<double>(numbers[edges.size()]);
    auto const at_tips = single / tree.num_tips();
    // A change that can be on several edges may count for all of them, or for none.
    auto const others = static_cast<double>(numbers.back()) - single;
    auto const counted = static_cast<double>(count);
    auto const scale = counted > others ? others / counted : 1.0;
    auto const everywhere = std::max(others - counted, 0.0) / static_cast<double>(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        bool const is_outer = tree.is_tip(edges[i]) || tree.is_tip(tree.back(edges[i]));
        auto const own = scale * static_cast<double>(changes[i]) + everywhere + (is_outer ? at_tips : 0);
        auto const length = std::max(own, least) / static_cast<double>(num_sites);
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) tree.set_length(edges[i], length, set);
    }
    return tree;
}

}  // namespace regraft::msa
