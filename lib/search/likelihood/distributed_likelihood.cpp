#include "regraft/search/distributed_likelihood.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/likelihood/site_model.hpp"

namespace regraft::search {

using msa::HalfEdge;

DistributedLikelihood::DistributedLikelihood(ft::Participants who, msa::Tree tree, std::vector<ModelSpec> specs,
                                             std::vector<Model> models, BranchLinkage linkage,
                                             std::span<likelihood::Sites const> sites,
                                             likelihood::PartitionOptions const& options)
    : who_(who),
      tree_(std::move(tree)),
      specs_(std::move(specs)),
      models_(std::move(models)),
      linkage_(linkage),
      num_threads_(options.num_threads) {
    REGRAFT_EXPECTS(specs_.size() == models_.size() && sites.size() == models_.size());
    REGRAFT_EXPECTS(tree_.num_length_sets() == (linkage == BranchLinkage::unlinked ? models_.size() : 1));
    for (std::size_t q = 0; q < models_.size(); ++q) {
        partitions_.emplace_back(tree_, length_set(q), spec(q).num_states(),
                                 msa::state_masks(spec(q).alphabet, sites[q].sets), sites[q], options);
        site_models_.push_back(likelihood::site_model(spec(q), models_[q]));
        use_model(q);
    }
}

void DistributedLikelihood::set_model(std::size_t partition, Model model) {
    auto& current = models_[partition];
    bool const same_matrices = model.rates == current.rates && model.frequencies == current.frequencies;
    current = std::move(model);
    if (same_matrices) {
        likelihood::set_categories(site_models_[partition], spec(partition), current);
    } else {
        site_models_[partition] = likelihood::site_model(spec(partition), current);
    }
    use_model(partition);
}

void DistributedLikelihood::use_model(std::size_t partition) {
    ++changes_;
    partitions_[partition].set_model(site_models_[partition],
                                     linkage_ == BranchLinkage::scaled ? models_[partition].scaler : 1.0);
}

void DistributedLikelihood::set_length(HalfEdge h, double length, std::uint32_t set) {
    if (tree_.length(h, set) == length) return;
    ++changes_;
    tree_.set_length(h, length, set);
    note_change(h);
    note_change(tree_.back(h));
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        if (length_set(q) != set) continue;
        partitions_[q].invalidate_matrix(h);
        // A valid CLV depends only on valid ones, so the search for dependents ends where all are invalid already.
        invalidate_beyond(h, [&](HalfEdge g) { return partitions_[q].invalidate_clv(g); });
    }
}

msa::TreeUndo DistributedLikelihood::nni(HalfEdge h, std::uint32_t variant) {
    return touched(tree_.nni(h, variant));
}
msa::TreeUndo DistributedLikelihood::prune(HalfEdge h) {
    return touched(tree_.prune(h));
}
msa::TreeUndo DistributedLikelihood::regraft(HalfEdge h, HalfEdge edge) {
    return touched(tree_.regraft(h, edge));
}

void DistributedLikelihood::undo(msa::TreeUndo const& move) {
    tree_.undo(move);
    static_cast<void>(touched(move));
}

void DistributedLikelihood::set_tree(msa::Tree const& other) {
    undo(difference(tree_, other));
}

void DistributedLikelihood::update(msa::Tree& copy) {
    if (changed_.size() > tree_.num_half_edges() / 4) {
        copy = tree_;
    } else {
        copy.undo(tree_.remember(changed_));
    }
    changed_.clear();
    REGRAFT_ASSERT(copy == tree_);
}

void DistributedLikelihood::note_change(HalfEdge h) {
    if (changed_.size() <= tree_.num_half_edges() / 4) changed_.push_back(h);
}

double DistributedLikelihood::loglh(HalfEdge h) {
    std::array<FixedSum, 1> sum;
    for (auto& partition : partitions_) partition.add_loglh(h, sum[0]);
    all_reduce(sum);
    return sum[0].value(loglh_scale());
}

std::vector<double> DistributedLikelihood::partition_loglh() {
    std::vector<FixedSum> sums(partitions_.size());
    for (std::size_t q = 0; q < sums.size(); ++q) partitions_[q].add_loglh(0, sums[q]);
    return sum_over_ranks(sums);
}

std::vector<double> DistributedLikelihood::local_loglh(HalfEdge h, std::size_t partition) {
    FixedSum ignored;
    std::vector<double> result(partitions_[partition].num_patterns());
    partitions_[partition].add_loglh(h, ignored, result);
    return result;
}

std::vector<double> DistributedLikelihood::local_categories(HalfEdge h, std::size_t partition) {
    return partitions_[partition].category_posteriors(h);
}
std::vector<double> DistributedLikelihood::local_states(HalfEdge h, std::size_t partition) {
    return partitions_[partition].state_posteriors(h);
}

std::vector<double> DistributedLikelihood::trial_loglh(std::span<ModelTrial const> trials) {
    std::map<std::size_t, Model> before;
    std::vector<FixedSum> sums(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
        before.try_emplace(trials[i].partition, models_[trials[i].partition]);
        set_model(trials[i].partition, trials[i].model);
        partitions_[trials[i].partition].add_loglh(0, sums[i]);
    }
    for (auto& [partition, model] : before) set_model(partition, std::move(model));
    return sum_over_ranks(sums);
}

std::vector<double> DistributedLikelihood::category_shares(std::size_t partition) {
    auto const& model = site_models_[partition];
    std::vector<FixedSum> sums(model.categories.size() + (model.invariant > 0 ? 1 : 0));
    partitions_[partition].add_category_shares(0, sums);
    return sum_over_ranks(sums, partitions_[partition].share_scale());
}

void DistributedLikelihood::focus(HalfEdge h, std::size_t place) {
    for (auto& partition : partitions_) partition.focus(h, place);
}

void DistributedLikelihood::focus(HalfEdge h, Insertion const& insertion, std::size_t which, std::size_t place) {
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        partitions_[q].focus(insertion_of(h, insertion, q), which, place);
    }
}

std::vector<BranchValue> DistributedLikelihood::branch_values(std::span<std::size_t const> places,
                                                              std::span<double const> lengths) {
    auto const sets = tree_.num_length_sets();
    REGRAFT_EXPECTS(lengths.size() == places.size() * sets);
    std::vector<FixedSum> sums(3 * lengths.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t q = 0; q < partitions_.size(); ++q) {
            auto const at = i * sets + length_set(q);
            partitions_[q].add_derivatives(lengths[at], std::span(sums).subspan(3 * at).first<3>(), places[i]);
        }
    }
    all_reduce(sums);
    return to_branch_values(sums);
}

std::vector<BranchValue> DistributedLikelihood::edge_values(std::span<HalfEdge const> edges) {
    auto const sets = tree_.num_length_sets();
    std::vector<FixedSum> sums(3 * edges.size() * sets);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        for (std::size_t q = 0; q < partitions_.size(); ++q) {
            auto const set = length_set(q);
            auto const own = std::span(sums).subspan(3 * (i * sets + set)).first<3>();
            partitions_[q].focus(edges[i], 0);
            partitions_[q].add_derivatives(tree_.length(edges[i], set), own, 0);
        }
    }
    all_reduce(sums);
    return to_branch_values(sums);
}

Gradient DistributedLikelihood::gradient() {
    auto const sets = tree_.num_length_sets();
    std::vector<FixedSum> sums(sets + std::size_t{3} * tree_.num_edges() * sets);
    auto const derivatives = std::span(sums).subspan(sets);
    std::vector<FixedSum> part(std::size_t{3} * tree_.num_edges());
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        auto const set = length_set(q);
        partitions_[q].add_loglh(0, sums[set]);
        part.assign(part.size(), FixedSum());
        partitions_[q].add_all_derivatives(part);
        for (std::size_t i = 0; i < part.size(); ++i) derivatives[(i / 3 * sets + set) * 3 + i % 3].add(part[i]);
    }
    all_reduce(sums);
    Gradient result{{}, to_branch_values(derivatives)};
    for (std::uint32_t set = 0; set < sets; ++set) result.loglh.push_back(sums[set].value(loglh_scale()));
    return result;
}

Insertion DistributedLikelihood::insertion(HalfEdge h, HalfEdge target) const {
    auto const sets = tree_.num_length_sets();
    Insertion result{target, std::vector<double>(std::size_t{3} * sets)};
    for (std::uint32_t set = 0; set < sets; ++set) {
        result.lengths[set] = tree_.length(h, set);
        result.lengths[sets + set] = result.lengths[2 * sets + set] = tree_.length(target, set) / 2;
    }
    return result;
}

std::vector<double> DistributedLikelihood::score_insertions(HalfEdge h, std::span<Insertion const> insertions) {
    std::vector<FixedSum> sums(insertions.size());
    add_insertion_scores(h, insertions, sums);
    return sum_over_ranks(sums);
}

void DistributedLikelihood::add_insertion_scores(HalfEdge h, std::span<Insertion const> insertions,
                                                 std::span<FixedSum> sums) {
    for (std::size_t i = 0; i < insertions.size(); ++i) {
        for (std::size_t q = 0; q < partitions_.size(); ++q) {
            partitions_[q].add_insertion_loglh(insertion_of(h, insertions[i], q), sums[i]);
        }
    }
}

likelihood::Insertion DistributedLikelihood::insertion_of(HalfEdge h, Insertion const& insertion,
                                                          std::size_t partition) const {
    auto const sets = tree_.num_length_sets();
    auto const set = length_set(partition);
    auto const& lengths = insertion.lengths;
    return {h, insertion.target, {lengths[set], lengths[sets + set], lengths[2 * sets + set]}};
}

std::uint32_t DistributedLikelihood::length_set(std::size_t partition) const {
    return linkage_ == BranchLinkage::unlinked ? checked_cast<std::uint32_t>(partition) : 0;
}

template <class Invalidate>
void DistributedLikelihood::invalidate_beyond(HalfEdge h, Invalidate invalidate) {
    if (!tree_.is_connected(h)) return;
    std::vector<HalfEdge> seen_from{h, tree_.back(h)};
    while (!seen_from.empty()) {
        auto const x = seen_from.back();
        seen_from.pop_back();
        for (auto g = tree_.next(x); g != x; g = tree_.next(g)) {
            if (invalidate(g) && tree_.is_connected(g)) seen_from.push_back(tree_.back(g));
        }
    }
}

msa::TreeUndo DistributedLikelihood::touched(msa::TreeUndo move) {
    ++changes_;
    for (auto h : move.touched) {
        note_change(h);
        // An unconnected half-edge has no edge, but the CLVs at its node and beyond still change.
        auto const invalidate = [&](HalfEdge g) {
            // The search for dependents starts at each change, and between two changes dependencies are as they were.
            // So here, too, it may end where all CLVs are invalid already.
            bool any = false;
            for (auto& partition : partitions_) any = partition.invalidate_subtree(g) || any;
            return any;
        };
        if (tree_.is_connected(h)) {
            for (auto& partition : partitions_) partition.invalidate_matrix(h);
            invalidate_beyond(h, invalidate);
        } else {
            for (auto g = tree_.next(h); g != h; g = tree_.next(g)) {
                static_cast<void>(invalidate(g));
                if (tree_.is_connected(g)) invalidate_beyond(g, invalidate);
            }
        }
    }
    return move;
}

void DistributedLikelihood::all_reduce(std::span<FixedSum> sums) {
    if (reducer_ != nullptr) {
        reducer_->reduce(sums);
    } else {
        if (observer_ != nullptr) observer_->begin_reduction();
        ft::all_reduce(who_, sums);
        if (observer_ != nullptr) observer_->end_reduction();
    }
    ++evaluations_;
    if (!load_) return;
    for (auto& partition : partitions_) partition.use_threads(load_->threads());
}

void DistributedLikelihood::sum_over_ranks(std::span<std::int64_t> sums) {
    std::vector<std::uint64_t> all(sums.begin(), sums.end());  // modulo 2^64
    if (observer_ != nullptr) observer_->begin_reduction();
    ft::all_reduce(who_, std::span(all));
    if (observer_ != nullptr) observer_->end_reduction();
    ++evaluations_;
    std::ranges::transform(all, sums.begin(), [](std::uint64_t sum) { return static_cast<std::int64_t>(sum); });
}

void DistributedLikelihood::follow_load() {
    if (num_threads_ > 1) load_.emplace(num_threads_);
}

std::vector<BranchValue> DistributedLikelihood::to_branch_values(std::span<FixedSum const> sums) const {
    auto const scales = partitions_.front().derivative_scales();
    std::vector<BranchValue> result;
    for (std::size_t i = 0; i < sums.size(); i += 3) {
        result.push_back({sums[i].value(scales[0]), sums[i + 1].value(scales[1]), sums[i + 2].value(scales[2])});
    }
    return result;
}

std::vector<double> DistributedLikelihood::sum_over_ranks(std::span<FixedSum> sums, FixedScale const& scale) {
    all_reduce(sums);
    std::vector<double> result;
    for (auto const& sum : sums) result.push_back(sum.value(scale));
    return result;
}

}  // namespace regraft::search
