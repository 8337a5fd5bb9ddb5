// Binary Newick: the topology of a rooted tree as two bits per inner node.
//
// An inner node is written as a pair of parentheses: a bit 1, then those of its children that are inner nodes, in the
// order of the tree, then a bit 0. Tips are not written. A node has two children and the root has three; the children
// that are not written are tips, and they come before the others. A tree of n >= 3 tips has n - 2 inner nodes, the root
// included, and so takes 2n - 4 bits; trees of one and two tips take none.
//
//   ((c,(d,e)),a,b), in the order of the tree (a,b,(c,(d,e))):  1 1 1 0 0 0
//
// Bits fill bytes from the least significant one on; the rest of the last byte is 0. The rows of the tips have to be
// stored elsewhere: n numbers, one per tip in the order of the tree. (After Huebner's thesis.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// The number of bytes of the topology of a tree with num_tips tips.
constexpr std::uint64_t topology_bytes(std::uint64_t num_tips) {
    return num_tips < 3 ? 0 : (2 * num_tips - 4 + 7) / 8;
}

/// The topology of a tree, topology_bytes(tree.num_tips()) bytes. O(n), no recursion.
std::vector<std::byte> encode_topology(RootedTree const& tree);

/// The tree with this topology and with these rows at its tips. Throws InputError if `bytes` are not exactly what
/// encode_topology gives for some tree with that number of tips, if the rows are not a permutation of 0, 1, ..., or if
/// there are none. O(n) time and memory, no recursion; checks the number of bytes before it allocates memory.
RootedTree decode_topology(std::span<std::byte const> bytes, std::vector<std::uint32_t> row_of_tip);

}  // namespace regraft::codec
#pragma GCC visibility pop
