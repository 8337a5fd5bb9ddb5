// Which ranks fail: as listed by the user, node by node, or drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::plan {

/// The numbers in a list such as "3,7,10-20" (both ends count), ascending and without repetitions, all below count.
/// option and what are for messages, such as "--failed" and "rank". Throws InputError.
std::vector<std::uint32_t> parse_list(std::string_view text, std::uint32_t count, std::string_view option,
                                      std::string_view what);

/// How many nodes of node_size consecutive ranks there are; the last one may be smaller. Precondition: node_size > 0.
std::uint32_t num_nodes(std::uint32_t num_ranks, std::uint32_t node_size);

/// All ranks of the given nodes. Precondition: nodes ascends strictly, each below num_nodes.
std::vector<PeId> ranks_of_nodes(std::span<std::uint32_t const> nodes, std::uint32_t node_size,
                                 std::uint32_t num_ranks);

/// round(rate * count) different numbers below count, ascending, all choices equally likely. Precondition: 0 <= rate
/// <= 1.
std::vector<std::uint32_t> draw(std::uint32_t count, double rate, std::uint64_t seed);

}  // namespace regraft::plan
