// Likelihoods and derivatives are compared with those of libpll, which shares no code with them.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <libpll/pll.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using msa::HalfEdge;

struct Destroy {
    void operator()(pll_partition_t* partition) const { pll_partition_destroy(partition); }
    void operator()(double* memory) const { pll_aligned_free(memory); }
};

/// Computes everything anew for every question. Buffers of CLVs have the numbers of half-edges, matrices those of the
/// lower one.
class PllLikelihood {
public:
    explicit PllLikelihood(LikelihoodCase const& c) : tree_(c.tree), num_tips_(c.tree.num_tips()) {
        auto const num_inner = c.tree.num_half_edges() - num_tips_;
        auto const num_categories = static_cast<unsigned>(c.mixture.categories.size());
        pll_.reset(pll_partition_create(num_tips_, num_inner, c.num_states(),
                                        static_cast<unsigned>(c.sites.weights.size()),
                                        static_cast<unsigned>(c.mixture.processes.size()), c.tree.num_half_edges(),
                                        num_categories, num_inner, PLL_ATTRIB_ARCH_CPU));
        EXPECT_NE(pll_, nullptr);
        pll_set_pattern_weights(pll_.get(), c.sites.weights.data());
        set_tips(c);
        set_mixture(c.mixture);
        update();
    }

    double loglh(HalfEdge h) {
        auto const near = std::max(h, tree_.back(h));
        auto const far = std::min(h, tree_.back(h));
        return pll_compute_edge_loglikelihood(pll_.get(), near, scaler(near), far, scaler(far), far, systems_.data(),
                                              nullptr);
    }

    /// The first two derivatives by the length of h's edge, at t.
    std::array<double, 2> derivatives(HalfEdge h, double t) {
        auto const near = std::max(h, tree_.back(h));
        auto const far = std::min(h, tree_.back(h));
        auto const size = std::size_t{pll_->sites} * pll_->rate_cats * pll_->states_padded;
        std::unique_ptr<double, Destroy> const table(
            static_cast<double*>(pll_aligned_alloc(size * sizeof(double), pll_->alignment)));
        pll_update_sumtable(pll_.get(), near, far, scaler(near), scaler(far), systems_.data(), table.get());
        std::array<double, 2> minus{};
        pll_compute_likelihood_derivatives(pll_.get(), scaler(near), scaler(far), t, systems_.data(), table.get(),
                                           &minus[0], &minus[1]);
        return {-minus[0], -minus[1]};
    }

private:
    void set_tips(LikelihoodCase const& c) {
        std::array<unsigned, 256> map{};
        for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<unsigned>(c.sets[i]);
        for (unsigned tip = 0; tip < num_tips_; ++tip) {
            EXPECT_EQ(pll_set_tip_states(pll_.get(), tip, map.data(), c.sites.rows[tip].c_str()), PLL_SUCCESS);
        }
    }

    void set_mixture(Mixture const& mixture) {
        for (unsigned i = 0; i < mixture.processes.size(); ++i) {
            pll_set_subst_params(pll_.get(), i, mixture.processes[i].exchangeabilities.data());
            pll_set_frequencies(pll_.get(), i, mixture.processes[i].frequencies.data());
        }
        std::vector<double> rates;
        std::vector<double> weights;
        for (auto const& category : mixture.categories) {
            rates.push_back(category.rate);
            weights.push_back(category.weight);
            systems_.push_back(static_cast<unsigned>(category.process));
        }
        pll_set_category_rates(pll_.get(), rates.data());
        pll_set_category_weights(pll_.get(), weights.data());
    }

    int scaler(HalfEdge h) const { return h < num_tips_ ? PLL_SCALE_BUFFER_NONE : static_cast<int>(h - num_tips_); }

    void update() {
        std::vector<unsigned> edges;
        std::vector<double> lengths;
        for (auto const h : tree_.edges()) {
            edges.push_back(h);
            lengths.push_back(tree_.length(h));
        }
        pll_update_prob_matrices(pll_.get(), systems_.data(), edges.data(), lengths.data(),
                                 static_cast<unsigned>(edges.size()));
        for (auto const h : tree_.edges()) {
            for (auto const end : {h, tree_.back(h)}) {
                for (auto const g : msa::postorder(tree_, end)) {
                    if (!tree_.is_tip(g)) combine(g);
                }
            }
        }
    }

    void combine(HalfEdge g) {
        auto const left = tree_.next(g);
        auto const right = tree_.next(left);
        pll_operation_t operation{};
        operation.parent_clv_index = g;
        operation.parent_scaler_index = scaler(g);
        operation.child1_clv_index = tree_.back(left);
        operation.child1_matrix_index = std::min(left, tree_.back(left));
        operation.child1_scaler_index = scaler(tree_.back(left));
        operation.child2_clv_index = tree_.back(right);
        operation.child2_matrix_index = std::min(right, tree_.back(right));
        operation.child2_scaler_index = scaler(tree_.back(right));
        pll_update_partials(pll_.get(), &operation, 1);
    }

    msa::Tree const& tree_;
    HalfEdge num_tips_;
    std::unique_ptr<pll_partition_t, Destroy> pll_;
    std::vector<unsigned> systems_;  // per category
};

/// Lengths and rates are those that occur: libpll loses digits at short ones.
LikelihoodCase common_case(std::uint32_t num_states, std::uint64_t seed) {
    Random random(seed);
    CaseShape const shape{.num_tips = 4 + static_cast<std::uint32_t>(random.below(30)),
                          .num_states = num_states,
                          .num_categories = 1 + random.below(6),
                          .num_patterns = 1 + random.below(50),
                          .systems_per_category = random.below(3) == 0};
    auto c = random_case(shape, seed);
    c.tree = with_random_lengths(c.tree, random, 0.01, 2);
    for (auto& category : c.mixture.categories) category.rate = log_uniform(random, 0.1, 4);
    c.mixture.branch_scale = 1;
    return c;
}

TEST(PllLikelihood, IsTheSame) {
    for (std::uint32_t const num_states : {4U, 20U}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            SCOPED_TRACE(testing::Message() << num_states << " states, seed " << seed);
            auto const c = common_case(num_states, seed);
            PllLikelihood pll(c);
            auto p = partition(c);
            for (auto const h : c.tree.edges()) {
                auto const expected = pll.loglh(h);
                EXPECT_NEAR(loglh_sum(p, h).value(p.loglh_scale()), expected, 1e-10 * std::abs(expected));
            }
        }
    }
}

TEST(PllLikelihood, HasTheSameDerivatives) {
    for (std::uint32_t const num_states : {4U, 20U}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            SCOPED_TRACE(testing::Message() << num_states << " states, seed " << seed);
            auto const c = common_case(num_states, seed);
            PllLikelihood pll(c);
            auto p = partition(c);
            auto const unit = static_cast<double>(c.total_weight());
            for (auto const h : c.tree.edges()) {
                for (double const t : {0.01, 0.3, 4.0}) {
                    auto const expected = pll.derivatives(h, t);
                    auto const sums = derivative_sums(p, h, t);
                    EXPECT_NEAR(sums[1].value(p.derivative_scales()[1]), expected[0], 1e-10 * unit / t);
                    EXPECT_NEAR(sums[2].value(p.derivative_scales()[2]), expected[1], 1e-10 * unit / (t * t));
                }
            }
        }
    }
}

}  // namespace
}  // namespace regraft::test
