// Searches as items that groups of PEs work on, and the progress of each.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "regraft/search/search.hpp"

namespace regraft::phylo {

using namespace search;

/// The purpose of a search.
enum class Purpose : std::uint8_t {
    model_choice,
    start,           // a search, or an evaluation, from a start tree
    fusion,          // a search from the best tree of the starts, with parts of the others
    pilot,           // a short search, whose tree is another one for the ultrafast bootstrap
    ultrafast,       // the ultrafast bootstrap of the best tree
    replicate,       // a search on resampled sites
    support,         // the support of the best tree's edges, by likelihoods
    test,            // samples of one size, for tests of trees
    merge,           // the merging of partitions
    gene,            // a search on one partition
    gene_replicate,  // a search on resampled sites of one partition
};

/// A search. Its result is a function of the item, the input and the options.
struct Item {
    Purpose purpose;
    std::uint32_t number = 0;  // from 0, among items of the same purpose
    friend auto operator<=>(Item const&, Item const&) = default;
};

/// The newest known state of each item. A state is correct whichever PE computed it, so what different PEs know, or
/// what a file says, can be merged.
class Progress {
public:
    /// Keeps the state if it is newer than the known one.
    void note(Item item, SearchState state);
    void merge(Progress other);
    /// The state of an item; null: not begun, as far as is known. Valid until the item's next state is noted.
    SearchState const* find(Item item) const;
    bool is_done(Item item) const;
    bool empty() const { return newest_.empty(); }
    std::map<Item, SearchState> const& states() const { return newest_; }

    std::vector<std::byte> to_bytes() const;
    /// Reads what to_bytes wrote. Throws InputError if these bytes are no progress; Agenda::check says whether a job
    /// can continue from it.
    static Progress from_bytes(std::span<std::byte const> bytes);

private:
    std::map<Item, SearchState> newest_;
};

}  // namespace regraft::phylo
