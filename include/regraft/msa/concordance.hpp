// Concordance factors: how many gene trees, and how many sites, agree with each edge of a tree (Minh, Hahn and Lanfear
// 2020, Mol. Biol. Evol. 37).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/general_tree.hpp"
#include "regraft/msa/newick.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The subtrees at the two ends of an inner edge: two or more at each, in the order of their smallest taxa. The edge
/// keeps the two ends apart. Where each has two subtrees, there are two alternatives: the first one joins the first
/// subtrees of both ends, and the second one joins the first of the lower end with the second of the upper end.
struct EdgeEnds {
    /// The taxa below a node, or all others.
    struct Subtree {
        std::uint32_t node;  // the lower end of an edge
        bool is_below;       // the subtree is below that edge, not above it
    };
    std::vector<Subtree> lower;  // below the edge
    std::vector<Subtree> upper;  // above it
};

/// The ends of each inner edge, in the order of inner_edges(tree). O(n + sum of squares of degrees).
std::vector<EdgeEnds> edge_ends(GeneralTree const& tree);

/// Gene trees that say something of an edge. A tree is decisive if it has taxa of at least two subtrees of each end.
/// Alternatives are known of edges with two subtrees at each end.
struct GeneCounts {
    std::uint64_t decisive = 0;    // trees that say something of the edge
    std::uint64_t concordant = 0;  // decisive trees with the edge's split of their taxa
    /// Decisive trees with the split of the first alternative, and of the second one.
    std::array<std::uint64_t, 2> alternative{};
};

/// Counts gene trees, which may lack taxa and have nodes of any degree.
class GeneConcordance {
public:
    /// Starts without gene trees. Keeps a view of the reference.
    explicit GeneConcordance(GeneralTree const& reference);

    /// Precondition: taxa of the gene tree are below the reference's number of taxa. Expected O(n).
    void add(PartialTree const& gene);

    /// The number of gene trees that were added.
    std::uint64_t num_trees() const { return num_trees_; }
    /// Per inner edge, in the order of inner_edges(reference).
    std::span<GeneCounts const> counts() const { return counts_; }

private:
    GeneralTree const& reference_;
    std::vector<EdgeEnds> ends_;
    std::vector<GeneCounts> counts_;
    std::uint64_t num_trees_ = 0;
};

/// Sites that say something of an edge: means over quartets of taxa, one of each of two subtrees at either end.
struct SiteFactors {
    /// Shares of the decisive sites, and their numbers: with the edge's pairing of the quartet, with the first
    /// alternative, and with the second one.
    std::array<double, 3> share{};
    std::array<double, 3> sites{};  // in the same order
    std::uint32_t decisive = 0;     // quartets that have decisive sites; the shares of others count as 0
};

/// The states of all taxa at all sites, of which those with exactly one state count.
class SiteStates {
public:
    /// rows: [taxon][site], a mask of states each. All rows have the same length.
    explicit SiteStates(std::span<std::vector<StateMask> const> rows);

    /// The number of decisive sites of a quartet that pair its first taxon with the second, the third and the fourth
    /// one: two states, each of two taxa. O(sites / 64).
    std::array<std::uint64_t, 3> pairings(std::array<std::uint32_t, 4> const& quartet) const;

private:
    std::size_t words_;                  // of 64 sites
    std::uint32_t num_bits_;             // of a state
    std::vector<std::uint64_t> planes_;  // [taxon][bit of the state; whether there is one][word]
};

/// How quartets are drawn.
struct SiteConcordanceOptions {
    std::uint32_t quartets = 100;  // for each edge
    std::uint64_t seed = 1;        // from which they follow
};

/// The factors of each inner edge, in the order of inner_edges(reference). Quartets are drawn with replacement.
/// O(edges * quartets * sites / 64). Precondition: states of all taxa of the reference.
std::vector<SiteFactors> site_concordance(GeneralTree const& reference, SiteStates const& states,
                                          SiteConcordanceOptions const& options);

}  // namespace regraft::msa
#pragma GCC visibility pop
