#include "regraft/likelihood/partition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "likelihood/ascertainment.hpp"
#include "likelihood/kernels.hpp"
#include "likelihood/repeats.hpp"
#include "likelihood/slots.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

using kernels::Blocks;
using kernels::Side;
using msa::HalfEdge;

namespace {

/// Bounds of |log-likelihood| of a site per tip, and of derivatives. They are far above what occurs, so that strays are
/// rare.
constexpr double loglh_bound_per_tip = 64;
constexpr double slope_bound = 0x1p24;
constexpr double curvature_bound = 0x1p48;

/// Number of likelihoods of a CLV that are computed at once: those of several nodes fit into a second-level cache.
constexpr std::size_t chunk_size = 32768;

/// Rows are made before pending CLVs are computed; their size is limited to that of a chunk, or to rows of this many
/// sides.
constexpr std::size_t sides_at_once = 4;

/// Slots beyond one per inner node: enough for the ways in which a search goes back and forth.
constexpr std::size_t spare_slots = 16;
std::size_t enough_slots(std::size_t num_inner) {
    return std::min(3 * num_inner, num_inner + spare_slots);
}

/// The largest number of classes that pays for this number of sites.
std::size_t most_classes(Repeats repeats, std::size_t num_sites) {
    switch (repeats) {
        case Repeats::automatic:
            return num_sites / 2;
        case Repeats::everywhere:
            return num_sites == 0 ? 0 : num_sites - 1;
        case Repeats::off:
            break;
    }
    return 0;
}

std::size_t blocks_for(std::size_t num_sites) {
    return (num_sites + kernels::block_sites - 1) / kernels::block_sites;
}

/// The number of constant patterns: one per state, in front of the others, if sites that never change were left out.
std::size_t num_constant_patterns(std::uint32_t num_states, Sites const& sites) {
    bool const are_needed =
        sites.ascertainment != Ascertainment::none && sites.weights.size() + sites.left_out.size() > 0;
    return are_needed ? num_states : 0;
}

/// Weight of the correction term that is added to the sum.
std::uint32_t correction_weight(Sites const& sites) {
    switch (sites.ascertainment) {
        case Ascertainment::lewis:
            return checked_cast<std::uint32_t>(
                std::accumulate(sites.weights.begin(), sites.weights.end(), std::uint64_t{0}));
        case Ascertainment::felsenstein:
            return sites.left_out.empty() ? 0 : sites.left_out[0];
        case Ascertainment::none:
        case Ascertainment::stamatakis:  // its constant patterns count like others
            break;
    }
    return 0;
}

/// The rows of all tips: masks of their state sets, or classes, which are numbers of these sets.
class Tips {
public:
    Tips(std::uint32_t num_states, StateSets const& sets, Sites const& sites)
        : num_constant_(num_constant_patterns(num_states, sites)),
          size_(blocks_for(num_constant_ + sites.weights.size()) * kernels::block_sites) {
        // Undetermined sites fill the last block, so that no special cases are needed.
        auto const all = msa::all_states(num_states);
        if (kernels::has_masks(num_states)) {
            masks_.assign(sites.rows.size() * size_, static_cast<std::uint8_t>(all));
            fill(sites, sets, masks_, [](std::uint64_t set) { return static_cast<std::uint8_t>(set); });
        } else {
            classes_.assign(sites.rows.size() * size_, class_of(all));
            fill(sites, sets, classes_, [&](std::uint64_t set) { return class_of(set); });
        }
    }

    bool have_masks() const { return !masks_.empty(); }
    std::uint8_t const* masks(std::size_t tip) const { return &masks_[tip * size_]; }
    std::uint32_t const* classes(std::size_t tip) const { return &classes_[tip * size_]; }
    std::uint32_t code(std::size_t tip, std::size_t site) const {
        return have_masks() ? masks_[tip * size_ + site] : classes_[tip * size_ + site];
    }
    std::uint64_t set(std::size_t tip, std::size_t site) const {
        return have_masks() ? masks_[tip * size_ + site] : sets_[classes_[tip * size_ + site]];
    }
    /// The state sets of the classes.
    std::span<std::uint64_t const> sets() const { return sets_; }

private:
    template <class Code, class CodeOf>
    void fill(Sites const& sites, StateSets const& sets, std::vector<Code>& codes, CodeOf code_of) {
        for (std::size_t tip = 0; tip < sites.rows.size(); ++tip) {
            REGRAFT_EXPECTS(sites.rows[tip].size() == sites.weights.size());
            auto next = codes.begin() + static_cast<std::ptrdiff_t>(tip * size_);
            for (std::size_t state = 0; state < num_constant_; ++state) *next++ = code_of(std::uint64_t{1} << state);
            for (auto const character : sites.rows[tip]) {
                auto const set = sets[static_cast<unsigned char>(character)];
                REGRAFT_EXPECTS(set != 0);
                *next++ = code_of(set);
            }
        }
    }

    std::uint32_t class_of(std::uint64_t set) {
        auto const known = std::find(sets_.begin(), sets_.end(), set);
        auto const number = static_cast<std::uint32_t>(known - sets_.begin());
        if (known == sets_.end()) sets_.push_back(set);
        return number;
    }

    std::size_t num_constant_;
    std::size_t size_;
    std::vector<std::uint64_t> sets_;
    std::vector<std::uint8_t> masks_;
    std::vector<std::uint32_t> classes_;
};

/// Memory that is handed out piece by piece, and freed all at once.
class SideMemory {
public:
    SideMemory() = default;
    explicit SideMemory(std::size_t bytes) : memory_(make_aligned<std::byte>(bytes)), size_(bytes) {}

    template <class T>
    static constexpr std::size_t bytes(std::size_t count) {
        constexpr auto alignment = static_cast<std::size_t>(AlignedDelete<T>::alignment);
        return (count * sizeof(T) + alignment - 1) / alignment * alignment;
    }

    std::size_t used() const { return used_; }
    std::size_t room() const { return size_ - used_; }
    /// Memory that is not initialised. Precondition: there is room.
    template <class T>
    std::span<T> take(std::size_t count) {
        REGRAFT_EXPECTS(bytes<T>(count) <= room());
        auto* const begin = reinterpret_cast<T*>(memory_.get() + std::exchange(used_, used_ + bytes<T>(count)));
        return {begin, count};
    }
    void give_back(std::size_t used = 0) { used_ = used; }

private:
    Aligned<std::byte> memory_;
    std::size_t size_ = 0;
    std::size_t used_ = 0;
};

/// Bytes of the rows of num_classes classes of the sites, or of tips with num_sets sets.
std::size_t bytes_of_rows(kernels::Shape shape, std::size_t num_classes, std::size_t num_sites, std::size_t num_sets) {
    auto const row = shape.categories * shape.stride();
    auto const of_tip = SideMemory::bytes<double>(num_sets * row);
    if (num_classes == 0) return of_tip;
    auto const of_classes = SideMemory::bytes<double>(blocks_for(num_classes) * kernels::block_sites * row) +
                            SideMemory::bytes<std::uint16_t>(blocks_for(num_sites) * shape.block_scalers());
    return std::max(of_tip, of_classes);
}
/// Number of bytes that suffice if a side needs at most `most` bytes.
std::size_t enough_for_rows(std::size_t most) {
    return most == 0 ? 0 : std::max(chunk_size * sizeof(double), sides_at_once * most);
}

}  // namespace

class Partition::Engine {
public:
    Engine(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
           Sites const& sites, PartitionOptions const& options)
        : tree_(&tree),
          length_set_(length_set),
          options_(options),
          tips_(num_states, sets, sites),
          ascertainment_(sites.ascertainment),
          num_constant_(num_constant_patterns(num_states, sites)),
          correction_weight_(correction_weight(sites)),
          num_sites_(num_constant_ + sites.weights.size()),
          num_blocks_(blocks_for(num_sites_)),
          weights_(make_aligned<std::int64_t>(padded_sites())),
          loglh_scale_(FixedScale::of(std::bit_ceil(tree.num_tips()) * loglh_bound_per_tip, options.total_weight)),
          derivative_scales_{loglh_scale_, FixedScale::of(slope_bound, options.total_weight),
                             FixedScale::of(curvature_bound, options.total_weight)} {
        REGRAFT_EXPECTS(sites.rows.size() == tree.num_tips());
        REGRAFT_EXPECTS(num_states >= 2 && num_states <= 64);
        REGRAFT_EXPECTS(options.num_threads >= 1);
        shape_.states = num_states;
        std::fill_n(weights_.get(), padded_sites(), 0);
        std::copy(sites.weights.begin(), sites.weights.end(), weights_.get() + num_constant_);
        if (ascertainment_ == Ascertainment::stamatakis) {
            REGRAFT_EXPECTS(sites.left_out.empty() || sites.left_out.size() == num_states);
            std::copy(sites.left_out.begin(), sites.left_out.end(), weights_.get());
        }
    }

    void use_threads(std::uint32_t num_threads) {
        REGRAFT_EXPECTS(num_threads >= 1);
        options_.num_threads = num_threads;
    }

    // --- models and what they invalidate

    void set_model(SiteModel model, double branch_scale) {
        REGRAFT_EXPECTS(model.num_states == shape_.states);
        REGRAFT_EXPECTS(model.systems.size() == 1 || model.systems.size() == model.categories.size());
        REGRAFT_EXPECTS(model.invariant == 0 || ascertainment_ == Ascertainment::none);
        branch_scale_ = branch_scale;
        model_ = std::move(model);
        if (model_.categories.size() != shape_.categories) resize(model_.categories.size());
        prepare_systems();
        prepare_root();
        slots_.invalidate_all();
        std::fill(matrix_valid_.begin(), matrix_valid_.end(), 0);
    }

    bool invalidate_clv(HalfEdge h) { return slots_.invalidate(h); }
    bool invalidate_subtree(HalfEdge h) {
        bool const was_valid = invalidate_clv(h);
        return std::exchange(alike_[h].known, Known::nothing) != Known::nothing || was_valid;
    }
    void invalidate_matrix(HalfEdge h) { matrix_valid_[matrix_number(h)] = 0; }

    // --- questions

    void add_loglh(HalfEdge h, FixedSum& sum, double* per_site) {
        if (num_sites_ == 0) return;
        // The end that counts as near must not depend on the caller. The higher half-edge is inner.
        auto const near = std::max(h, tree_->back(h));
        auto const far = std::min(h, tree_->back(h));
        Pinned const near_clv(*this, near);
        Pinned const far_clv(*this, far);
        add_edge_loglh(near, far, matrix(far), sum, per_site);
    }

    void add_insertion_loglh(HalfEdge h, HalfEdge target, FixedSum& sum) {
        if (num_sites_ == 0) return;
        auto const subtree = tree_->back(h);
        auto const other = tree_->back(target);
        Pinned const subtree_clv(*this, subtree);
        Pinned const target_clv(*this, target);
        Pinned const other_clv(*this, other);
        slots_.invalidate(h);
        slots_.take(h, num_blocks_);
        fill_matrix(scratch_matrix_.get(), length(target) / 2);
        combine(h, target, scratch_matrix_.get(), other, scratch_matrix_.get());
        add_edge_loglh(std::max(h, subtree), std::min(h, subtree), matrix(h), sum, nullptr);
        slots_.release(h);
        slots_.invalidate(h);  // it holds the CLV that h would have if it were grafted there
    }

    void focus(HalfEdge h) {
        if (num_sites_ == 0) return;
        auto const near = std::max(h, tree_->back(h));
        auto const far = std::min(h, tree_->back(h));
        Pinned const near_clv(*this, near);
        Pinned const far_clv(*this, far);
        if (table_ == nullptr) table_ = make_aligned<double>(num_blocks_ * shape_.block_size());
        make_room({near, far});
        auto const near_side = side(near, inverses_.get());
        auto const far_side = side(far, inverses_.get());
        for_blocks([&](Blocks blocks) {
            kernels::make_table(shape_, near_side, far_side, invariant(), table_.get(), blocks);
        });
        if (correction_weight_ > 0) find_constant_scalers(near_side, far_side);
    }

    void add_derivatives(double t, std::span<FixedSum, 3> sums) {
        if (num_sites_ == 0) return;
        auto const size = shape_.categories * shape_.states;
        terms_.resize(3 * size);
        for (std::size_t i = 0; i < size; ++i) terms_[i] = exponents_[i] * t;
        kernels::exponentials(std::span(terms_).first(size));
        for (std::size_t i = 0; i < size; ++i) {
            terms_[i] *= model_.categories[i / shape_.states].weight;
            terms_[size + i] = exponents_[i] * terms_[i];
            terms_[2 * size + i] = exponents_[i] * terms_[size + i];
        }
        reduce_blocks(sums, [&](Blocks blocks, std::span<FixedSum, 3> part) {
            kernels::add_derivatives(shape_, table_.get(), terms_.data(), invariant(), weights_.get(),
                                     derivative_scales_, part, blocks);
        });
        if (correction_weight_ == 0) return;
        auto const terms = correction(ascertainment_, unchanging_in_focus());
        for (std::size_t order = 0; order < terms.size(); ++order)
            sums[order].add(terms[order], correction_weight_, derivative_scales_[order]);
    }

    void add_all_derivatives(std::span<FixedSum> sums) {
        REGRAFT_EXPECTS(sums.size() == std::size_t{3} * tree_->num_edges());
        if (num_sites_ == 0) return;
        std::vector<char> seen(tree_->num_half_edges());
        for (auto const h : msa::preorder_edges(*tree_)) {
            focus(h);
            add_derivatives(tree_->length(h, length_set_), sums.first<3>());
            sums = sums.subspan(3);
            // The second edge of a node is the last one that needs the CLVs that the node's three half-edges see
            // across.
            seen[h] = 1;
            auto const a = tree_->next(h);
            auto const b = tree_->next(a);
            if (seen[a] == 0 && seen[b] == 0) continue;
            for (auto const g : {h, a, b}) slots_.give_up(tree_->back(g));
        }
    }

    FixedScale const& loglh_scale() const { return loglh_scale_; }
    std::span<FixedScale const, 3> derivative_scales() const { return derivative_scales_; }
    std::uint64_t num_updates() const { return num_updates_; }
    std::size_t num_constant() const { return num_constant_; }
    std::size_t num_patterns() const { return num_sites_ - num_constant_; }
    std::size_t padded_sites() const { return num_blocks_ * kernels::block_sites; }

private:
    /// Plans the computation of a CLV if it is invalid, and pins it as long as this object lives.
    class Pinned {
    public:
        Pinned(Engine& engine, HalfEdge h) : engine_(engine), h_(h) {
            if (!engine_.is_tip(h)) engine_.update_and_pin(h);
        }
        Pinned(Pinned const&) = delete;
        Pinned& operator=(Pinned const&) = delete;
        ~Pinned() { engine_.release(h_); }

    private:
        Engine& engine_;
        HalfEdge h_;
    };

    bool is_tip(HalfEdge h) const { return tree_->is_tip(h); }
    HalfEdge matrix_number(HalfEdge h) const { return std::min(h, tree_->back(h)); }
    double length(HalfEdge h) const { return tree_->length(h, length_set_) * branch_scale_; }
    double const* invariant() const { return model_.invariant > 0 ? invariant_.get() : nullptr; }
    Eigensystem const& system(std::size_t category) const { return model_.systems[model_.categories[category].system]; }

    // --- preparations

    /// Finds the states that all tips of a site may have.
    void find_constant_sites() {
        constant_.assign(padded_sites(), 0);
        std::fill_n(constant_.begin(), num_sites_, msa::all_states(static_cast<std::uint32_t>(shape_.states)));
        for (HalfEdge tip = 0; tip < tree_->num_tips(); ++tip) {
            for (std::size_t i = 0; i < num_sites_; ++i) constant_[i] &= tips_.set(tip, i);
        }
    }

    void resize(std::size_t categories) {
        shape_.categories = categories;
        auto const half_edges = tree_->num_half_edges();
        auto const num_inner = tree_->num_nodes() - tree_->num_tips();
        auto const wanted = options_.num_slots == 0 ? enough_slots(num_inner) : options_.num_slots;
        auto const num_slots = std::min<std::size_t>(3 * num_inner, std::max(wanted, least_slots(tree_->num_tips())));
        slots_ = Slots(num_slots * num_blocks_, half_edges, shape_.block_size(), shape_.block_scalers());
        every_node_has_a_slot_ = num_slots >= enough_slots(num_inner);
        repeats_ = every_node_has_a_slot_ ? options_.repeats : Repeats::off;
        matrices_.clear();
        matrices_.resize(half_edges);
        matrix_valid_.assign(half_edges, 0);
        scratch_matrix_ = make_aligned<double>(shape_.matrices_size());
        inverses_ = make_aligned<double>(shape_.matrices_size());
        table_.reset();
        alike_.resize(half_edges);
        auto const most = bytes_of_rows(shape_, most_classes(repeats_, num_sites_), num_sites_, tips_.sets().size());
        side_memory_ = SideMemory(enough_for_rows(most));
    }

    void prepare_systems() {
        auto const n = shape_.states;
        auto const stride = shape_.stride();
        columns_.assign(model_.systems.size() * n * stride, 0);
        for (std::size_t s = 0; s < model_.systems.size(); ++s) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t k = 0; k < n; ++k)
                    columns_[(s * n + k) * stride + i] = model_.systems[s].vectors[i * n + k];
            }
        }
        std::fill_n(inverses_.get(), shape_.matrices_size(), 0.0);
        exponents_.clear();
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            auto const& eigen = system(c);
            for (std::size_t k = 0; k < n; ++k) {
                exponents_.push_back(eigen.values[k] * model_.categories[c].rate * branch_scale_);
                for (std::size_t j = 0; j < n; ++j) {
                    inverses_[c * shape_.matrix_size() + j * stride + k] = eigen.inverse[k * n + j];
                }
            }
        }
    }

    void prepare_root() {
        frequencies_.clear();
        category_weights_.clear();
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            auto const& frequencies = system(c).frequencies;
            frequencies_.insert(frequencies_.end(), frequencies.begin(), frequencies.end());
            category_weights_.push_back(model_.categories[c].weight);
        }
        if (model_.invariant == 0) return;
        if (constant_.empty()) find_constant_sites();
        if (invariant_ == nullptr) invariant_ = make_aligned<double>(padded_sites());
        auto const frequencies = mean_frequencies();
        for (std::size_t i = 0; i < padded_sites(); ++i) {
            double sum = 0;
            for (std::size_t state = 0; state < shape_.states; ++state) {
                if ((constant_[i] >> state & 1) != 0) sum += frequencies[state];
            }
            invariant_[i] = model_.invariant * sum;
        }
    }

    /// The mean over the categories, which all share the same proportion of sites that never change.
    std::vector<double> mean_frequencies() const {
        if (model_.systems.size() == 1) return model_.systems[0].frequencies;
        std::vector<double> mean(shape_.states, 0);
        double weight = 0;
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            weight += category_weights_[c];
            for (std::size_t i = 0; i < shape_.states; ++i) {
                mean[i] += category_weights_[c] * frequencies_[c * shape_.states + i];
            }
        }
        for (auto& frequency : mean) frequency /= weight;
        return mean;
    }

    // --- sites that were left out

    /// Finds the divisor of the table per constant pattern: 2^(256 * scaler).
    void find_constant_scalers(Side const& near, Side const& far) {
        constexpr auto width = kernels::block_sites;
        constant_scalers_.assign(num_constant_, std::numeric_limits<std::uint32_t>::max());
        auto const scaler = [](Side const& side, std::size_t place) -> std::uint32_t {
            return side.scalers == nullptr ? 0 : side.scalers[place];
        };
        for (std::size_t i = 0; i < num_constant_; ++i) {
            for (std::size_t c = 0; c < shape_.categories; ++c) {
                auto const place = (i / width * shape_.categories + c) * width + i % width;
                constant_scalers_[i] = std::min(constant_scalers_[i], scaler(near, place) + scaler(far, place));
            }
        }
    }

    Unchanging unchanging_in_focus() const {
        constexpr double ln2_256 = 256 * std::numbers::ln2;
        auto const least = *std::min_element(constant_scalers_.begin(), constant_scalers_.end());
        auto const size = shape_.categories * shape_.states;
        Unchanging all{.log_scale = -ln2_256 * least};
        for (std::size_t i = 0; i < num_constant_; ++i) {
            auto const* x = &table_[i / kernels::block_sites * shape_.block_size() + i % kernels::block_sites];
            auto const sum = [&](std::size_t order) {
                double total = 0;
                for (std::size_t k = 0; k < size; ++k) total += terms_[order * size + k] * x[k * kernels::block_sites];
                return std::ldexp(total, -256 * static_cast<int>(std::min(constant_scalers_[i] - least, 8U)));
            };
            all.probability += std::max(sum(0), 0.0);
            all.first += sum(1);
            all.second += sum(2);
        }
        return all;
    }

    // --- matrices

    void fill_matrix(double* out, double t) {
        auto const n = shape_.states;
        auto const size = shape_.categories * n;
        factors_.resize(size);
        diagonals_.assign(blocks_for(size) * kernels::block_sites, 0);
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            auto const& values = system(c).values;
            for (std::size_t k = 0; k < n; ++k) factors_[c * n + k] = values[k] * model_.categories[c].rate * t;
            // In a short time little changes: beside the 1 for no change, much of it would be lost.
            if (factors_[c * n + n - 1] > -1) std::fill_n(&diagonals_[c * n], n, 1);
        }
        kernels::exponentials_minus(factors_, diagonals_.data());
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            kernels::transition(shape_, &columns_[model_.categories[c].system * n * shape_.stride()],
                                system(c).inverse.data(), &factors_[c * n], diagonals_[c * n],
                                out + c * shape_.matrix_size());
        }
    }

    double const* matrix(HalfEdge h) {
        auto const number = matrix_number(h);
        auto& matrix = matrices_[number];
        if (matrix_valid_[number] != 0) return matrix.get();
        if (matrix == nullptr) matrix = make_aligned<double>(shape_.matrices_size());
        fill_matrix(matrix.get(), length(h));
        matrix_valid_[number] = 1;
        return matrix.get();
    }

    // --- sides

    /// The set of a tip, or the class of an inner half-edge h, for each of a number of sites or classes.
    struct Codes {
        std::uint8_t const* masks = nullptr;
        std::uint32_t const* classes = nullptr;
        std::size_t count = 0;
    };

    /// The side of h for all sites.
    Side side(HalfEdge h, double const* matrices) {
        if (has_all_sites(h)) {
            Side side;
            side.clv = slots_[h].values;
            side.scalers = slots_[h].scalers;
            side.matrices = matrices;
            return side;
        }
        return side(h, matrices, codes_of_sites(h));
    }

    Codes codes_of_sites(HalfEdge h) const {
        if (!is_tip(h)) return {.classes = alike_[h].of_site.data(), .count = padded_sites()};
        if (tips_.have_masks()) return {.masks = tips_.masks(h), .count = padded_sites()};
        return {.classes = tips_.classes(h), .count = padded_sites()};
    }

    /// The side of h for sites or classes given by codes; the likelihoods of h are not those of all sites.
    Side side(HalfEdge h, double const* matrices, Codes const& codes) {
        Side side;
        side.masks = codes.masks;
        side.classes = codes.classes;
        side.matrices = matrices;
        if (codes.masks != nullptr) return side;
        if (is_tip(h)) {
            side.num_classes = tips_.sets().size();
            side.rows = tip_rows(matrices);
        } else {
            side.num_classes = alike_[h].num_blocks() * kernels::block_sites;
            side.rows = rows(h, matrices);
            if (alike_[h].is_scaled) side.scalers = spread_scalers(h, codes);
        }
        return side;
    }

    /// Makes room for the rows of sides that are about to be made: first computes what is pending if it needs theirs.
    void make_room(std::initializer_list<HalfEdge> sides) {
        std::size_t needed = 0;
        for (auto const h : sides) {
            if (has_all_sites(h)) continue;
            needed += bytes_of_rows(shape_, is_tip(h) ? 0 : alike_[h].num_classes(), num_sites_,
                                    is_tip(h) ? tips_.sets().size() : 0);
        }
        if (needed > side_memory_.room()) compute_pending();
    }

    /// The products in the order of the kernels' sums; terms that are multiplied with 0 are left out.
    double const* tip_rows(double const* matrices) {
        auto const stride = shape_.stride();
        auto const count = tips_.sets().size();
        auto const rows = side_memory_.take<double>(shape_.categories * count * stride);
        std::fill(rows.begin(), rows.end(), 0.0);
        for (std::size_t c = 0; c < shape_.categories; ++c) {
            for (std::size_t number = 0; number < count; ++number) {
                auto* out = &rows[(c * count + number) * stride];
                for (auto set = tips_.sets()[number]; set != 0; set &= set - 1) {
                    auto const* column =
                        matrices + c * shape_.matrix_size() + static_cast<std::size_t>(std::countr_zero(set)) * stride;
                    for (std::size_t i = 0; i < shape_.states; ++i) out[i] += column[i];
                }
            }
        }
        return rows.data();
    }

    // --- sites that look alike

    enum class Known : std::uint8_t { nothing, few_classes, many_classes };

    /// The classes of sites that an inner half-edge sees. If they are few, its likelihoods are those of the classes.
    struct Alike {
        Known known = Known::nothing;
        bool is_scaled = false;
        std::vector<std::uint32_t> of_site;  // the class of each site, filled up to whole blocks
        /// Per class, filled up to whole blocks: the masks or classes of the left and of the right child.
        struct Shown {
            std::vector<std::uint8_t> masks;
            std::vector<std::uint32_t> classes;  // unless there are masks
            std::size_t size() const { return masks.size() + classes.size(); }
        };
        std::array<Shown, 2> shown;

        std::size_t num_blocks() const { return shown[0].size() / kernels::block_sites; }
        std::size_t num_classes() const { return shown[0].size(); }
    };

    /// Whether g sees few classes of sites. Its children must have been asked before.
    bool looks_alike(HalfEdge g) {
        auto& alike = alike_[g];
        if (alike.known == Known::nothing) find_classes(g);
        return alike.known == Known::few_classes;
    }

    void find_classes(HalfEdge g) {
        auto& alike = alike_[g];
        alike = {};
        alike.known = Known::many_classes;
        auto const left = tree_->back(tree_->next(g));
        auto const right = tree_->back(tree_->next(tree_->next(g)));
        auto const most = most_classes(repeats_, num_sites_);
        if (most == 0 || has_all_sites(left) || has_all_sites(right)) return;
        auto const code_of = [&](HalfEdge h) {
            return [this, h](std::size_t site) { return is_tip(h) ? tips_.code(h, site) : alike_[h].of_site[site]; };
        };
        auto const classes = finder_.find(num_sites_, most, code_of(left), code_of(right));
        if (!classes) return;
        alike.known = Known::few_classes;
        alike.of_site.reserve(padded_sites());
        alike.of_site = classes->of_site;
        alike.of_site.resize(padded_sites(), 0);
        alike.shown = {shown(classes->left, left), shown(classes->right, right)};
    }

    Alike::Shown shown(std::vector<std::uint32_t> const& codes, HalfEdge child) const {
        Alike::Shown result;
        if (is_tip(child) && tips_.have_masks()) {
            result.masks = padded<std::uint8_t>(codes);
        } else {
            result.classes = padded<std::uint32_t>(codes);
        }
        return result;
    }

    template <class Code>
    static std::vector<Code> padded(std::vector<std::uint32_t> const& codes) {
        std::vector<Code> result;
        result.reserve(blocks_for(codes.size()) * kernels::block_sites);
        result.assign(codes.begin(), codes.end());
        result.resize(blocks_for(codes.size()) * kernels::block_sites, result.front());
        return result;
    }

    void compute_classes(HalfEdge g, HalfEdge left, double const* left_matrix, HalfEdge right,
                         double const* right_matrix) {
        auto& alike = alike_[g];
        // Rows are made at once, so memory that a pending computation will write to must not be used.
        if (!slots_.has_room(g, alike.num_blocks())) compute_pending();
        make_room({left, right});
        auto const before = side_memory_.used();
        auto const left_side = side(left, left_matrix, codes_of(alike.shown[0]));
        auto const right_side = side(right, right_matrix, codes_of(alike.shown[1]));
        auto const clv = slots_.take(g, alike.num_blocks());
        in_parallel(clv.num_blocks, threads_for(clv.num_blocks), [&](Blocks blocks, std::size_t) {
            kernels::combine(shape_, left_side, right_side, clv.values, clv.scalers, blocks);
        });
        side_memory_.give_back(before);
        auto const scalers = std::span(clv.scalers, clv.num_blocks * shape_.block_scalers());
        alike.is_scaled = std::any_of(scalers.begin(), scalers.end(), [](auto scaler) { return scaler != 0; });
        ++num_updates_;
    }

    static Codes codes_of(Alike::Shown const& shown) {
        return {.masks = shown.masks.empty() ? nullptr : shown.masks.data(),
                .classes = shown.classes.empty() ? nullptr : shown.classes.data(),
                .count = shown.size()};
    }

    double const* rows(HalfEdge h, double const* matrices) {
        auto const num_blocks = alike_[h].num_blocks();
        auto const num_classes = num_blocks * kernels::block_sites;
        auto const rows = side_memory_.take<double>(shape_.categories * num_classes * shape_.stride());
        Side likelihoods;
        likelihoods.clv = slots_[h].values;
        likelihoods.matrices = matrices;
        in_parallel(num_blocks, threads_for(num_blocks), [&](Blocks blocks, std::size_t) {
            kernels::make_rows(shape_, likelihoods, num_classes, rows.data(), blocks);
        });
        return rows.data();
    }

    /// The scalers of those classes of h that the codes name.
    std::uint16_t const* spread_scalers(HalfEdge h, Codes const& codes) {
        constexpr auto width = kernels::block_sites;
        auto const* const of_class = slots_[h].scalers;
        auto const scalers = side_memory_.take<std::uint16_t>(codes.count * shape_.categories);
        for (std::size_t i = 0; i < codes.count; ++i) {
            auto const from = codes.classes[i];
            for (std::size_t c = 0; c < shape_.categories; ++c) {
                scalers[(i / width * shape_.categories + c) * width + i % width] =
                    of_class[(from / width * shape_.categories + c) * width + from % width];
            }
        }
        return scalers.data();
    }

    // --- conditional likelihoods

    void combine(HalfEdge parent, HalfEdge left, double const* left_matrix, HalfEdge right,
                 double const* right_matrix) {
        make_room({left, right});
        pending_.push_back(
            {side(left, left_matrix), side(right, right_matrix), slots_[parent].values, slots_[parent].scalers});
        ++num_updates_;
    }

    /// Computes what is pending, and then calls f, chunk by chunk of the sites. So a CLV is still in the cache when it
    /// is needed, and slots may be reused as if everything were computed at once.
    template <class Function>
    void pass(Blocks blocks, Function f) const {
        auto const step =
            pending_.empty() ? blocks.last - blocks.first : std::max<std::size_t>(1, chunk_size / shape_.block_size());
        for (auto first = blocks.first; first < blocks.last; first += step) {
            Blocks const chunk{first, std::min(first + step, blocks.last)};
            for (auto const& update : pending_) {
                kernels::combine(shape_, update.left, update.right, update.clv, update.scalers, chunk);
            }
            f(chunk);
        }
    }

    void compute_pending() {
        if (!pending_.empty()) for_blocks([](Blocks) {});
    }

    void add_edge_loglh(HalfEdge near, HalfEdge far, double const* matrix, FixedSum& sum, double* per_site) {
        make_room({near, far});
        auto const near_side = side(near, nullptr);
        auto const far_side = side(far, matrix);
        kernels::Root const root{frequencies_.data(), category_weights_.data(), invariant()};
        if (correction_weight_ > 0 && per_site == nullptr) {
            per_site_.resize(padded_sites());
            per_site = per_site_.data();
        }
        reduce_blocks(std::span<FixedSum, 1>(&sum, 1), [&](Blocks blocks, std::span<FixedSum, 1> part) {
            kernels::add_loglh(shape_, near_side, far_side, root, weights_.get(), loglh_scale_, part[0], per_site,
                               blocks);
        });
        if (correction_weight_ == 0) return;
        auto const terms = correction(ascertainment_, unchanging({per_site, num_constant_}));
        sum.add(terms[0], correction_weight_, loglh_scale_);
    }

    /// Plans the computation of everything invalid in the subtree of h, the larger side of a node first. So the number
    /// of slots that are needed at once grows with the logarithm of its size.
    void update_and_pin(HalfEdge h) {
        if (is_there(h)) return pin(h);
        order_larger_first(h);
        std::vector<Step> stack{{h, 0}};
        while (!stack.empty()) {
            auto const [g, done] = stack.back();
            if (done < 2) {
                ++stack.back().done;
                auto const child = child_of(g, done);
                if (is_tip(child)) continue;
                if (is_there(child)) {
                    pin(child);
                } else {
                    stack.push_back({child, 0});
                }
                continue;
            }
            compute(g);
            stack.pop_back();
        }
    }

    struct Step {
        HalfEdge h;
        int done;  // number of its two children that are done
    };

    HalfEdge child_of(HalfEdge g, int which) const {
        auto const side = tree_->next(g);
        auto const larger_is_second = larger_second_[g] != 0;
        return tree_->back((which == 0) == larger_is_second ? tree_->next(side) : side);
    }

    /// Plans g's CLV, pins it, and releases its children.
    void compute(HalfEdge g) {
        auto const left = tree_->next(g);
        auto const right = tree_->next(left);
        if (looks_alike(g)) {
            compute_classes(g, tree_->back(left), matrix(left), tree_->back(right), matrix(right));
        } else {
            slots_.take(g, num_blocks_);
            combine(g, tree_->back(left), matrix(left), tree_->back(right), matrix(right));
        }
        release(tree_->back(left));
        release(tree_->back(right));
    }

    bool has_all_sites(HalfEdge h) const { return !is_tip(h) && alike_[h].known != Known::few_classes; }
    bool is_there(HalfEdge h) const { return is_tip(h) || slots_.contains(h); }
    void pin(HalfEdge h) {
        if (!is_tip(h)) slots_.pin(h);
    }
    void release(HalfEdge h) {
        if (!is_tip(h)) slots_.release(h);
    }

    /// The order does not matter if every node can have a slot.
    void order_larger_first(HalfEdge h) {
        larger_second_.resize(tree_->num_half_edges(), 0);
        if (every_node_has_a_slot_) return;
        num_below_.resize(tree_->num_half_edges(), 1);
        for (auto const g : msa::postorder(*tree_, h)) {
            if (is_tip(g)) continue;
            auto const left = num_below_[tree_->back(tree_->next(g))];
            auto const right = num_below_[tree_->back(tree_->next(tree_->next(g)))];
            larger_second_[g] = right > left ? 1 : 0;
            num_below_[g] = left + right;
        }
    }

    // --- threads

    /// Calls f(blocks) for all blocks.
    template <class Function>
    void for_blocks(Function f) {
        auto const threads = threads_for(num_blocks_ * (1 + pending_.size()));
        in_parallel(num_blocks_, threads, [&](Blocks blocks, std::size_t) { pass(blocks, f); });
        nothing_is_pending();
    }

    /// Calls f(blocks, sums) for all blocks and adds the sums.
    template <std::size_t count, class Function>
    void reduce_blocks(std::span<FixedSum, count> sums, Function f) {
        std::vector<std::array<FixedSum, count>> others(options_.num_threads - 1);
        auto const threads = threads_for(num_blocks_ * (1 + pending_.size()));
        in_parallel(num_blocks_, threads, [&](Blocks blocks, std::size_t thread) {
            auto const part = thread == 0 ? sums : std::span<FixedSum, count>(others[thread - 1]);
            pass(blocks, [&](Blocks chunk) { f(chunk, part); });
        });
        nothing_is_pending();
        for (auto const& part : others) {
            for (std::size_t i = 0; i < count; ++i) sums[i].add(part[i]);
        }
    }

    void nothing_is_pending() {
        pending_.clear();
        side_memory_.give_back();
    }

    /// Calls f(blocks, thread) for as many parts of the blocks as there are threads, or blocks.
    template <class Function>
    static void in_parallel(std::size_t num_blocks, std::size_t num_threads, Function f) {
        auto const threads = static_cast<int>(std::min(num_threads, num_blocks));
        if (threads <= 1) return f(Blocks{0, num_blocks}, 0);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int thread = 0; thread < threads; ++thread) {
            f(part_of(num_blocks, thread, threads), static_cast<std::size_t>(thread));
        }
    }

    /// The number of threads; fewer for little work. num_blocks: blocks to be computed, of all nodes.
    std::size_t threads_for(std::size_t num_blocks) const {
        constexpr std::size_t enough = 32;  // blocks per thread
        return std::min<std::size_t>(options_.num_threads, num_blocks / enough);
    }

    static Blocks part_of(std::size_t num_blocks, int thread, int threads) {
        auto const begin = [&](int t) {
            return num_blocks * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads);
        };
        return {begin(thread), begin(thread + 1)};
    }

    msa::Tree const* tree_;
    std::uint32_t length_set_;
    PartitionOptions options_;
    kernels::Shape shape_;
    Tips tips_;
    Ascertainment ascertainment_;
    std::size_t num_constant_;
    std::uint32_t correction_weight_;
    std::size_t num_sites_;  // including the constant patterns
    std::size_t num_blocks_;
    Aligned<std::int64_t> weights_;
    std::vector<std::uint64_t> constant_;  // per site: the states that all tips may have; empty until they are needed
    FixedScale loglh_scale_;
    std::array<FixedScale, 3> derivative_scales_;

    SiteModel model_;
    double branch_scale_ = 1;
    std::vector<double> columns_;      // of eigenvectors: [system][k][row]
    Aligned<double> inverses_;         // as matrices
    std::vector<double> exponents_;    // [category][state] eigenvalue * rate
    std::vector<double> frequencies_;  // [category][state]
    std::vector<double> category_weights_;
    Aligned<double> invariant_;  // per site

    Slots slots_;
    bool every_node_has_a_slot_ = false;
    Repeats repeats_ = Repeats::off;         // off if memory is short, because classes of different sizes do not fit
                                             // together then
    std::vector<Alike> alike_;               // per half-edge
    std::vector<Aligned<double>> matrices_;  // by matrix_number
    std::vector<char> matrix_valid_;
    Aligned<double> scratch_matrix_;
    Aligned<double> table_;
    std::uint64_t num_updates_ = 0;

    /// A CLV to be computed before the next result is.
    struct Update {
        Side left;
        Side right;
        double* clv = nullptr;
        std::uint16_t* scalers = nullptr;
    };
    std::vector<Update> pending_;  // CLVs to be computed, in this order
    SideMemory side_memory_;       // memory of the sides of pending CLVs and of the present result

    // Memory that is used again.
    ClassFinder finder_;
    std::vector<double> factors_;    // [category][state]
    std::vector<double> diagonals_;  // [category][state]
    std::vector<double> terms_;
    std::vector<double> per_site_;
    std::vector<std::uint32_t> constant_scalers_;  // those of the edge in focus
    std::vector<char> larger_second_;              // per half-edge: whether the second child is the larger one
    std::vector<std::uint32_t> num_below_;         // per half-edge: number of tips of its subtree
};

Partition::Partition(msa::Tree const& tree, std::uint32_t length_set, std::uint32_t num_states, StateSets const& sets,
                     Sites const& sites, PartitionOptions const& options)
    : engine_(std::make_unique<Engine>(tree, length_set, num_states, sets, sites, options)) {}
Partition::Partition(Partition&&) noexcept = default;
Partition& Partition::operator=(Partition&&) noexcept = default;
Partition::~Partition() = default;

/// The larger child of a node is computed while nothing of the node is held, the other one while one CLV is. A parent
/// and two children are needed at once, and one call pins up to three subtrees and a scratch CLV.
std::size_t Partition::least_slots(std::uint32_t num_tips) {
    return static_cast<std::size_t>(std::bit_width(num_tips)) + 6;
}

std::uint64_t Partition::bytes(std::uint32_t num_tips, std::uint64_t num_patterns, std::uint32_t num_states,
                               std::uint32_t num_categories, PartitionOptions const& options) {
    constexpr std::size_t most_sets = 32;  // number of state sets of amino acids
    kernels::Shape const shape{num_states, num_categories};
    auto const num_inner = num_tips - 2;
    auto const enough = enough_slots(num_inner);
    auto const num_slots = options.num_slots == 0 ? enough : options.num_slots;
    auto const clv = shape.block_size() * sizeof(double) + shape.block_scalers() * sizeof(std::uint16_t);
    auto const table = shape.block_size() * sizeof(double);
    auto const matrices = (std::uint64_t{2} * num_tips - 3) * shape.matrices_size() * sizeof(double);
    auto const code = kernels::has_masks(num_states) ? sizeof(std::uint8_t) : sizeof(std::uint32_t);
    auto const of_site = num_tips * code + sizeof(std::int64_t) + sizeof(std::uint64_t) + sizeof(double);
    auto const most = num_slots < enough ? 0 : most_classes(options.repeats, num_patterns);
    auto const num_sets = kernels::has_masks(num_states) ? 0 : most_sets;
    auto const rows = enough_for_rows(bytes_of_rows(shape, most, num_patterns, num_sets));
    auto const numbers =
        (blocks_for(num_patterns) + 2 * blocks_for(most)) * kernels::block_sites * sizeof(std::uint32_t);
    auto const classes = most == 0 ? 0 : std::uint64_t{3} * num_inner * numbers + 2 * numbers;  // memory of the
                                                                                                // classes, and of the
                                                                                                // search for them
    return blocks_for(num_patterns) * (num_slots * clv + table + of_site * kernels::block_sites) + matrices + rows +
           classes;
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
void Partition::add_insertion_loglh(HalfEdge h, HalfEdge target, FixedSum& sum) {
    engine_->add_insertion_loglh(h, target, sum);
}
void Partition::focus(HalfEdge h) {
    engine_->focus(h);
}
void Partition::add_derivatives(double t, std::span<FixedSum, 3> sums) {
    engine_->add_derivatives(t, sums);
}
void Partition::add_all_derivatives(std::span<FixedSum> sums) {
    engine_->add_all_derivatives(sums);
}
std::uint64_t Partition::num_updates() const {
    return engine_->num_updates();
}

}  // namespace regraft::likelihood
