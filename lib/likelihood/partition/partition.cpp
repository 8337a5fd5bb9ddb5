#include "regraft/likelihood/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "likelihood/clvs/clvs.hpp"
#include "likelihood/clvs/own_systems.hpp"
#include "likelihood/clvs/site_classes.hpp"
#include "likelihood/clvs/threads.hpp"
#include "likelihood/clvs/tips.hpp"
#include "likelihood/kernels/aligned.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "likelihood/models/transitions.hpp"
#include "likelihood/partition/left_out.hpp"
#include "likelihood/partition/posteriors.hpp"
#include "likelihood/partition/root_values.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

using kernels::Blocks;
using msa::HalfEdge;

namespace {

/// Bounds of |log-likelihood| of a site per tip, and of derivatives. They are far above what occurs, so that strays are
/// rare.
constexpr double loglh_bound_per_tip = 64;
constexpr double slope_bound = 0x1p24;
constexpr double curvature_bound = 0x1p48;

/// The largest number of classes of sites that pays; 0 where sites that look alike differ by their frequencies, or
/// where memory is too short for classes.
std::size_t most_classes_for(std::uint32_t num_tips, std::size_t num_sites, PartitionOptions const& options) {
    if (options.own_frequencies) return 0;
    bool const is_short = options.num_slots > 0 && options.num_slots < least_slots(num_tips, true);
    return is_short ? 0 : most_classes(options.repeats, num_sites);
}

/// Whether the two models differ at most in the weights of their categories and in what never changes.
bool change_alike(SiteModel const& a, SiteModel const& b) {
    return a.systems == b.systems && a.exchangeabilities == b.exchangeabilities &&
           std::ranges::equal(a.categories, b.categories,
                              [](auto const& x, auto const& y) { return x.system == y.system && x.rate == y.rate; });
}

/// The room that a partition of this many tips gets.
Room room_for(std::uint32_t num_tips, bool has_classes, PartitionOptions const& options) {
    if (options.num_slots == 0) return enough_room(num_tips, has_classes);
    auto const most = std::size_t{3} * (num_tips - 2);
    auto const num_slots = std::min(most, std::max(options.num_slots, least_slots(num_tips, has_classes)));
    return {has_classes ? std::max(num_slots, enough_slots(num_tips)) : num_slots, num_slots};
}

}  // namespace

class Partition::Engine {
public:
    Engine(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
           Sites const& sites, PartitionOptions options)
        : tree_(&tree),
          length_set_(length_set),
          num_states_(num_states),
          threads_(options.num_threads),
          left_out_(num_states, sites),
          tips_(num_states, sets, sites, left_out_.num_patterns()),
          own_(own_systems(num_states, sites, options)),
          classes_(tree, tips_, most_classes_for(tree.num_tips(), tips_.num_sites(), options)),
          room_(room_for(tree.num_tips(), classes_.most() > 0, options)),
          weights_(make_aligned<std::int64_t>(padded_sites())),
          loglh_scale_(FixedScale::of(std::bit_ceil(tree.num_tips()) * loglh_bound_per_tip, options.total_weight)),
          derivative_scales_{loglh_scale_, FixedScale::of(slope_bound, options.total_weight),
                             FixedScale::of(curvature_bound, options.total_weight)},
          share_scale_(FixedScale::of(1, options.total_weight)),
          in_focus_(options.most_in_focus) {
        REGRAFT_EXPECTS(sites.rows.size() == tree.num_tips());
        REGRAFT_EXPECTS(num_states >= 2 && num_states <= 64);
        std::fill_n(weights_.get(), padded_sites(), 0);
        left_out_.put_weights(sites, weights_.get());
    }

    void use_threads(std::uint32_t num_threads) { threads_.use(num_threads); }

    void set_model(SiteModel model, double branch_scale) {
        REGRAFT_EXPECTS(model.num_states == num_states_);
        REGRAFT_EXPECTS(model.invariant == 0 || !left_out_.is_used());
        REGRAFT_EXPECTS(!own_ || (model.systems.size() == 1 && !model.exchangeabilities.empty()));
        if (own_) own_->set(model.exchangeabilities, threads_);
        auto const has_shape = shape().categories == model.categories.size();
        auto const keeps_clvs =
            change_alike(transitions_.model(), model) && transitions_.branch_scale() == branch_scale;
        transitions_.set(std::move(model), branch_scale, own_ ? own_->get() : nullptr);
        root_.set(transitions_.model(), tips_, own_ ? &*own_ : nullptr);
        if (keeps_clvs) return;
        if (has_shape) return clvs_->invalidate_all();
        updates_before_ = num_updates();
        clvs_.emplace(*tree_, length_set_, transitions_, tips_, classes_, threads_, room_);
        in_focus_ = std::vector<InFocus>(in_focus_.size());
    }

    bool invalidate_clv(HalfEdge h) { return clvs_->invalidate(h); }
    bool invalidate_subtree(HalfEdge h) {
        bool const was_known = clvs_->invalidate_subtree(h);
        return classes_.forget(h) || was_known;
    }
    void invalidate_matrix(HalfEdge h) { clvs_->invalidate_matrix(h); }

    void add_loglh(HalfEdge h, FixedSum& sum, double* per_site) {
        if (tips_.num_sites() == 0) return;
        auto const [near, far] = ends(h);
        Clvs::Pinned const near_clv(*clvs_, near);
        Clvs::Pinned const far_clv(*clvs_, far);
        add_edge_loglh(near, {far, clvs_->matrices(far)}, sum, per_site);
    }

    void add_insertion_loglh(Insertion const& insertion, FixedSum& sum) {
        if (tips_.num_sites() == 0) return;
        join(insertion, 0, [&](HalfEdge near, HalfEdge far) {
            add_edge_loglh(near, {far, clvs_->matrices(far, insertion.lengths[0])}, sum, nullptr);
        });
    }

    void focus(HalfEdge h, std::size_t place) {
        if (tips_.num_sites() == 0) return;
        auto const [near, far] = ends(h);
        Clvs::Pinned const near_clv(*clvs_, near);
        Clvs::Pinned const far_clv(*clvs_, far);
        make_table(near, far, place);
    }

    void focus(Insertion const& insertion, std::size_t which, std::size_t place) {
        if (tips_.num_sites() == 0) return;
        join(insertion, which, [&](HalfEdge near, HalfEdge far) { make_table(near, far, place); });
    }

    void add_derivatives(double t, std::span<FixedSum, 3> sums, std::size_t place) {
        if (tips_.num_sites() == 0) return;
        auto const& [table, scalers] = in_focus_[place];
        if (own_) return add_own_derivatives(table.get(), t, sums);
        auto const terms = transitions_.terms(t);
        clvs_->pending().reduce_blocks(sums, [&](Blocks blocks, std::span<FixedSum, 3> part) {
            kernels::add_derivatives(shape(), table.get(), terms.data(), root_.invariant(), weights_.get(),
                                     derivative_scales_, part, blocks);
        });
        if (left_out_.has_term()) left_out_.add_terms(shape(), {table.get(), scalers}, terms, derivative_scales_, sums);
    }

    void add_all_derivatives(std::span<FixedSum> sums) {
        REGRAFT_EXPECTS(sums.size() == std::size_t{3} * tree_->num_edges());
        if (tips_.num_sites() == 0) return;
        std::vector<char> seen(tree_->num_half_edges());
        for (auto const h : msa::preorder_edges(*tree_)) {
            focus(h, 0);
            add_derivatives(tree_->length(h, length_set_), sums.first<3>(), 0);
            sums = sums.subspan(3);
            // The second edge of a node is the last one that needs the CLVs that the node's three half-edges see
            // across.
            seen[h] = 1;
            auto const a = tree_->next(h);
            auto const b = tree_->next(a);
            if (seen[a] == 0 && seen[b] == 0) continue;
            for (auto const g : {h, a, b}) clvs_->give_up(tree_->back(g));
        }
    }

    std::vector<double> category_posteriors(HalfEdge h) {
        if (num_patterns() == 0) return {};
        return likelihood::category_posteriors(joint(ends(h)));
    }

    std::vector<double> state_posteriors(HalfEdge h) {
        REGRAFT_EXPECTS(!tree_->is_tip(h));
        if (num_patterns() == 0) return {};
        return likelihood::state_posteriors(joint({h, tree_->back(h)}));
    }

    void add_category_shares(HalfEdge h, std::span<FixedSum> sums) {
        auto const posteriors = category_posteriors(h);
        auto const* const weights = weights_.get() + num_constant();
        for (std::size_t i = 0; i < posteriors.size(); ++i) {
            auto const weight = static_cast<std::uint32_t>(weights[i / sums.size()]);
            sums[i % sums.size()].add(posteriors[i], weight, share_scale_);
        }
    }

    FixedScale const& share_scale() const { return share_scale_; }
    FixedScale const& loglh_scale() const { return loglh_scale_; }
    std::span<FixedScale const, 3> derivative_scales() const { return derivative_scales_; }
    std::uint64_t num_updates() const { return updates_before_ + (clvs_ ? clvs_->num_updates() : 0); }
    std::size_t num_constant() const { return left_out_.num_patterns(); }
    std::size_t num_patterns() const { return tips_.num_sites() - num_constant(); }
    std::size_t padded_sites() const { return tips_.padded_sites(); }

private:
    struct Ends {
        HalfEdge near;
        HalfEdge far;
    };
    /// The end that counts as near must not depend on the caller. The higher half-edge is inner.
    Ends ends(HalfEdge h) const { return {std::max(h, tree_->back(h)), std::min(h, tree_->back(h))}; }
    kernels::Shape const& shape() const { return transitions_.shape(); }

    /// Calls f(near, far) for the ends of an edge at an insertion's node, while both CLVs are pinned.
    template <class Function>
    void join(Insertion const& insertion, std::size_t which, Function f) {
        auto const at = tree_->next(insertion.h);
        std::array const near{insertion.h, at, tree_->next(at)};
        std::array const far{tree_->back(insertion.h), insertion.target, tree_->back(insertion.target)};
        Clvs::Pinned const subtree_clv(*clvs_, far[0]);
        Clvs::Pinned const target_clv(*clvs_, far[1]);
        Clvs::Pinned const other_clv(*clvs_, far[2]);
        auto const left = (which + 1) % 3;
        auto const right = (which + 2) % 3;
        clvs_->join(near[which], {far[left], insertion.lengths[left]}, {far[right], insertion.lengths[right]});
        // The bits are those that the tree would have after this insertion.
        f(std::max(near[which], far[which]), std::min(near[which], far[which]));
        clvs_->cut(near[which]);
    }

    /// The likelihoods of categories and states at near's node, in the table of place 0.
    JointLikelihoods joint(Ends edge) {
        Clvs::Pinned const near_clv(*clvs_, edge.near);
        Clvs::Pinned const far_clv(*clvs_, edge.far);
        auto* const table = table_at(0);
        auto const sides = clvs_->sides({edge.near, nullptr}, {edge.far, clvs_->matrices(edge.far)});
        clvs_->pending().for_blocks([&](Blocks blocks) {
            kernels::make_products(shape(), sides.left, sides.right, root_.invariant(), table, blocks);
        });
        return {shape(), table, root_, num_constant(), tips_.num_sites()};
    }

    static std::optional<OwnSystems> own_systems(std::uint32_t num_states, Sites const& sites,
                                                 PartitionOptions& options) {
        options.own_frequencies = !sites.frequencies.empty();
        if (!options.own_frequencies) return std::nullopt;
        REGRAFT_EXPECTS(sites.frequencies.size() == sites.weights.size() * num_states);
        REGRAFT_EXPECTS(sites.ascertainment == Ascertainment::none);
        return OwnSystems(num_states, sites.frequencies);
    }

    void add_own_derivatives(double const* table, double t, std::span<FixedSum, 3> sums) {
        auto const terms = transitions_.own_terms(t);
        clvs_->pending().reduce_blocks(sums, [&](Blocks blocks, std::span<FixedSum, 3> part) {
            kernels::add_site_derivatives(shape(), table, terms, root_.invariant(), weights_.get(), derivative_scales_,
                                          part, blocks);
        });
    }

    double* table_at(std::size_t place) {
        REGRAFT_EXPECTS(place < in_focus_.size());
        auto& table = in_focus_[place].table;
        if (table == nullptr) table = make_aligned<double>(tips_.num_blocks() * shape().block_size());
        return table.get();
    }

    /// Precondition: both ends are pinned.
    void make_table(HalfEdge near, HalfEdge far, std::size_t place) {
        auto* const table = table_at(place);
        auto const sides = clvs_->sides({near, transitions_.inverses()}, {far, transitions_.inverses()});
        clvs_->pending().for_blocks([&](Blocks blocks) {
            kernels::make_table(shape(), sides.left, sides.right, root_.invariant(), table, blocks);
        });
        if (left_out_.has_term()) in_focus_[place].scalers = left_out_.scalers(shape(), sides.left, sides.right);
    }

    /// Precondition: both ends are pinned.
    void add_edge_loglh(HalfEdge near, Sides::End far, FixedSum& sum, double* per_site) {
        auto const sides = clvs_->sides({near, nullptr}, far);
        if (left_out_.has_term() && per_site == nullptr) {
            per_site_.resize(padded_sites());
            per_site = per_site_.data();
        }
        clvs_->pending().reduce_blocks(std::span<FixedSum, 1>(&sum, 1),
                                       [&](Blocks blocks, std::span<FixedSum, 1> part) {
                                           kernels::add_loglh(shape(), sides.left, sides.right, root_.root(),
                                                              weights_.get(), loglh_scale_, part[0], per_site, blocks);
                                       });
        if (left_out_.has_term()) left_out_.add_term({per_site, num_constant()}, loglh_scale_, sum);
    }

    msa::Tree const* tree_;
    std::uint32_t length_set_;
    std::uint32_t num_states_;
    Threads threads_;
    LeftOut left_out_;
    Tips tips_;
    std::optional<OwnSystems> own_;  // of sites with frequencies of their own
    SiteClasses classes_;
    Room room_;
    Aligned<std::int64_t> weights_;
    FixedScale loglh_scale_;
    std::array<FixedScale, 3> derivative_scales_;
    FixedScale share_scale_;

    Transitions transitions_;
    RootValues root_;
    std::optional<Clvs> clvs_;          // for the model's number of categories
    std::uint64_t updates_before_ = 0;  // those for other numbers of categories
    struct InFocus {
        Aligned<double> table;
        std::vector<std::uint32_t> scalers;  // of the constant patterns, for sites that were left out
    };
    std::vector<InFocus> in_focus_;
    std::vector<double> per_site_;  // memory that is used again
};

Partition::Partition(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
                     Sites const& sites, PartitionOptions const& options)
    : engine_(std::make_unique<Engine>(tree, length_set, num_states, sets, sites, options)) {}
Partition::Partition(Partition&&) noexcept = default;
Partition& Partition::operator=(Partition&&) noexcept = default;
Partition::~Partition() = default;

std::size_t Partition::least_slots(std::uint32_t num_tips, Repeats repeats) {
    return likelihood::least_slots(num_tips, repeats != Repeats::off);
}

std::uint64_t Partition::bytes(std::uint32_t num_tips, std::uint64_t num_patterns, std::uint32_t num_states,
                               std::uint32_t num_categories, PartitionOptions const& options) {
    constexpr std::size_t most_sets = 32;  // number of state sets of amino acids
    kernels::Shape const shape{num_states, num_categories};
    auto const clv = shape.block_size() * sizeof(double) + shape.block_scalers() * sizeof(std::uint16_t);
    auto const tables = options.most_in_focus * shape.block_size() * sizeof(double);
    auto const matrices =
        (std::uint64_t{2} * num_tips - 3 + EdgeMatrices::scratches) * shape.matrices_size() * sizeof(double);
    auto const code = kernels::has_masks(num_states) ? sizeof(std::uint8_t) : sizeof(std::uint32_t);
    auto const of_site = num_tips * code + sizeof(std::int64_t) + sizeof(std::uint64_t) + sizeof(double);
    auto const most = most_classes_for(num_tips, num_patterns, options);
    auto const num_sets = kernels::has_masks(num_states) ? 0 : most_sets;
    auto const sides = bytes_for_sides(shape, most, num_patterns, num_sets);
    auto const classes = SiteClasses::bytes(num_tips, num_patterns, most);
    auto const clvs = room_for(num_tips, most > 0, options).num_full * clv;
    auto const own = options.own_frequencies ? OwnSystems::bytes_per_site(num_states) : 0;
    return kernels::blocks_for(num_patterns) * (clvs + tables + (own + of_site) * kernels::block_sites) + matrices +
           sides + classes;
}

std::size_t Partition::num_patterns() const {
    return engine_->num_patterns();
}
void Partition::use_threads(std::uint32_t num_threads) {
    engine_->use_threads(num_threads);
}
void Partition::set_model(SiteModel model, double branch_scale) {
    engine_->set_model(std::move(model), branch_scale);
}
bool Partition::invalidate_clv(HalfEdge h) {
    return engine_->invalidate_clv(h);
}
bool Partition::invalidate_subtree(HalfEdge h) {
    return engine_->invalidate_subtree(h);
}
void Partition::invalidate_matrix(HalfEdge h) {
    engine_->invalidate_matrix(h);
}
FixedScale const& Partition::loglh_scale() const {
    return engine_->loglh_scale();
}
std::span<FixedScale const, 3> Partition::derivative_scales() const {
    return engine_->derivative_scales();
}
void Partition::add_loglh(HalfEdge h, FixedSum& sum) {
    engine_->add_loglh(h, sum, nullptr);
}
void Partition::add_loglh(HalfEdge h, FixedSum& sum, std::span<double> per_pattern) {
    REGRAFT_EXPECTS(per_pattern.size() == engine_->num_patterns());
    std::vector<double> padded(engine_->padded_sites());
    engine_->add_loglh(h, sum, padded.data());
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(engine_->num_constant()), per_pattern.size(),
                per_pattern.begin());
}
void Partition::add_insertion_loglh(Insertion const& insertion, FixedSum& sum) {
    engine_->add_insertion_loglh(insertion, sum);
}
void Partition::focus(HalfEdge h, std::size_t place) {
    engine_->focus(h, place);
}
void Partition::focus(Insertion const& insertion, std::size_t which, std::size_t place) {
    engine_->focus(insertion, which, place);
}
void Partition::add_derivatives(double t, std::span<FixedSum, 3> sums, std::size_t place) {
    engine_->add_derivatives(t, sums, place);
}
void Partition::add_all_derivatives(std::span<FixedSum> sums) {
    engine_->add_all_derivatives(sums);
}
std::vector<double> Partition::category_posteriors(HalfEdge h) {
    return engine_->category_posteriors(h);
}
FixedScale const& Partition::share_scale() const {
    return engine_->share_scale();
}
void Partition::add_category_shares(HalfEdge h, std::span<FixedSum> sums) {
    engine_->add_category_shares(h, sums);
}
std::vector<double> Partition::state_posteriors(HalfEdge h) {
    return engine_->state_posteriors(h);
}
std::uint64_t Partition::num_updates() const {
    return engine_->num_updates();
}

}  // namespace regraft::likelihood
