// What all kinds of work of a job know: the options, the data, the trees to begin from, and which search is the best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "input/start_tree.hpp"
#include "input/starts.hpp"
#include "options/options.hpp"
#include "progress/progress.hpp"
#include "regraft/search/search.hpp"

namespace regraft::phylo {

/// The trees from which searches begin, and the constraint of all trees.
struct StartTrees {
    std::vector<msa::Tree> user_trees{};
    std::vector<Start> starts{};
    bool may_do_with_fewer = false;  // whether some of the starts are left out if they are not expected to pay
    std::optional<Constraint> constraint{};
    std::vector<std::string> warnings{};  // about the trees
};

/// Reads the start_trees that the options ask for. Throws InputError.
StartTrees read_start_trees(Options const& options, Dataset const& dataset);

/// The least number of different searches whose trees the ultrafast bootstrap begins with.
inline constexpr std::uint32_t least_trees = 3;

/// The plan of a job. Not collective. Preconditions of what depends on the progress: the starts, and the fusion if it
/// is asked for, are done.
struct Plan {
    Options const& options;
    Dataset const& dataset;
    StartTrees start_trees;

    Constraint const* constraint() const;
    bool searches() const { return options.command == Command::search; }
    bool tests() const { return options.command == Command::test; }
    bool merges() const { return options.command == Command::merge; }
    bool finds_genes() const { return options.command == Command::genes; }
    bool chooses() const;
    bool fuses() const;
    /// The spec of each partition with which a job begins.
    std::vector<ModelSpec> first_specs() const;

    /// The number of starts that are wanted now. It needs no starts that are done.
    std::uint32_t num_starts(Progress const& progress) const;
    /// The number of pilots: as many as the searches are fewer than least_trees. Trees that are only evaluated may be
    /// far from the best.
    std::uint32_t num_pilots(Progress const& progress) const;
    /// The number of replicates of each gene tree.
    std::uint32_t num_gene_replicates() const { return finds_genes() ? options.supports.replicates : 0; }
    /// The starts that have begun.
    std::vector<Item> starts(Progress const& progress) const;
    Item best_start(Progress const& progress) const;
    /// The search that gives the result.
    Item best_item(Progress const& progress) const;
    SearchState const& best(Progress const& progress) const { return *progress.find(best_item(progress)); }
    /// The trees of all starts except the best, the likeliest first; equally likely ones in their order.
    std::vector<msa::Tree> other_trees(Progress const& progress) const;

    /// A start tree, with branches from which an optimiser finds its way. sites: as for start_tree.
    msa::Tree tree_of(Start start, std::uint64_t seed, StartSites const* sites) const;
    /// The state of a short search, with the models of the best one. Options of short searches: short_search.
    SearchState short_state(std::uint64_t seed, Progress const& progress, StartSites const* sites) const;
    /// The seed for the sites of a replicate, and for its search; also that of a pilot.
    std::uint64_t seed_of_replicate(std::uint32_t number) const;
};

/// Changes the options to those of a search that has to be fast.
void search_shortly(SearchOptions& options, std::uint64_t seed);

}  // namespace regraft::phylo
