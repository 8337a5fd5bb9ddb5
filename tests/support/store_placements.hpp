// The placements that a store can be given, by name.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::test {

/// Of num_blocks on the members; replicas: at most as many as them. The first per_node founders are one node, and so on.
inline placement::Any make_placement(std::string const& name, std::uint64_t num_blocks, std::span<PeId const> members,
                                     std::uint32_t replicas, std::uint32_t per_node, std::uint64_t seed) {
    auto const num_slots = static_cast<std::uint32_t>(members.size());
    if (name == "mod_k") return placement::ModK(num_blocks, num_slots, replicas);
    static_cast<void>(per_node);
    static_cast<void>(seed);
    throw std::runtime_error("no placement is called " + name);
}

}  // namespace regraft::test
