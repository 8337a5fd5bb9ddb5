// What a job has to do: which items come next, what each is called, with which options and from which state it begins.
// All of that follows from the input, the options and the board, so that all PEs know it without asking each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "board.hpp"
#include "input.hpp"
#include "options.hpp"
#include "regraft/msa/convergence.hpp"
#include "report.hpp"
#include "search.hpp"

namespace regraft::phylo {

/// Where searches begin, and what all trees comply with.
struct Beginnings {
    std::vector<msa::Tree> user_trees;
    std::vector<Start> starts;
    std::optional<Constraint> constraint;
};

/// As the options say. Throws InputError.
Beginnings read_beginnings(Options const& options, Dataset const& dataset);

class Agenda {
public:
    /// Keeps references to the options and the dataset.
    Agenda(Options const& options, Dataset const& dataset, Beginnings beginnings);

    /// The items that come next, of those that can be worked on at the same time; none: all is done.
    std::vector<Item> next_items(Board const& board);

    /// For people; empty for the only search of a job.
    std::string name_of(Item item) const;

    /// Precondition, here and below: the lists before the item's are done.
    SearchOptions options_of(Item item, Board const& board) const;

    /// Whether the whole alignment must be at hand for an item to go on from where the board has it.
    static bool needs_patterns(Item item, Board const& board);
    /// The state before the first step. Precondition: the patterns are at hand if they are needed, else they may be
    /// null.
    SearchState first_state(Item item, Board const& board, msa::Patterns const* patterns) const;
    /// How often each pattern occurs for an item; none: as in the alignment. Precondition: as for first_state.
    std::vector<std::uint32_t> weights_of(Item item, msa::Patterns const* patterns) const;

    /// What came of a list of items, if there is more to tell than each step told.
    std::vector<std::string> lines_of(std::span<Item const> items, Board const& board);
    /// The search that the result is about. Precondition: the starts, and the fusion if there is one, are done.
    Item best_item(Board const& board) const;
    /// What the board says of the result. Precondition: all is done.
    Result result_of(Board const& board);

    /// Throws InputError, which says why, unless this job can go on from the board: it may be from a file.
    void check(Board const& board) const;

    /// Of all that the result depends on.
    std::uint64_t fingerprint() const;

private:
    bool fuses() const;
    bool has(Item item) const;
    std::uint32_t wanted_replicates(Board const& board);
    msa::Convergence convergence_of(std::uint32_t replicates, Board const& board);
    Item best_start(Board const& board) const;
    std::vector<msa::Tree> other_trees(Board const& board) const;
    Constraint const* constraint() const;

    Options const& options_;
    Dataset const& dataset_;
    Beginnings beginnings_;
    /// The last answer: it takes long, and is asked for more than once.
    struct KnownConvergence {
        std::uint32_t replicates;
        msa::Convergence convergence;
    };
    std::optional<KnownConvergence> known_convergence_;
};

}  // namespace regraft::phylo
