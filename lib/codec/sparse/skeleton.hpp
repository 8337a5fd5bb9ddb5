// Placement trees without their changes, as bytes (docs/alignments/file-format.md, sparse coding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/placement_tree.hpp"

namespace regraft::codec {

enum class NodeKind : std::uint8_t { equal_tip, tip, inner };  // equal: it has no changes

/// A tree's shape, in pre-order as in msa::PlacementTree.
struct Skeleton {
    std::vector<std::uint32_t> parent;
    std::vector<NodeKind> kind;
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }
    bool has_changes(std::uint32_t node) const { return node != 0 && kind[node] != NodeKind::equal_tip; }
};

Skeleton skeleton_of(msa::PlacementTree const& tree);

std::vector<std::byte> encode_skeleton(Skeleton const& skeleton);
/// Throws InputError unless the tree has so many tips.
Skeleton decode_skeleton(std::span<std::byte const> bytes, std::uint32_t num_tips);

/// Which row is at each tip, in pre-order. Equal siblings come with their rows ascending, and so do siblings that are
/// other tips.
std::vector<std::byte> encode_rows(Skeleton const& skeleton, std::span<std::uint32_t const> row_of_tip);
std::vector<std::uint32_t> decode_rows(Skeleton const& skeleton, std::span<std::byte const> bytes,
                                       std::uint32_t num_tips);

/// The changes of all edges. Throws InputError if there are more than `most`.
std::vector<std::byte> encode_changes(Skeleton const& skeleton, std::span<std::uint8_t const> reference,
                                      Csr<msa::SiteLetter> const& changes);
Csr<msa::SiteLetter> decode_changes(Skeleton const& skeleton, std::span<std::uint8_t const> reference,
                                    std::span<std::byte const> bytes, std::uint64_t most);

}  // namespace regraft::codec
