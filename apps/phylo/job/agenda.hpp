// The work of a job: which items come next, and of each item its name, its options, and the state from which it begins.
// All of that follows from the input, the options and the progress, so that all PEs know it without communication.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "input/options.hpp"
#include "progress/progress.hpp"
#include "regraft/msa/convergence.hpp"
#include "regraft/search/search.hpp"
#include "report/report.hpp"

namespace regraft::phylo {

/// The trees from which searches begin, and the constraint of all trees.
struct Beginnings {
    std::vector<msa::Tree> user_trees{};
    std::vector<Start> starts{};
    bool may_do_with_fewer = false;  // whether some of the starts are left out if they are not expected to pay
    std::optional<Constraint> constraint{};
    std::vector<std::string> warnings{};  // about the trees
};

/// Reads the beginnings that the options ask for. Throws InputError.
Beginnings read_beginnings(Options const& options, Dataset const& dataset);

/// The lists of items of a job, in the order of docs/phylo.md. Not collective.
class Agenda {
public:
    /// Keeps references to the options and the dataset.
    Agenda(Options const& options, Dataset const& dataset, Beginnings beginnings);

    /// The list of items that comes next, without those that are done. Groups can work on its items at the same time.
    /// Empty: all lists are done.
    std::vector<Item> next_items(Progress const& progress);

    /// The name for people; empty for the only search of a job.
    std::string name_of(Item item) const;

    /// The options of an item's search. Precondition, here and below: the lists before the item's are done.
    SearchOptions options_of(Item item, Progress const& progress) const;

    /// Whether the whole alignment is needed to begin the item, for a parsimony tree or the difficulty. False if the
    /// progress has a state of the item.
    bool needs_patterns(Item item, Progress const& progress) const;
    /// The state before the first step of an item. patterns: the whole alignment if needs_patterns says so; otherwise
    /// it may be null.
    SearchState first_state(Item item, Progress const& progress, msa::Patterns const* patterns) const;
    /// The weight of each pattern for an item; empty: as in the alignment.
    std::vector<std::uint32_t> weights_of(Item item) const;

    /// Lines for the log about the results of a list of items, other than those that its steps have logged.
    /// Precondition: the items are done.
    std::vector<std::string> lines_of(std::span<Item const> items, Progress const& progress);
    /// The search that gives the result. Precondition: the starts, and the fusion if there is one, are done.
    Item best_item(Progress const& progress) const;
    /// The result according to the progress. Precondition: all is done.
    Result result_of(Progress const& progress);

    /// Throws InputError, with the reason, unless this job can continue from the progress, which may come from a file.
    void check(Progress const& progress) const;

    /// A hash of everything that the result depends on.
    std::uint64_t fingerprint() const;

private:
    std::uint32_t num_starts(Progress const& progress) const;
    std::uint32_t num_pilots(Progress const& progress) const;
    bool fuses() const;
    bool tests() const;
    bool merges() const;
    bool chooses() const;
    std::vector<ModelSpec> first_specs() const;
    MergeOptions merge_options() const;
    std::vector<TreeTest> tests_of(Progress const& progress) const;
    bool has(Item item) const;
    std::uint32_t wanted_replicates(Progress const& progress);
    msa::Convergence convergence_of(std::uint32_t replicates, Progress const& progress);
    bool wants_difficulty(Progress const& progress) const;
    double difficulty_of(Progress const& progress, msa::Patterns const* patterns) const;
    Item best_start(Progress const& progress) const;
    std::vector<msa::Tree> pilot_trees(Progress const& progress) const;
    std::vector<msa::Tree> other_trees(Progress const& progress) const;
    std::vector<msa::Tree> good_trees(Progress const& progress) const;
    Constraint const* constraint() const;

    Options const& options_;
    Dataset const& dataset_;
    Beginnings beginnings_;
    /// The last result of convergence_of, which takes long and is needed more than once.
    struct KnownConvergence {
        std::uint32_t replicates;
        msa::Convergence convergence;
    };
    std::optional<KnownConvergence> known_convergence_;
};

}  // namespace regraft::phylo
