// The history of a column along the tree: the state of the root, and the edges on which the state changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::codec {

/// Bit s stands for state s. There are at most 32 states, so this is half of msa::StateMask.
using StateMask = std::uint32_t;

/// The state changes from `from` to `to` on the edge above `node`.
struct Change {
    std::uint32_t node = 0;
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    friend bool operator==(Change const&, Change const&) = default;
};

/// The histories of some sites: the root state and the changes of each, in pre-order.
struct History {
    std::vector<std::uint8_t> root;
    Csr<Change> changes;

    /// Adds a site that equals the last one; the first one has state 0 and no changes.
    void repeat();
};

/// The costs of a change, in bits with 8 fractional bits.
struct ChangeCosts {
    std::uint32_t num_states = 0;
    std::vector<std::uint32_t> edge;   // per node: the cost of choosing this edge
    std::vector<std::uint32_t> state;  // [from][to], 0 if they are the same
};

/// The costs of differences between a column of classes and the one before, in bits with 8 fractional bits.
struct ClassCosts {
    std::vector<std::uint32_t> add;  // per node: a change that the column before does not have
    std::uint32_t drop = 0;          // a change that only the column before has
    std::uint32_t root = 0;          // another class at the root
};

/// The changes of the column before: its root state, and per node the new state, or no_state.
struct ClassesBefore {
    std::uint8_t root = 0;
    std::vector<std::uint8_t> change;
};

/// Finds histories of columns. It has memory for one column; each thread needs its own.
class Reconstruction {
public:
    explicit Reconstruction(RootedTree const& tree);

    /// Finds a history with the fewest changes, up to the choice at the root (Fitch 1971). A node keeps its parent's
    /// state if it can; otherwise it takes the one that it had in the site before; otherwise the lowest. Tips may have
    /// any of their states, and have the parent's if it is among them. `keep`: per node the preferred state, which
    /// becomes that of this site; may be empty.
    void fewest(std::span<StateMask const> tip_states, std::span<std::uint8_t> keep, History& out);

    /// Finds a history with the least cost (Sankoff 1975). `num_changes` is the expected number of changes; the cost of
    /// an edge is reduced by log2(num_changes + 1). Each tip has one state or, with no_state, any. O(nodes * square of
    /// the number of different states).
    void cheapest(std::span<std::uint8_t const> tip_state, ChangeCosts const& costs, std::size_t num_changes,
                  History& out);

    /// Finds a history with the least cost relative to the column before, and replaces that by this one. Each tip has
    /// one state.
    void steadiest(std::span<std::uint8_t const> tip_state, ClassCosts const& costs, ClassesBefore& before,
                   History& out);

    static constexpr std::uint8_t no_state = 0xFF;

private:
    class Palette;
    template <class RootCost, class Cost>
    void find_least(std::span<std::uint8_t const> tip_state, Palette const& palette, RootCost root_cost, Cost cost,
                    History& out);

    RootedTree const* tree_;
    std::vector<StateMask> sets_;       // per node
    std::vector<std::uint8_t> states_;  // per node
    std::vector<std::uint32_t> below_;  // [node][state]: cost of the subtree
};

}  // namespace regraft::codec
