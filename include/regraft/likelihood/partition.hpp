// Likelihoods of some sites on a tree that changes.
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
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// Patterns of one partition, or some of them.
struct Sites {
    std::vector<std::uint32_t> weights;  // per pattern: how often it occurs
    std::vector<std::string> rows;       // per tip: one character per pattern
    /// If the partition has none that never change: what is done about it. left_out: as ModelSpec says, and on one rank
    /// only; else empty.
    Ascertainment ascertainment = Ascertainment::none;
    std::vector<std::uint32_t> left_out{};
};

/// For every character the states that it may be, as a mask; 0: none, it must not occur.
using StateSets = std::array<std::uint64_t, 256>;

/// Whether the likelihoods of sites that look alike below a node are computed once: where they are at least halved, at
/// all nodes where any are, or nowhere.
enum class Repeats : std::uint8_t { automatic, everywhere, off };

struct PartitionOptions {
    /// Of all sites of the partition, on whatever rank: sums of parts with the same total add up. Those left out count
    /// too, and with Ascertainment::lewis all count twice.
    std::uint64_t total_weight = 0;
    std::uint32_t num_threads = 1;
    /// Conditional likelihoods kept at a time; what is dropped is computed again. At least least_slots(); 0: as many as
    /// nothing gets faster beyond.
    std::size_t num_slots = 0;
    /// They need some memory beside the slots, and are off where num_slots leaves too little.
    Repeats repeats = Repeats::automatic;
};

/// Keeps the conditional likelihoods (CLVs) of some sites as far as the caller says that they are still valid. The CLV
/// of an inner half-edge h describes the subtree at h's node when h's edge is cut.
///
/// All results are parts of sums over all sites: exact, so that the same bits come out however the sites are spread,
/// with any number of threads, slots and whatever was asked before; and on any CPU.
class Partition {
public:
    /// Keeps a view of the tree, which may change between calls, and uses its lengths of that set. Preconditions: one
    /// row per tip; at most 64 states.
    Partition(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
              Sites const& sites, PartitionOptions const& options);
    Partition(Partition&&) noexcept;
    Partition& operator=(Partition&&) noexcept;
    ~Partition();

    /// How many slots a tree can need at once, whatever its shape: O(log tips).
    static std::size_t least_slots(std::uint32_t num_tips);
    /// What so many patterns take at most, in bytes.
    static std::uint64_t bytes(std::uint32_t num_tips, std::uint64_t num_patterns, std::uint32_t num_states,
                               std::uint32_t num_categories, PartitionOptions const& options);

    std::size_t num_patterns() const;
    /// From now on, in place of options.num_threads. Precondition: at least 1.
    void use_threads(std::uint32_t num_threads);

    /// Everything becomes invalid. branch_scale: by how much the branches are longer than the tree's. The number of
    /// categories may change. Precondition: without sites that never change if such were left out.
    void set_model(SiteModel model, double branch_scale = 1);

    /// Tell what a change of the tree made invalid: of lengths, or of the subtree that h sees. Whether anything was
    /// known of it; if not, then neither of any larger subtree with it inside.
    bool invalidate_clv(msa::HalfEdge h);
    bool invalidate_subtree(msa::HalfEdge h);
    void invalidate_matrix(msa::HalfEdge h);

    /// Grids of the sums below: of log-likelihoods, and of derivatives (first, second).
    FixedScale const& loglh_scale() const;
    std::span<FixedScale const, 3> derivative_scales() const;

    /// Adds the log-likelihood, evaluated at the edge of h: the last bits depend on which.
    void add_loglh(msa::HalfEdge h, FixedSum& sum);
    /// The same, and each pattern's alone, not corrected for what was left out.
    void add_loglh(msa::HalfEdge h, FixedSum& sum, std::span<double> per_pattern);
    /// Adds the log-likelihood at the edge of h if the pruned h were inserted into the target's edge, at its middle.
    void add_insertion_loglh(msa::HalfEdge h, msa::HalfEdge target, FixedSum& sum);

    /// Prepares add_derivatives for the edge of h, until anything but that edge's length changes.
    void focus(msa::HalfEdge h);
    /// Adds log-likelihood, up to a constant, and its two derivatives by the length in the tree, at length t.
    void add_derivatives(double t, std::span<FixedSum, 3> sums);
    /// The same for every edge at its own length, three sums each in the order of msa::preorder_edges: in two
    /// traversals, if there are slots for all inner nodes. Nothing is in focus afterwards.
    void add_all_derivatives(std::span<FixedSum> sums);

    /// CLVs computed so far.
    std::uint64_t num_updates() const;

private:
    class Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace regraft::likelihood
