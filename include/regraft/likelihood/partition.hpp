// Likelihoods of sites on a tree that changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/fixed_sum.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "regraft/likelihood/sites.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// Time and memory of a partition; the results do not depend on them, except for total_weight.
struct PartitionOptions {
    /// The sum of weights of all sites of the partition, on all ranks: sums of parts with the same total can be added.
    /// Sites that were left out count too, and with Ascertainment::lewis all sites count twice.
    std::uint64_t total_weight = 0;
    std::uint32_t num_threads = 1;  // that compute; at least 1
    /// There is memory for so many conditional likelihoods of all sites. What is dropped is computed again. At least
    /// least_slots(). 0: as much memory as makes a search as fast as any more.
    std::size_t num_slots = 0;
    /// Repeats need some memory beside the slots. They are off if num_slots is less than they need.
    Repeats repeats = Repeats::automatic;
    std::size_t most_in_focus = 6;  // number of edges that can be in focus at once
    bool own_frequencies = false;   // whether patterns have frequencies of their own, for bytes()
};

/// A pruned subtree as it would be if it were inserted into an edge. Its node then has three edges.
struct Insertion {
    msa::HalfEdge h;                // the pruned half-edge; the subtree is behind it
    msa::HalfEdge target;           // of the edge into which it is inserted
    std::array<double, 3> lengths;  // from the new node to the subtree, to target, and to target's other end
};

/// Keeps the conditional likelihoods (CLVs) of some sites as long as the caller does not invalidate them. The CLV of an
/// inner half-edge h describes the subtree at h's node when h's edge is cut.
///
/// All results are parts of sums over all sites. They are exact: the bits do not depend on how the sites are spread, on
/// the number of threads and slots, on earlier calls, or on the CPU.
class Partition {
public:
    /// Keeps a view of the tree, which may change between calls, and uses its lengths of set length_set. Preconditions:
    /// one row per tip; at most 64 states.
    Partition(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
              Sites const& sites, PartitionOptions const& options);
    Partition(Partition&&) noexcept;
    Partition& operator=(Partition&&) noexcept;
    ~Partition();

    /// The largest number of slots that a tree of any shape can need at once: O(log tips). With repeats it is larger.
    static std::size_t least_slots(std::uint32_t num_tips, Repeats repeats = Repeats::off);
    /// The largest number of bytes that num_patterns patterns take.
    static std::uint64_t bytes(std::uint32_t num_tips, std::uint64_t num_patterns, std::uint32_t num_states,
                               std::uint32_t num_categories, PartitionOptions const& options);

    /// The number of patterns, without the constant sites that stand for those that were left out.
    std::size_t num_patterns() const;
    /// Sets the number of threads from now on. Precondition: at least 1.
    void use_threads(std::uint32_t num_threads);

    /// Sets the model; everything becomes invalid unless only weights of categories change. branch_scale: factor by
    /// which branches are longer than those of the tree. The number of categories may change. Precondition: the model
    /// has no constant sites if such sites were left out.
    void set_model(SiteModel model, double branch_scale = 1);

    /// Invalidate what a change of the tree affects: the CLV of h if lengths in the subtree that h sees have changed,
    /// more than that if the subtree itself has, and the matrix of h's edge if its length has. The first two return
    /// whether anything valid was known; if not, nothing is known of any larger subtree that contains this one.
    bool invalidate_clv(msa::HalfEdge h);
    /// The same if the subtree itself has changed.
    bool invalidate_subtree(msa::HalfEdge h);
    /// The same for the matrix of h's edge.
    void invalidate_matrix(msa::HalfEdge h);

    /// Grids of the sums below: of log-likelihoods, and of what add_derivatives adds (value, first, second derivative).
    FixedScale const& loglh_scale() const;
    /// The grids of the value, the first and the second derivative.
    std::span<FixedScale const, 3> derivative_scales() const;

    /// Adds the log-likelihood to sum. It is evaluated at the edge of h; the last bits depend on the edge.
    void add_loglh(msa::HalfEdge h, FixedSum& sum);
    /// The same; also writes the log-likelihood of each pattern alone, without correction for sites that were left out.
    void add_loglh(msa::HalfEdge h, FixedSum& sum, std::span<double> per_pattern);
    /// Adds the log-likelihood that the tree would have after this insertion, evaluated at the subtree's edge.
    void add_insertion_loglh(Insertion const& insertion, FixedSum& sum);

    /// Prepares add_derivatives for the edge of h, at a place below PartitionOptions::most_in_focus. It is for the tree
    /// as it is now, even if that changes later. Valid until set_model.
    void focus(msa::HalfEdge h, std::size_t place = 0);
    /// The same for the edge that lengths[which] of the insertion belongs to.
    void focus(Insertion const& insertion, std::size_t which, std::size_t place);
    /// Adds to sums the log-likelihood, up to a constant, and its first two derivatives by the length in the tree, at
    /// length t of the edge in focus at this place.
    void add_derivatives(double t, std::span<FixedSum, 3> sums, std::size_t place = 0);
    /// The same for every edge at its own length: three sums per edge, in the order of msa::preorder_edges. Takes two
    /// traversals if there are slots for all inner nodes. Afterwards no edge is in focus.
    void add_all_derivatives(std::span<FixedSum> sums);

    /// The posterior probability of each category of rates given a pattern: [pattern][category], first that of sites
    /// that never change if the model has such. It is evaluated at the edge of h. Afterwards no edge is in focus.
    std::vector<double> category_posteriors(msa::HalfEdge h);
    /// Adds these probabilities over all sites, to one sum per category, on the grid share_scale().
    void add_category_shares(msa::HalfEdge h, std::span<FixedSum> sums);
    FixedScale const& share_scale() const;  // of add_category_shares
    /// The posterior probability of each state at h's node given a pattern (marginal reconstruction; Yang, Kumar and
    /// Nei 1995): [pattern][state]. Precondition: h is inner. Afterwards no edge is in focus.
    std::vector<double> state_posteriors(msa::HalfEdge h);

    /// The number of CLVs computed so far.
    std::uint64_t num_updates() const;

private:
    class [[gnu::visibility("hidden")]] Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace regraft::likelihood
#pragma GCC visibility pop
