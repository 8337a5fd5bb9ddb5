// The work of a job: which items come next, and of each item its name, its options, and the state from which it begins.
// All of that follows from the input, the options and the progress, so that all PEs know it without communication.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kinds/kind.hpp"

namespace regraft::phylo {

/// The lists of items of a job, in the order of docs/trees/phylo.md: those of one kind after those of another. Not
/// collective.
class Agenda {
public:
    /// Keeps references to the options and the dataset.
    Agenda(Options const& options, Dataset const& dataset, StartTrees start_trees);
    Agenda(Agenda const&) = delete;
    Agenda& operator=(Agenda const&) = delete;

    /// The list of items that comes next, without those that are done. Groups can work on its items at the same time.
    /// Empty: all lists are done.
    std::vector<Item> next_items(Progress const& progress);

    /// The name for people; empty for the only search of a job.
    std::string name_of(Item item) const { return of(item).name(item.number); }

    /// The options of an item's search. Precondition, here and below: the lists before the item's are done.
    SearchOptions options_of(Item item, Progress const& progress) const;

    /// Does what Kind::needs_sites does, but is false if the progress has a state of the item.
    bool needs_sites(Item item, Progress const& progress) const;
    /// The state before the first step of an item. sites: as for Kind::first_state.
    SearchState first_state(Item item, Progress const& progress, StartSites const* sites) const;
    /// The weight of each pattern for an item; empty: as in the alignment.
    std::vector<std::uint32_t> weights_of(Item item) const { return of(item).weights(item.number); }

    /// What the steps of the items of a kind need of this PE's sites (kinds/kind.hpp).
    Kind const& kind_of(Item item) const { return of(item); }

    /// Lines for the log about the results of a list of items, other than those that its steps have logged.
    /// Precondition: the items are done.
    std::vector<std::string> lines_of(std::span<Item const> items, Progress const& progress);
    /// The starts that have begun.
    std::vector<Item> starts(Progress const& progress) const { return plan_.starts(progress); }
    /// The search that gives the result. Precondition: the starts, and the fusion if there is one, are done.
    Item best_item(Progress const& progress) const { return plan_.best_item(progress); }
    /// The result according to the progress, to which it keeps references. Precondition: all is done.
    Result result_of(Progress const& progress);

    /// Throws InputError, with the reason, unless this job can continue from the progress, which may come from a file.
    void check(Progress const& progress) const;

    /// A hash of everything that the result depends on.
    std::uint64_t fingerprint() const;

private:
    Kind& of(Item item) const;

    Plan plan_;
    std::vector<KindOf> kinds_;
};

}  // namespace regraft::phylo
