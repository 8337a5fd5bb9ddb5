// Maximum parsimony: scores, starting trees and what shortens them (Fitch 1971).
#pragma once

#include <cstdint>
#include <memory>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The sites of an alignment, prepared once for everything below. An ambiguous cell may be any of its states. Sites
/// that cost the same on every tree are only counted. Immutable. Memory: about the states per site that occur twice, in
/// bits, per taxon and site.
class ParsimonySites {
public:
    /// Of all partitions. Implicit, so that patterns are sites. O(taxa * sites).
    ParsimonySites(Patterns const& patterns);
    /// Of all columns, none included. O(taxa * sites). Precondition: `characters` are those of the alignment.
    ParsimonySites(Alignment const& alignment, CharacterTable const& characters);
    ParsimonySites(ParsimonySites&&) noexcept;
    ParsimonySites& operator=(ParsimonySites&&) noexcept;
    ~ParsimonySites();

    std::uint32_t num_taxa() const;

    /// The sites as bits, for this module only.
    class Planes;
    Planes const& planes() const { return *planes_; }

private:
    std::unique_ptr<Planes const> planes_;
};

/// The least number of state changes on the tree, over all sites. Precondition: complete tree with as many tips as
/// there are taxa. O(taxa * sites).
std::uint64_t parsimony_score(Tree const& tree, ParsimonySites const& sites);

/// Adds the taxa one by one, in an order drawn from seed, each at the edge where it costs least; among equals at that
/// with the lowest half-edge. All lengths are Tree::default_length. The same tree for any number of threads.
/// Precondition: at least 3 taxa. O(taxa^2 * sites).
Tree stepwise_addition(ParsimonySites const& sites, std::uint64_t seed);

/// How far and how often to look for shorter trees.
struct SprOptions {
    std::uint32_t radius = 10;  // a subtree moves to another edge over at most that many nodes
    std::uint32_t rounds = 10;  // all subtrees are tried at most so often; fewer times if that gains nothing
};

/// Subtree pruning and regrafting: tries all subtrees in turn, and moves each to the place within the radius where the
/// tree becomes shortest, if it becomes shorter. Never a longer tree; all lengths are Tree::default_length. The same
/// tree for any number of threads. Precondition: as for parsimony_score.
Tree shorten_by_spr(Tree tree, ParsimonySites const& sites, SprOptions const& options);

/// Adds the tips in order, each at an edge drawn uniformly: every topology is equally likely. All lengths are
/// Tree::default_length. Precondition: num_tips >= 3.
Tree random_tree(std::uint32_t num_tips, std::uint64_t seed);

}  // namespace regraft::msa
