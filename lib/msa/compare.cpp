#include "regraft/msa/compare.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

/// The tips on that side of an edge which does not contain tip 0, as a bit set.
using Split = std::vector<std::uint64_t>;

/// The splits of the inner edges, sorted.
std::vector<Split> splits(Tree const& tree) {
    auto const n = tree.num_tips();
    std::vector<Split> below(tree.num_half_edges());
    std::vector<Split> result;
    for (auto h : postorder(tree, tree.back(0))) {
        auto& tips = below[h];
        tips.resize((n + 63) / 64);
        if (tree.is_tip(h)) {
            tips[h / 64] |= std::uint64_t{1} << h % 64;
            continue;
        }
        for (auto x = tree.next(h); x != h; x = tree.next(x)) {
            auto& child = below[tree.back(x)];
            for (std::size_t i = 0; i < tips.size(); ++i) tips[i] |= child[i];
            if (!tree.is_tip(tree.back(x))) result.push_back(std::move(child));
            child.clear();
        }
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace

std::uint32_t robinson_foulds(Tree const& a, Tree const& b) {
    REGRAFT_EXPECTS(a.num_tips() == b.num_tips());
    auto const of_a = splits(a);
    auto const of_b = splits(b);
    std::vector<Split> only_one;
    std::ranges::set_symmetric_difference(of_a, of_b, std::back_inserter(only_one));
    return static_cast<std::uint32_t>(only_one.size());
}

}  // namespace regraft::msa
