// The reference coding: that of Huebner, Load-Balance and Fault-Tolerance for Massively Parallel Phylogenetic Inference
// (2020), chapter 7, corrected where it cannot work.
#pragma once

#include <cstdint>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

// A site is the state of the root and a record per edge whose ends differ: the XOR of the two states and the number of
// the edge. States of inner nodes are those of maximum parsimony (Fitch 1971; Hartigan 1973 at the root).
//
// DNA that consists of the 15 sets of bases and '-' is coded as published: a state is a set of bases, one bit each, and
// '-' the empty one. These points cannot work as published:
// - An empty set has no part in Fitch's recursion, so '-' is a state like any other. So are ambiguity codes: tips need
//   a record wherever the parent has another code.
// - Four bits cannot hold '?' beside '-', lower case, U, or amino acids. With any other character in the alignment,
//   states are the numbers of all characters by frequency, with as many bits as that takes.
// - A pointer per site is larger than many a site. Instead a block stores the number of records of each of its sites.

/// The values that determine the size of a block.
struct ThesisBlockShape {
    std::uint32_t num_taxa = 1;      // rows of the alignment, at least 1
    std::uint32_t state_bits = 4;    // 4 for sets of bases, otherwise ceil(log2(distinct characters in the alignment))
    std::uint32_t num_sites = 0;     // sites in the block
    std::uint64_t num_records = 0;   // records of all its sites: their changes on the tree
    std::uint32_t most_records = 0;  // largest number of records of one site
};

/// Number of bits of an edge's number: ceil(log2(2 num_taxa - 3)), and 1 for the edges of two taxa.
std::uint32_t thesis_edge_bits(std::uint32_t num_taxa);

/// Number of bytes of a block: index, root states and records without gaps, rounded up.
std::uint64_t thesis_block_bytes(ThesisBlockShape const& shape);

}  // namespace regraft::codec
#pragma GCC visibility pop
