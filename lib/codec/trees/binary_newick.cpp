// Topologies as balanced parentheses. Reading takes two passes over the bits, because tips come before the children
// that are written.
#include "regraft/codec/binary_newick.hpp"

#include <utility>

#include "codec/entropy/bit_stream.hpp"
#include "codec/trees/pre_order.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// The same limit as msa::Tree has.
constexpr std::size_t too_many_tips = std::size_t{1} << 30;

bool bit_at(std::span<std::byte const> bytes, std::uint64_t i) {
    return (bytes[i / 8] >> i % 8 & std::byte{1}) != std::byte{0};
}

[[noreturn]] void fail() {
    throw InputError("the bits of a tree's topology are damaged");
}

void check_rows(std::span<std::uint32_t const> row_of_tip) {
    std::vector<bool> seen(row_of_tip.size());
    for (auto const row : row_of_tip) {
        if (row >= seen.size() || seen[row]) throw InputError("the rows at a tree's tips are no permutation");
        seen[row] = true;
    }
}

std::uint32_t num_children(std::size_t node) {
    return node == 0 ? 3 : 2;
}

/// The number of children of each inner node, in pre-order, that are inner nodes. Throws if the bits are not a
/// topology.
std::vector<std::uint8_t> count_inner_children(std::span<std::byte const> bytes, std::uint64_t num_bits) {
    std::vector<std::uint8_t> count;
    std::vector<std::size_t> open;
    for (std::uint64_t i = 0; i < num_bits; ++i) {
        if (i > 0 && open.empty()) fail();
        if (!bit_at(bytes, i)) {
            if (open.empty()) fail();
            open.pop_back();
            continue;
        }
        if (!open.empty() && ++count[open.back()] > num_children(open.back())) fail();
        open.push_back(count.size());
        count.push_back(0);
    }
    if (!open.empty()) fail();
    for (auto i = num_bits; i < 8 * bytes.size(); ++i) {
        if (bit_at(bytes, i)) fail();
    }
    return count;
}

}  // namespace

std::vector<std::byte> encode_topology(RootedTree const& tree) {
    BitWriter out;
    if (tree.num_tips() < 3) return out.take();
    std::uint32_t open = 0;  // the innermost open node
    out.put(1, 1);
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        // Otherwise tips would not come before inner nodes.
        REGRAFT_EXPECTS(!tree.is_tip(v) || tree.parent[v] == open);
        if (tree.is_tip(v)) continue;
        for (; open != tree.parent[v]; open = tree.parent[open]) out.put(0, 1);
        out.put(1, 1);
        open = v;
    }
    for (; open != 0; open = tree.parent[open]) out.put(0, 1);
    out.put(0, 1);
    return out.take();
}

RootedTree decode_topology(std::span<std::byte const> bytes, std::vector<std::uint32_t> row_of_tip) {
    if (row_of_tip.empty()) throw InputError("a tree has no tips");
    if (row_of_tip.size() >= too_many_tips) throw InputError("a tree has 2^30 or more tips");
    if (bytes.size() != topology_bytes(row_of_tip.size())) throw InputError("a tree's topology has the wrong size");
    check_rows(row_of_tip);
    auto const num_tips = static_cast<std::uint32_t>(row_of_tip.size());
    if (num_tips < 3) {
        auto tree = trivial_tree(num_tips);
        tree.row_of_tip = std::move(row_of_tip);
        return tree;
    }
    auto const num_bits = 2 * std::uint64_t{num_tips} - 4;
    auto const inner_children = count_inner_children(bytes, num_bits);
    PreOrder out(2 * std::size_t{num_tips} - 2);
    std::uint32_t open = 0;
    std::size_t num_opened = 0;
    auto next_row = row_of_tip.begin();
    for (std::uint64_t i = 0; i + 1 < num_bits; ++i) {
        if (!bit_at(bytes, i)) {
            open = out.parent(open);
            continue;
        }
        open = out.add(open);
        auto const num_tips_here = num_children(num_opened) - inner_children[num_opened];
        ++num_opened;
        for (std::uint32_t t = 0; t < num_tips_here; ++t) out.add_tip(open, *next_row++);
    }
    return out.take();
}

}  // namespace regraft::codec
