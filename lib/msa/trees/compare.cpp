#include "regraft/msa/compare.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::msa {

std::uint32_t robinson_foulds(Tree const& a, Tree const& b) {
    REGRAFT_EXPECTS(a.num_tips() == b.num_tips());
    SplitSets trees(a.num_tips());
    trees.add(a);
    trees.add(b);
    return robinson_foulds(trees, 0)[1];
}

std::vector<std::uint32_t> robinson_foulds(SplitSets const& trees, std::size_t tree, std::size_t first) {
    REGRAFT_EXPECTS(tree < trees.size() && first <= trees.size());
    std::vector<char> is_here(trees.table().size());
    for (auto const id : trees[tree]) is_here[id] = 1;
    std::vector<std::uint32_t> distances;
    for (auto i = first; i < trees.size(); ++i) {
        auto const common = std::ranges::count_if(trees[i], [&](SplitId id) { return is_here[id] != 0; });
        distances.push_back(
            static_cast<std::uint32_t>(trees[tree].size() + trees[i].size() - 2 * static_cast<std::size_t>(common)));
    }
    return distances;
}

std::vector<std::size_t> first_equals(SplitSets const& trees) {
    std::map<std::vector<SplitId>, std::size_t> first;
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        std::vector<SplitId> splits(trees[i].begin(), trees[i].end());
        std::ranges::sort(splits);
        result.push_back(first.emplace(std::move(splits), i).first->second);
    }
    return result;
}

}  // namespace regraft::msa
