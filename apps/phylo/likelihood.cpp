#include "likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <libpll/pll.h>

#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/reduce.hpp"

namespace regraft::phylo {

using msa::HalfEdge;

namespace {

unsigned attribute(InstructionSet set) {
    switch (set) {
        case InstructionSet::plain:
            return PLL_ATTRIB_ARCH_CPU;
        case InstructionSet::sse3:
            return PLL_ATTRIB_ARCH_SSE;
        case InstructionSet::avx:
            return PLL_ATTRIB_ARCH_AVX;
        case InstructionSet::avx2:
            return PLL_ATTRIB_ARCH_AVX2;
    }
    return PLL_ATTRIB_ARCH_CPU;
}

/// libpll's map from characters to state sets, with letters that its own tables lack.
std::array<unsigned, 256> character_map(msa::Alphabet alphabet) {
    std::array<unsigned, 256> map{};
    for (unsigned c = 0; c < map.size(); ++c) map[c] = msa::state_mask(alphabet, static_cast<char>(c));
    return map;
}

void require(bool ok) {
    if (!ok) throw std::runtime_error(std::string("libpll: ") + pll_errmsg);
}

}  // namespace

InstructionSet best_instruction_set() {
    require(pll_hardware_probe() == PLL_SUCCESS);
    if (pll_hardware.avx2_present != 0) return InstructionSet::avx2;
    if (pll_hardware.avx_present != 0) return InstructionSet::avx;
    return pll_hardware.sse3_present != 0 ? InstructionSet::sse3 : InstructionSet::plain;
}

std::string_view name(InstructionSet set) {
    constexpr std::array<std::string_view, 4> names{"plain", "sse3", "avx", "avx2"};
    return names.at(static_cast<std::size_t>(set));
}

/// One partition's libpll object. The conditional likelihood vector (CLV) of an inner half-edge h describes the subtree
/// at h's node when h's edge is cut; its buffer is number h. The matrix of an edge is number min(h, back(h)).
class Likelihood::Partition {
public:
    Partition(msa::Tree const& tree, std::uint32_t length_set, ModelSpec const& spec, LocalSites const& sites,
              InstructionSet instructions)
        : tree_(tree),
          length_set_(length_set),
          weights_(sites.weights),
          num_tips_(tree.num_tips()),
          scratch_matrix_(tree.num_half_edges()),
          clv_valid_(tree.num_half_edges(), 0),
          matrix_valid_(tree.num_half_edges(), 0) {
        if (weights_.empty()) return;
        auto const num_sites = checked_cast<unsigned>(weights_.size());
        auto const num_inner = tree.num_half_edges() - num_tips_;
        pll_.reset(pll_partition_create(num_tips_, num_inner, spec.num_states(), num_sites, 1,
                                        tree.num_half_edges() + 1, spec.categories, num_inner,
                                        attribute(instructions) | PLL_ATTRIB_PATTERN_TIP));
        require(pll_ != nullptr);
        auto const map = character_map(spec.alphabet);
        for (unsigned taxon = 0; taxon < num_tips_; ++taxon) {
            require(pll_set_tip_states(pll_.get(), taxon, map.data(), sites.rows[taxon].c_str()) == PLL_SUCCESS);
        }
        std::vector<double> const equal(spec.categories, 1.0 / spec.categories);
        pll_set_category_weights(pll_.get(), equal.data());
        persite_.resize(num_sites);
        sumtable_.reset(static_cast<double*>(
            pll_aligned_alloc(sizeof(double) * num_sites * pll_->rate_cats * pll_->states_padded, pll_->alignment)));
        require(sumtable_ != nullptr);
    }

    /// Whether this PE has none of the partition's sites.
    bool empty() const { return pll_ == nullptr; }

    /// `scale`: by how much this partition's branches are longer than the tree's.
    void set_model(ModelSpec const& spec, Model const& model, double scale) {
        scale_ = scale;
        if (empty()) return;
        pll_set_subst_params(pll_.get(), 0, exchangeabilities(spec, model).data());
        pll_set_frequencies(pll_.get(), 0, model.frequencies.data());
        std::vector<double> rates(spec.categories, 1.0);
        if (spec.has_alpha()) {
            require(pll_compute_gamma_cats(
                        model.alpha, spec.categories, rates.data(),
                        spec.gamma == GammaRates::mean ? PLL_GAMMA_RATES_MEAN : PLL_GAMMA_RATES_MEDIAN) == PLL_SUCCESS);
        }
        pll_set_category_rates(pll_.get(), rates.data());
        require(pll_update_eigen(pll_.get(), 0) == PLL_SUCCESS);
        settle_eigenvalues();
        std::fill(clv_valid_.begin(), clv_valid_.end(), 0);
        std::fill(matrix_valid_.begin(), matrix_valid_.end(), 0);
    }

    /// Whether the CLV was valid.
    bool invalidate_clv(HalfEdge h) { return std::exchange(clv_valid_[h], 0) != 0; }
    void invalidate_matrix(HalfEdge h) { matrix_valid_[matrix(h)] = 0; }

    /// Adds the log-likelihood of the sites, evaluated at the edge of h.
    void add_loglh(HalfEdge h, ExactSum& sum) {
        if (empty()) return;
        // libpll treats the two ends differently; which is which must not depend on the caller. The higher one is
        // inner.
        auto const parent = std::max(h, tree_.back(h));
        auto const child = std::min(h, tree_.back(h));
        update_clv(parent);
        update_clv(child);
        update_matrix(child);
        add_edge_loglh(parent, child, matrix(child), sum);
    }

    void add_insertion_loglh(HalfEdge h, HalfEdge target, ExactSum& sum) {
        if (empty()) return;
        auto const subtree = tree_.back(h);
        auto const far = tree_.back(target);
        update_clv(subtree);
        update_clv(target);
        update_clv(far);
        update_matrix(h);
        std::array<unsigned, 1> const which{scratch_matrix_};
        double const half = length(target) / 2;
        require(pll_update_prob_matrices(pll_.get(), params.data(), which.data(), &half, 1) == PLL_SUCCESS);
        combine(h, target, scratch_matrix_, far, scratch_matrix_);
        clv_valid_[h] = 0;  // the buffer holds what h would see if it were grafted there
        auto const parent = std::max(h, subtree);
        add_edge_loglh(parent, std::min(h, subtree), matrix(h), sum);
    }

    void update_sumtable(HalfEdge h) {
        if (empty()) return;
        auto const parent = std::max(h, tree_.back(h));
        auto const child = std::min(h, tree_.back(h));
        update_clv(parent);
        update_clv(child);
        require(pll_update_sumtable(pll_.get(), parent, child, scaler(parent), scaler(child), params.data(),
                                    sumtable_.get()) == PLL_SUCCESS);
    }

    /// Adds log-likelihood (up to a constant) and its two derivatives by t, the length in the tree, to sums[0..2].
    void add_branch_values(double t, std::span<ExactSum, 3> sums) {
        if (empty()) return;
        auto const states = pll_->states;
        auto const padded = pll_->states_padded;
        terms_.resize(std::size_t{3} * pll_->rate_cats * states);
        auto* next = terms_.data();
        for (unsigned category = 0; category < pll_->rate_cats; ++category) {
            for (unsigned state = 0; state < states; ++state, next += 3) {
                double const exponent = pll_->eigenvals[0][state] * pll_->rates[category] * scale_;
                next[0] = pll_->rate_weights[category] * std::exp(exponent * t);
                next[1] = exponent * next[0];
                next[2] = exponent * next[1];
            }
        }
        auto const* row = sumtable_.get();
        for (auto weight : weights_) {
            BranchValue site;
            auto const* term = terms_.data();
            for (unsigned category = 0; category < pll_->rate_cats; ++category, row += padded) {
                for (unsigned state = 0; state < states; ++state, term += 3) {
                    site.loglh += row[state] * term[0];  // not yet its logarithm
                    site.first += row[state] * term[1];
                    site.second += row[state] * term[2];
                }
            }
            double const slope = site.first / site.loglh;
            sums[0].add(std::log(site.loglh), weight);
            sums[1].add(slope, weight);
            sums[2].add(site.second / site.loglh - slope * slope, weight);
        }
    }

private:
    struct Destroy {
        void operator()(pll_partition_t* partition) const { pll_partition_destroy(partition); }
        void operator()(double* memory) const { pll_aligned_free(memory); }
    };

    /// A rate matrix has one eigenvalue 0 and else negative ones. Rounding may leave a little above 0, which long
    /// branches would turn into probabilities above 1; with frequencies near 0 it is not even little.
    void settle_eigenvalues() {
        std::span const values(pll_->eigenvals[0], pll_->states);
        *std::max_element(values.begin(), values.end()) = 0;
        for (auto& x : values) x = std::min(x, 0.0);
    }

    double length(HalfEdge h) const { return tree_.length(h, length_set_) * scale_; }
    HalfEdge matrix(HalfEdge h) const { return std::min(h, tree_.back(h)); }
    int scaler(HalfEdge h) const { return h < num_tips_ ? PLL_SCALE_BUFFER_NONE : static_cast<int>(h - num_tips_); }

    void update_matrix(HalfEdge h) {
        unsigned const index = matrix(h);
        if (matrix_valid_[index] != 0) return;
        double const t = length(h);
        require(pll_update_prob_matrices(pll_.get(), params.data(), &index, &t, 1) == PLL_SUCCESS);
        matrix_valid_[index] = 1;
    }

    /// Computes what is invalid in the subtree of h, children first.
    void update_clv(HalfEdge h) {
        stack_.assign(1, h);
        while (!stack_.empty()) {
            auto const g = stack_.back();
            if (g < num_tips_ || clv_valid_[g] != 0) {
                stack_.pop_back();
                continue;
            }
            std::array<HalfEdge, 2> const sides{tree_.next(g), tree_.next(tree_.next(g))};
            bool ready = true;
            for (auto side : sides) {
                auto const child = tree_.back(side);
                if (child >= num_tips_ && clv_valid_[child] == 0) {
                    stack_.push_back(child);
                    ready = false;
                }
            }
            if (!ready) continue;
            stack_.pop_back();
            for (auto side : sides) update_matrix(side);
            combine(g, tree_.back(sides[0]), matrix(sides[0]), tree_.back(sides[1]), matrix(sides[1]));
            clv_valid_[g] = 1;
        }
    }

    void combine(HalfEdge parent, HalfEdge child1, unsigned matrix1, HalfEdge child2, unsigned matrix2) {
        pll_operation_t operation{};
        operation.parent_clv_index = parent;
        operation.parent_scaler_index = scaler(parent);
        operation.child1_clv_index = child1;
        operation.child1_matrix_index = matrix1;
        operation.child1_scaler_index = scaler(child1);
        operation.child2_clv_index = child2;
        operation.child2_matrix_index = matrix2;
        operation.child2_scaler_index = scaler(child2);
        pll_update_partials(pll_.get(), &operation, 1);
    }

    void add_edge_loglh(HalfEdge parent, HalfEdge child, unsigned matrix_index, ExactSum& sum) {
        pll_compute_edge_loglikelihood(pll_.get(), parent, scaler(parent), child, scaler(child), matrix_index,
                                       params.data(), persite_.data());
        for (std::size_t site = 0; site < weights_.size(); ++site) sum.add(persite_[site], weights_[site]);
    }

    // All rate categories use parameter set 0; libpll reads one index per category.
    static constexpr std::array<unsigned, 64> params{};

    msa::Tree const& tree_;
    std::uint32_t length_set_;
    double scale_ = 1;
    std::vector<std::uint32_t> weights_;
    HalfEdge num_tips_;
    unsigned scratch_matrix_;
    std::vector<std::uint8_t> clv_valid_;     // per half-edge
    std::vector<std::uint8_t> matrix_valid_;  // per edge, at its lower half-edge
    std::unique_ptr<pll_partition_t, Destroy> pll_;
    std::unique_ptr<double, Destroy> sumtable_;  // [site][category][padded state]
    std::vector<double> persite_, terms_;
    std::vector<HalfEdge> stack_;
};

Likelihood::Likelihood(ft::Communicator& comm, msa::Tree tree, std::vector<ModelSpec> const& specs,
                       std::vector<Model> models, BranchLinkage linkage, std::span<LocalSites const> sites,
                       InstructionSet instructions)
    : comm_(comm), tree_(std::move(tree)), specs_(&specs), models_(std::move(models)), linkage_(linkage) {
    REGRAFT_EXPECTS(specs.size() == models_.size() && sites.size() == models_.size());
    REGRAFT_EXPECTS(tree_.num_length_sets() == (linkage == BranchLinkage::unlinked ? models_.size() : 1));
    for (std::size_t q = 0; q < models_.size(); ++q) {
        partitions_.push_back(std::make_unique<Partition>(tree_, length_set(q), specs[q], sites[q], instructions));
        set_model(q, models_[q]);
    }
}

Likelihood::~Likelihood() = default;

void Likelihood::set_model(std::size_t partition, Model model) {
    models_[partition] = std::move(model);
    auto const& current = models_[partition];
    partitions_[partition]->set_model(spec(partition), current,
                                      linkage_ == BranchLinkage::scaled ? current.scaler : 1.0);
}

void Likelihood::set_length(HalfEdge h, double length, std::uint32_t set) {
    if (tree_.length(h, set) == length) return;
    tree_.set_length(h, length, set);
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        if (length_set(q) != set) continue;
        partitions_[q]->invalidate_matrix(h);
        // A valid CLV depends on valid ones only, so the search for dependents ends where all are invalid already.
        invalidate_beyond(h, [&](HalfEdge g) { return partitions_[q]->invalidate_clv(g); });
    }
}

msa::TreeUndo Likelihood::nni(HalfEdge h, std::uint32_t variant) {
    return touched(tree_.nni(h, variant));
}
msa::TreeUndo Likelihood::prune(HalfEdge h) {
    return touched(tree_.prune(h));
}
msa::TreeUndo Likelihood::regraft(HalfEdge h, HalfEdge edge) {
    return touched(tree_.regraft(h, edge));
}

void Likelihood::undo(msa::TreeUndo const& move) {
    tree_.undo(move);
    static_cast<void>(touched(move));
}

double Likelihood::loglh(HalfEdge h) {
    std::array<ExactSum, 1> sum;
    for (auto& partition : partitions_) partition->add_loglh(h, sum[0]);
    reduce(sum);
    return sum[0].value();
}

std::vector<double> Likelihood::partition_loglh() {
    std::vector<ExactSum> sums(partitions_.size());
    for (std::size_t q = 0; q < sums.size(); ++q) partitions_[q]->add_loglh(0, sums[q]);
    return values(sums);
}

double Likelihood::partition_loglh(std::size_t partition) {
    std::array<ExactSum, 1> sum;
    partitions_[partition]->add_loglh(0, sum[0]);
    reduce(sum);
    return sum[0].value();
}

void Likelihood::focus(HalfEdge h) {
    for (auto& partition : partitions_) partition->update_sumtable(h);
}

std::vector<BranchValue> Likelihood::branch_values(std::span<double const> lengths) {
    REGRAFT_EXPECTS(lengths.size() == tree_.num_length_sets());
    std::vector<ExactSum> sums(3 * lengths.size());
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        auto const set = length_set(q);
        partitions_[q]->add_branch_values(lengths[set], std::span(sums).subspan(std::size_t{3} * set).first<3>());
    }
    auto const reduced = values(sums);
    std::vector<BranchValue> result;
    for (std::size_t set = 0; set < lengths.size(); ++set) {
        result.push_back({reduced[3 * set], reduced[3 * set + 1], reduced[3 * set + 2]});
    }
    return result;
}

std::vector<double> Likelihood::score_insertions(HalfEdge h, std::span<HalfEdge const> targets) {
    std::vector<ExactSum> sums(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        for (auto& partition : partitions_) partition->add_insertion_loglh(h, targets[i], sums[i]);
    }
    return values(sums);
}

std::uint32_t Likelihood::length_set(std::size_t partition) const {
    return linkage_ == BranchLinkage::unlinked ? checked_cast<std::uint32_t>(partition) : 0;
}

template <class Invalidate>
void Likelihood::invalidate_beyond(HalfEdge h, Invalidate invalidate) {
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

msa::TreeUndo Likelihood::touched(msa::TreeUndo move) {
    for (auto h : move.touched) {
        // An unconnected half-edge has no edge, but the CLVs at its node and beyond still change.
        auto const invalidate = [&](HalfEdge g) {
            for (auto& partition : partitions_) static_cast<void>(partition->invalidate_clv(g));
            return true;  // dependencies changed with the topology, so nothing may end the search early
        };
        if (tree_.is_connected(h)) {
            for (auto& partition : partitions_) partition->invalidate_matrix(h);
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

void Likelihood::reduce(std::span<ExactSum> sums) {
    ft::all_reduce(comm_, sums);
    ++evaluations_;
}

std::vector<double> Likelihood::values(std::span<ExactSum> sums) {
    reduce(sums);
    std::vector<double> result;
    for (auto const& sum : sums) result.push_back(sum.value());
    return result;
}

}  // namespace regraft::phylo
