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

/// Holds the tree and the models and, for this PE's sites, the conditional likelihoods (CLVs). A change of the tree or
/// of a model makes only those invalid that depend on it. All PEs make the same changes and evaluations in the same
/// order. Results have the same bits on all PEs, for any distribution of the sites and after any earlier calls.
/// Evaluations, which are all functions that return likelihoods, sums or values over all PEs, are collective, make one
/// reduction each, and may throw ft::ProcessFailure. All other functions are not collective.
class DistributedLikelihood {
public:
    /// who: the PEs among which the sites are spread. sites: this PE's sites of each partition. options.total_weight:
    /// the sum over all partitions and PEs. Preconditions: one spec, model and Sites per partition, also of a partition
    /// of which this PE has no sites; tree.num_length_sets() fits the linkage.
    DistributedLikelihood(ft::Participants who, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models,
                          BranchLinkage linkage, std::span<likelihood::Sites const> sites,
                          likelihood::PartitionOptions const& options);
    DistributedLikelihood(DistributedLikelihood const&) = delete;
    DistributedLikelihood& operator=(DistributedLikelihood const&) = delete;

    msa::Tree const& tree() const { return tree_; }                                   // with all changes so far
    std::size_t num_partitions() const { return models_.size(); }                     // on all PEs
    ModelSpec const& spec(std::size_t partition) const { return specs_[partition]; }  // meaning of the model's name
    Model const& model(std::size_t partition) const { return models_[partition]; }    // present parameters
    std::vector<Model> const& models() const { return models_; }                      // of all partitions
    BranchLinkage linkage() const { return linkage_; }                                // of the branch lengths
    /// The number of evaluations so far: a measure of work that is the same on all PEs.
    std::uint64_t evaluations() const { return evaluations_; }
    /// A number that grows with every change of the tree or a model, also with one that is undone.
    std::uint64_t changes() const { return changes_; }

    /// Calls the observer at each reduction from now on; null: none. It must live as long as it is used.
    void tell(ReductionObserver* observer) { observer_ = observer; }
    /// From now on evaluations reduce by this object; null: by MPI. It must live as long as it is used.
    void reduce_by(Reducer* reducer) { reducer_ = reducer; }
    /// From now on uses as many threads as the load leaves cores for (LoadWatch), up to options.num_threads.
    void follow_load();
    /// Reaches a fail point (ft::Communicator::reach), for optimisers.
    void reach(ft::FailPoint& point) { who_.parent().reach(point); }

    void set_model(std::size_t partition, Model model);                      // makes all CLVs of the partition invalid
    void set_length(msa::HalfEdge h, double length, std::uint32_t set = 0);  // of the edge of h
    /// Moves of msa::Tree, which return what undo() takes. The affected CLVs become invalid.
    msa::TreeUndo nni(msa::HalfEdge h, std::uint32_t variant);
    msa::TreeUndo prune(msa::HalfEdge h);                        // Tree::prune
    msa::TreeUndo regraft(msa::HalfEdge h, msa::HalfEdge edge);  // Tree::regraft
    void undo(msa::TreeUndo const& move);                        // Tree::undo of a move above
    /// Replaces the tree by another one of the same tips and length sets; the CLVs of common subtrees stay valid.
    void set_tree(msa::Tree const& tree);
    /// Makes a copy of the tree equal to it. Precondition: it was equal when update was called last, or at the start.
    /// O(changes since then).
    void update(msa::Tree& copy);

    /// The log-likelihood of the tree, evaluated at the edge of h, by default at tip 0. The last bits depend on the
    /// edge.
    double loglh(msa::HalfEdge h = 0);
    /// The log-likelihood of each partition alone.
    std::vector<double> partition_loglh();
    /// The log-likelihood of the trial's partition under the trial's model, for each trial, with all sums in one
    /// reduction. The models stay.
    std::vector<double> trial_loglh(std::span<ModelTrial const> trials);

    /// The expected number of a partition's sites in each category, in the order of Partition::category_posteriors.
    std::vector<double> category_shares(std::size_t partition);

    /// The log-likelihood of each of this PE's patterns, evaluated at the edge of h, without correction for sites that
    /// were left out. Not collective.
    std::vector<double> local_loglh(msa::HalfEdge h, std::size_t partition);
    /// Partition::category_posteriors and Partition::state_posteriors of this PE's patterns. Not collective.
    std::vector<double> local_categories(msa::HalfEdge h, std::size_t partition);
    std::vector<double> local_states(msa::HalfEdge h, std::size_t partition);  // at h's node
    /// The sums over all PEs of sums that each PE has made of such values on a grid, by default loglh_scale().
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums) { return sum_over_ranks(sums, loglh_scale()); }
    std::vector<double> sum_over_ranks(std::span<FixedSum> sums, FixedScale const& scale);  // scale: their grid
    void sum_over_ranks(std::span<std::int64_t> sums);                                      // of whole numbers
    void all_reduce(std::span<FixedSum> sums);                                              // of any grid; stay sums
    FixedScale const& loglh_scale() const { return partitions_.front().loglh_scale(); }     // for sum_over_ranks

    /// Prepares branch_values for the edge of h, at a place below PartitionOptions::most_in_focus. What is prepared is
    /// for the tree as it is now, even if the tree changes later. Valid until a model changes.
    void focus(msa::HalfEdge h, std::size_t place = 0);
    /// The same for an edge that the tree would have after an insertion of the pruned h: the one that row `which` of
    /// insertion.lengths belongs to.
    void focus(msa::HalfEdge h, Insertion const& insertion, std::size_t which, std::size_t place);
    /// The values of the edges in focus at some places, with these lengths, with all sums in one reduction. Lengths and
    /// values have the shape [place][length set]. The tree stays as it is.
    std::vector<BranchValue> branch_values(std::span<std::size_t const> places, std::span<double const> lengths);
    /// The values of these edges with their lengths, in one reduction: [edge][length set]. Afterwards no edge is in
    /// focus.
    std::vector<BranchValue> edge_values(std::span<msa::HalfEdge const> edges);
    /// The gradient of the log-likelihood by all branch lengths, in two traversals. Afterwards no edge is in focus.
    Gradient gradient();

    /// The insertion that regraft(h, target) makes of the pruned h: in the middle of the target's edge.
    Insertion insertion(msa::HalfEdge h, msa::HalfEdge target) const;
    /// Adds this PE's part of the log-likelihood after each of these insertions of the pruned h to a sum, for
    /// sum_over_ranks. Not collective.
    void add_insertion_scores(msa::HalfEdge h, std::span<Insertion const> insertions, std::span<FixedSum> sums);
    /// The log-likelihood after each of these insertions of the pruned h, with all sums in one reduction.
    std::vector<double> score_insertions(msa::HalfEdge h, std::span<Insertion const> insertions);

private:
    std::uint32_t length_set(std::size_t partition) const;
    likelihood::Insertion insertion_of(msa::HalfEdge h, Insertion const& insertion, std::size_t partition) const;
    /// Passes the site model of a partition on to its Partition.
    void use_model(std::size_t partition);
    /// Calls invalidate(g) for the half-edges whose CLVs contain the edge of h, and continues beyond g if it returns
    /// true.
    template <class Invalidate>
    void invalidate_beyond(msa::HalfEdge h, Invalidate invalidate);
    void note_change(msa::HalfEdge h);  // for update
    /// Invalidates what the move changed, after it was made or undone, and returns the move.
    msa::TreeUndo touched(msa::TreeUndo move);
    std::vector<BranchValue> to_branch_values(std::span<FixedSum const> sums) const;  // three sums make one value

    ft::Participants who_;
    msa::Tree tree_;
    std::vector<ModelSpec> specs_;
    std::vector<Model> models_;
    std::vector<likelihood::SiteModel> site_models_;  // made from the models
    BranchLinkage linkage_;
    std::vector<likelihood::Partition> partitions_;  // for this PE's sites
    std::uint64_t evaluations_ = 0;
    std::uint64_t changes_ = 0;
    std::vector<msa::HalfEdge> changed_;  // since the last update; if there are more than a fourth, only some
    ReductionObserver* observer_ = nullptr;
    Reducer* reducer_ = nullptr;
    std::uint32_t num_threads_;
    std::optional<LoadWatch> load_;  // none: the number of threads is fixed
};

}  // namespace regraft::search
#pragma GCC visibility pop
