// An alignment in the form in which the encoder of the native coding reads it: columns in the order of the tips, block
// by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/first_error.hpp"
#include "codec/native/symbols.hpp"
#include "regraft/codec/rooted_tree.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::codec {

/// The alignment to be coded, its tree and its symbols.
struct NativeInput {
    msa::Alignment const& alignment;
    RootedTree const& tree;
    Symbols const& symbols;
    std::uint32_t sites_per_block;

    std::size_t num_blocks() const { return (alignment.num_sites() + sites_per_block - 1) / sites_per_block; }
    std::size_t num_sites(std::size_t block) const {
        return std::min<std::size_t>(sites_per_block, alignment.num_sites() - block * sites_per_block);
    }
    std::uint32_t num_edges() const { return tree.num_nodes() - 1; }
    /// Whether it pays to use other threads.
    bool is_large() const { return alignment.cells.size() > 1 << 13; }
    /// The columns of a block in the order of the tips: [site][tip].
    std::vector<char> columns(std::size_t block) const;
};

/// Runs work(i) for all i below count, in parallel if that pays. Throws what a sequential loop would.
template <class Work>
void for_each_index(NativeInput const& input, std::size_t count, Work work) {
    FirstError error;
#pragma omp parallel for schedule(static) default(shared) if (input.is_large())
    for (std::size_t i = 0; i < count; ++i) error.run(i, [&] { work(i); });
    error.rethrow();
}

/// Runs work(block) for all blocks.
template <class Work>
void for_each_block(NativeInput const& input, Work work) {
    for_each_index(input, input.num_blocks(), work);
}

}  // namespace regraft::codec
