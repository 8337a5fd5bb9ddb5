#include "input/rules.hpp"

#include "regraft/core/contracts.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permuted.hpp"

namespace regraft::plan {

std::vector<std::string> rule_names() {
    return {"mod-k", "permuted", "pairwise", "node-aware"};
}

placement::Any make_rule(std::string const& name, placement::Shape const& shape, std::uint32_t node_size) {
    auto const [num_blocks, num_ranks, replicas] = shape;
    if (name == "permuted") return placement::Permuted(num_blocks, num_ranks, replicas);
    if (name == "pairwise") return placement::Pairwise(num_blocks, num_ranks, replicas);
    if (name == "node-aware") {
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t rank = 0; rank < num_ranks; ++rank) nodes.push_back(rank / node_size);
        return placement::NodeAware(num_blocks, nodes, replicas);
    }
    REGRAFT_EXPECTS(name == "mod-k");
    return placement::ModK(num_blocks, num_ranks, replicas);
}

}  // namespace regraft::plan
