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
#include "regraft/search/likelihood_values.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

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
    /// Grows with every change of tree and models.
    std::uint64_t changes() const { return changes_; }

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

    /// The expected number of a partition's sites in each category, in the order of Partition::category_posteriors.
    std::vector<double> category_shares(std::size_t partition);

    /// The log-likelihood of each of this PE's patterns, evaluated at the edge of h, without correction for sites that
    /// were left out. Not collective.
    std::vector<double> local_loglh(msa::HalfEdge h, std::size_t partition);
    /// Partition::category_posteriors and Partition::state_posteriors of this PE's patterns. Not collective.
    std::vector<double> local_categories(msa::HalfEdge h, std::size_t partition);
    std::vector<double> local_states(msa::HalfEdge h, std::size_t partition);  // at h's node
    /// Adds sums of such values, which each PE made on a grid, by default loglh_scale(), over all PEs.
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums) { return sum_over_ranks(sums, loglh_scale()); }
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums, FixedScale const& scale);  // scale: their grid
    void sum_over_ranks(std::span<std::int64_t> sums);                                      // of whole numbers
    FixedScale const& loglh_scale() const { return partitions_.front().loglh_scale(); }     // for sum_over_ranks

    /// Prepares branch_values for the edge of h, at a place below PartitionOptions::most_in_focus. It is for the tree
    /// as it is now, even if that changes later. Valid until a model changes.
    void focus(msa::HalfEdge h, std::size_t place = 0);
    /// The same for the edge that row `which` of lengths belongs to, if the pruned h were inserted like this.
    void focus(msa::HalfEdge h, Insertion const& insertion, std::size_t which, std::size_t place);
    /// The values of the edges in focus at some places, at these lengths, with all sums in one reduction. Lengths and
    /// values are [place][length set]. The tree stays as it is.
    std::vector<BranchValue> branch_values(std::span<std::size_t const> places, std::span<double const> lengths);
    /// The values at all edges' own lengths, [position in msa::preorder_edges][length set]: the gradient, in two
    /// traversals.
    std::vector<BranchValue> all_branch_values();

    /// The insertion of the pruned h that regraft(h, target) makes.
    Insertion insertion(msa::HalfEdge h, msa::HalfEdge target) const;
    /// Adds this PE's part of the log-likelihood after each of these insertions of the pruned h to a sum, for
    /// sum_over_ranks. Not collective.
    void add_insertion_scores(msa::HalfEdge h, std::span<Insertion const> insertions, std::span<FixedSum> sums);
    /// The log-likelihood after each of these insertions of the pruned h, with all sums in one reduction.
    std::vector<double> score_insertions(msa::HalfEdge h, std::span<Insertion const> insertions);

private:
    std::uint32_t length_set(std::size_t partition) const;
    likelihood::Insertion insertion_of(msa::HalfEdge h, Insertion const& insertion, std::size_t partition) const;
    /// Gives a partition its site model.
    void use_model(std::size_t partition);
    /// Calls invalidate(g) for the half-edges whose CLVs contain the edge of h, and continues beyond g if it returns
    /// true.
    template <class Invalidate>
    void invalidate_beyond(msa::HalfEdge h, Invalidate invalidate);
    /// Invalidates what the move changed, after it was made or undone, and returns the move.
    msa::TreeUndo touched(msa::TreeUndo move);
    void reduce(std::span<FixedSum> sums);                                    // replaces them by those over all PEs
    std::vector<BranchValue> reduce_branch_values(std::span<FixedSum> sums);  // the values of each three sums

    ft::Participants who_;
    msa::Tree tree_;
    std::vector<ModelSpec> specs_;
    std::vector<Model> models_;
    std::vector<likelihood::SiteModel> site_models_;  // made from the models
    BranchLinkage linkage_;
    std::vector<likelihood::Partition> partitions_;  // for this PE's sites
    std::uint64_t evaluations_ = 0;
    std::uint64_t changes_ = 0;
    ReductionObserver* observer_ = nullptr;
    std::uint32_t num_threads_;
    std::optional<LoadWatch> load_;  // none: the number of threads is fixed
};

}  // namespace regraft::search
#pragma GCC visibility pop
