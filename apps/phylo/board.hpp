// Searches as items that groups of PEs work on, and how far each of them is.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "search.hpp"

namespace regraft::phylo {

/// What a search is for.
enum class Purpose : std::uint8_t {
    model_choice,
    start,      // a search, or an evaluation, from a start tree
    fusion,     // a search from the best of these, with parts of the others
    replicate,  // a search on resampled sites
    support,    // of the edges of the best tree, by likelihoods
};

/// A search: what it computes is a function of it, the input and the options.
struct Item {
    Purpose purpose;
    std::uint32_t number = 0;  // from 0, among those of the same purpose
    friend auto operator<=>(Item const&, Item const&) = default;
};

/// The newest known state of each item. A state is right whoever computed it, so boards of different PEs, or from a
/// file, can be merged.
class Board {
public:
    /// Keeps the state if it is newer than the known one.
    void note(Item item, SearchState state);
    void merge(Board other);
    /// None: not begun, as far as is known. Valid until the item's next state is noted.
    SearchState const* find(Item item) const;
    bool is_done(Item item) const;
    bool empty() const { return newest_.empty(); }
    std::map<Item, SearchState> const& states() const { return newest_; }

    std::vector<std::byte> to_bytes() const;
    /// What to_bytes wrote. Throws InputError if these bytes are no board; whether it can be gone on from,
    /// Agenda::check says.
    static Board from_bytes(std::span<std::byte const> bytes);

private:
    std::map<Item, SearchState> newest_;
};

}  // namespace regraft::phylo
