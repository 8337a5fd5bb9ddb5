// Maximum parsimony: scores, starting trees, and moves that shorten trees (Fitch 1971).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The sites of an alignment, prepared once for the functions below. An ambiguous cell may be any of its states. Sites
/// that cost the same on every tree are only counted. Immutable. Memory in bits, per taxon and site: about the number
/// of states that occur at least twice in the site.
class ParsimonySites {
public:
    /// The sites of all partitions. The constructor is implicit, so that Patterns can be passed as sites. O(taxa *
    /// sites).
    ParsimonySites(Patterns const& patterns);
    /// All columns; there may be none. O(taxa * sites). Precondition: `characters` is that of the alignment.
    ParsimonySites(Alignment const& alignment, CharacterTable const& characters);
    ParsimonySites(ParsimonySites&&) noexcept;
    ParsimonySites& operator=(ParsimonySites&&) noexcept;
    ~ParsimonySites();

    /// The number of rows.
    std::uint32_t num_taxa() const;

    /// The sites as bits, for this module only.
    class [[gnu::visibility("hidden")]] Planes;
    /// What the functions of this module work with.
    Planes const& planes() const { return *planes_; }

private:
    std::unique_ptr<Planes const> planes_;
};

/// The least number of state changes on the tree, over all sites. Precondition: complete tree with as many tips as
/// there are taxa. O(taxa * sites).
std::uint64_t parsimony_score(Tree const& tree, ParsimonySites const& sites);

/// Replaces each number by its sum over all who have a part of the sites. They all call it alike, with as many numbers.
using SumOverParts = std::function<void(std::span<std::uint64_t>)>;

/// Adds the taxa one by one, in an order drawn from seed, each at the edge where it costs least; ties go to the lowest
/// half-edge. All lengths are Tree::default_length. The same tree for any number of threads. sum: if there is one, the
/// sites are a part of those of the tree, and all who have the others call this, too: they get the same tree as from
/// all sites, with a sum of at most 2 * taxa numbers for each taxon. Precondition: at least 3 taxa. O(taxa^2 * sites).
Tree stepwise_addition(ParsimonySites const& sites, std::uint64_t seed, SumOverParts const& sum = {});

/// How far and how often to search for shorter trees.
struct SprOptions {
    std::uint32_t radius = 10;  // largest number of nodes between a subtree's old and new edge
    std::uint32_t rounds = 10;  // largest number of passes over all subtrees; fewer if a pass gains nothing
};

/// Subtree pruning and regrafting: tries all subtrees in turn, and moves each to the place within the radius where the
/// tree becomes shortest, if it becomes shorter. The result is never longer; all lengths are Tree::default_length. The
/// same tree for any number of threads. sum: as above, for 256 subtrees at once, and for each that may move. Then the
/// places of these are kept in memory. Precondition: as for parsimony_score.
Tree shorten_by_spr(Tree tree, ParsimonySites const& sites, SprOptions const& options, SumOverParts const& sum = {});

/// Adds the tips in order, each at an edge drawn uniformly, so every topology is equally likely. All lengths are
/// Tree::default_length. Precondition: num_tips >= 3.
Tree random_tree(std::uint32_t num_tips, std::uint64_t seed);

/// The tree with other lengths, in all sets: the changes on each edge (Fitch 1971) per site, from 1/10 of a change on.
/// A site counts for an edge if the two sides of the edge have no state in common. Changes of states that only one
/// taxon has count in equal parts for the edges of tips, those that no edge has for all edges. If sites count for more
/// changes than there are, they are scaled, so that all lengths add up to the score. sum: as above, once.
/// Preconditions: as for parsimony_score; num_sites > 0, with weights, of all parts. O(taxa * sites).
Tree with_parsimony_lengths(Tree tree, ParsimonySites const& sites, std::uint64_t num_sites,
                            SumOverParts const& sum = {});

}  // namespace regraft::msa
#pragma GCC visibility pop
