// The likelihood of a tree whose sites are spread over the PEs: exact partial sums are added over all PEs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/fixed_sum.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/tree.hpp"
#include "regraft/search/core_share.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// How branch lengths of different partitions depend on each other.
enum class BranchLinkage : std::uint8_t {
    linked,    // the same for all
    scaled,    // proportional, one factor per partition
    unlinked,  // independent: one length set per partition
};

using likelihood::Frequencies;
using likelihood::Model;
using likelihood::ModelSpec;
using likelihood::Origin;

/// Logarithm of the likelihood at a branch length, up to a constant, and its derivatives.
struct BranchValue {
    double loglh = 0;   // up to a constant
    double first = 0;   // derivative by the length
    double second = 0;  // second derivative
};

/// Another model for one of the partitions.
struct ModelTrial {
    std::size_t partition;  // its index
    Model model;            // is tried instead of the present one
};

/// Is told when this PE begins and ends to wait for sums over all PEs: for measuring.
class ReductionObserver {
public:
    virtual ~ReductionObserver() = default;
    virtual void begin_reduction() = 0;  // this PE has added its sites
    virtual void end_reduction() = 0;    // it has the sums over all PEs
};

/// Holds the tree and the models and, for this PE's sites, the conditional likelihoods, which stay valid as far as
/// changes allow. All PEs make the same changes and evaluations in the same order. Results are the same bits on all
/// PEs, for any distribution of the sites and after any earlier calls. Evaluations are collective and may throw
/// ft::ProcessFailure.
class DistributedLikelihood {
public:
    /// sites: this PE's sites of each partition. options.total_weight: that of all partitions. Precondition: one spec,
    /// model and Sites per partition; tree.num_length_sets() fits the linkage.
    DistributedLikelihood(ft::Participants who, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models,
                          BranchLinkage linkage, std::span<likelihood::Sites const> sites,
                          likelihood::PartitionOptions const& options);
    DistributedLikelihood(DistributedLikelihood const&) = delete;
    DistributedLikelihood& operator=(DistributedLikelihood const&) = delete;

    msa::Tree const& tree() const { return tree_; }                                   // with all changes so far
    std::size_t num_partitions() const { return models_.size(); }                     // with sites here or not
    ModelSpec const& spec(std::size_t partition) const { return specs_[partition]; }  // meaning of its model's name
    Model const& model(std::size_t partition) const { return models_[partition]; }    // its present parameters
    std::vector<Model> const& models() const { return models_; }                      // of all partitions
    BranchLinkage linkage() const { return linkage_; }                                // of the branch lengths
    /// The number of evaluations: a measure of work that is the same on all PEs.
    std::uint64_t evaluations() const { return evaluations_; }

    /// Tells the observer of each reduction from now on; null: none. It must live as long as it is used.
    void tell(ReductionObserver* observer) { observer_ = observer; }
    /// From now on uses as many threads as the load leaves cores for, up to options.num_threads.
    void follow_load();
    /// ft::Communicator::reach, for optimisers.
    void reach(ft::FailPoint& point) { who_.parent().reach(point); }

    void set_model(std::size_t partition, Model model);                      // makes all of its likelihoods invalid
    void set_length(msa::HalfEdge h, double length, std::uint32_t set = 0);  // of the edge of h
    /// Moves of msa::Tree; the affected likelihoods become invalid.
    msa::TreeUndo nni(msa::HalfEdge h, std::uint32_t variant);
    msa::TreeUndo prune(msa::HalfEdge h);                        // Tree::prune
    msa::TreeUndo regraft(msa::HalfEdge h, msa::HalfEdge edge);  // Tree::regraft
    void undo(msa::TreeUndo const& move);                        // Tree::undo of a move above
    /// Replaces the tree by another one of the same tips; what both have in common stays valid.
    void set_tree(msa::Tree const& tree);

    /// The log-likelihood of the tree, evaluated at the edge of h, by default at tip 0. The last bits depend on the
    /// edge.
    double loglh(msa::HalfEdge h = 0);
    /// The log-likelihood of each partition alone.
    std::vector<double> partition_loglh();
    /// The log-likelihoods of single partitions under other models, evaluated together. The models stay.
    std::vector<double> trial_loglh(std::span<ModelTrial const> trials);

    /// The log-likelihood of each of this PE's patterns, evaluated at the edge of h, without correction for sites that
    /// were left out. Not collective.
    std::vector<double> local_loglh(msa::HalfEdge h, std::size_t partition);
    /// Adds sums of such values, which each PE made on a grid, by default loglh_scale(), over all PEs.
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums) { return sum_over_ranks(sums, loglh_scale()); }
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums, FixedScale const& scale);  // scale: their grid
    FixedScale const& loglh_scale() const { return partitions_.front().loglh_scale(); }     // for sum_over_ranks

    /// Prepares branch_values for the edge of h. Valid until anything except that edge's length changes.
    void focus(msa::HalfEdge h);
    /// The value at lengths[set] of the edge in focus, for each length set; the tree stays as it is.
    std::vector<BranchValue> branch_values(std::span<double const> lengths);
    /// The values at all edges' own lengths, [position in msa::preorder_edges][length set]: the gradient, in two
    /// traversals.
    std::vector<BranchValue> all_branch_values();

    /// The log-likelihood after regraft(h, target), for each target, with all sums in one reduction. Precondition: h
    /// was pruned.
    std::vector<double> score_insertions(msa::HalfEdge h, std::span<msa::HalfEdge const> targets);

private:
    std::uint32_t length_set(std::size_t partition) const;
    /// Gives a partition its site model.
    void use_model(std::size_t partition);
    /// Calls invalidate(g) for the half-edges whose CLVs contain the edge of h, and continues beyond g if it returns
    /// true.
    template <class Invalidate>
    void invalidate_beyond(msa::HalfEdge h, Invalidate invalidate);
    /// Invalidates what the move changed, after it was made or undone, and returns the move.
    msa::TreeUndo touched(msa::TreeUndo move);
    /// Replaces the sums by those over all PEs.
    void reduce(std::span<FixedSum> sums);
    /// The values that each three sums represent.
    std::vector<BranchValue> reduce_branch_values(std::span<FixedSum> sums);

    ft::Participants who_;
    msa::Tree tree_;
    std::vector<ModelSpec> specs_;
    std::vector<Model> models_;
    std::vector<likelihood::SiteModel> site_models_;  // made from the models
    BranchLinkage linkage_;
    std::vector<likelihood::Partition> partitions_;  // for this PE's sites
    std::uint64_t evaluations_ = 0;
    ReductionObserver* observer_ = nullptr;
    std::uint32_t num_threads_;
    std::optional<LoadWatch> load_;  // none: the number of threads is fixed
};

}  // namespace regraft::search
#pragma GCC visibility pop
