// What happened to a column along the tree: the state of the root, and the edges on which the state changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::codec {

/// Bit s: state s. There are at most 32, so that this is half of msa::StateMask.
using StateMask = std::uint32_t;

/// The state becomes `to` on the edge above `node`; above it is `from`.
struct Change {
    std::uint32_t node = 0;
    std::uint8_t from = 0;
    std::uint8_t to = 0;
    friend bool operator==(Change const&, Change const&) = default;
};

/// Some sites: a root state and the changes, in pre-order, of each.
struct History {
    std::vector<std::uint8_t> root;
    Csr<Change> changes;

    /// One more site like the last one; the first has state 0 and no changes.
    void repeat();
};

/// What a change costs, in bits with 8 fractional bits.
struct ChangeCosts {
    std::uint32_t num_states = 0;
    std::vector<std::uint32_t> edge;   // per node: that it is this edge rather than another
    std::vector<std::uint32_t> state;  // [from][to], 0 if they are the same
};

/// What it costs that a column of classes differs from the one before, in bits with 8 fractional bits.
struct ClassCosts {
    std::vector<std::uint32_t> add;  // per node: a change that was not there
    std::uint32_t drop = 0;          // a change that is there no more
    std::uint32_t root = 0;          // another class at the root
};

/// The changes of the column before: its root state and per node the new state, or no_state.
struct ClassesBefore {
    std::uint8_t root = 0;
    std::vector<std::uint8_t> change;
};

/// Finds histories of columns. Has memory for one column; one per thread.
class Reconstruction {
public:
    explicit Reconstruction(RootedTree const& tree);

    /// With the fewest changes, up to the choice at the root (Fitch 1971): a node keeps its parent's state if it can,
    /// else it takes that which it had in the site before, else the lowest. Tips may have any of their states, and have
    /// the parent's if it is among them. `keep`: per node the state to prefer, which becomes that of this site; may be
    /// empty.
    void fewest(std::span<StateMask const> tip_states, std::span<std::uint8_t> keep, History& out);

    /// With the least cost (Sankoff 1975); that of edges is less by log2 of what `num_changes`, the number to be
    /// expected, and one make. Each tip has one state or, no_state, any. The work is O(nodes * square of the different
    /// states).
    void cheapest(std::span<std::uint8_t const> tip_state, ChangeCosts const& costs, std::size_t num_changes,
                  History& out);

    /// With the least cost relative to the column before, which this one then becomes. Each tip has one state.
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
