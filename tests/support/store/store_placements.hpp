// The placements that a store can be given, by name.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::test {

/// A placement of num_blocks on the members. replicas: at most as many as them. The first per_node founders are one
/// node, and so on.
inline placement::Any make_placement(std::string const& name, std::uint64_t num_blocks, std::span<PeId const> members,
                                     std::uint32_t replicas, std::uint32_t per_node, std::uint64_t seed) {
    auto const num_slots = static_cast<std::uint32_t>(members.size());
    if (name == "mod_k") return placement::ModK(num_blocks, num_slots, replicas);
    if (name == "pairwise") return placement::Pairwise(num_blocks, num_slots, replicas);
    if (name == "permuted") return placement::Permuted(num_blocks, num_slots, replicas, {0, seed});
    if (name == "node_aware") {
        std::vector<std::uint32_t> node_of;
        for (auto const pe : members) node_of.push_back(value(pe) / per_node);
        return placement::NodeAware(num_blocks, node_of, replicas, {0, seed});
    }
    throw std::runtime_error("no placement is called " + name);
}

}  // namespace regraft::test
