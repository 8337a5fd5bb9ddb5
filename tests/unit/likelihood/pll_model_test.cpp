// The models are compared with those of libpll, which shares no code with them.
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <libpll/pll.h>

#include "likelihood/models/gamma_rates.hpp"
#include "likelihood/models/matrices.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "support/likelihood/transition_oracle.hpp"

namespace regraft::likelihood {
namespace {

struct PllMatrix {
    char const* name;
    double const* exchangeabilities;
    double const* frequencies;
};

std::vector<PllMatrix> pll_matrices() {
    std::vector<PllMatrix> matrices{
        {"Dayhoff", pll_aa_rates_dayhoff, pll_aa_freqs_dayhoff},
        {"LG", pll_aa_rates_lg, pll_aa_freqs_lg},
        {"DCMut", pll_aa_rates_dcmut, pll_aa_freqs_dcmut},
        {"JTT", pll_aa_rates_jtt, pll_aa_freqs_jtt},
        {"mtREV", pll_aa_rates_mtrev, pll_aa_freqs_mtrev},
        {"WAG", pll_aa_rates_wag, pll_aa_freqs_wag},
        {"rtREV", pll_aa_rates_rtrev, pll_aa_freqs_rtrev},
        {"cpREV", pll_aa_rates_cprev, pll_aa_freqs_cprev},
        {"VT", pll_aa_rates_vt, pll_aa_freqs_vt},
        {"Blosum62", pll_aa_rates_blosum62, pll_aa_freqs_blosum62},
        {"mtMAM", pll_aa_rates_mtmam, pll_aa_freqs_mtmam},
        {"mtART", pll_aa_rates_mtart, pll_aa_freqs_mtart},
        {"mtZOA", pll_aa_rates_mtzoa, pll_aa_freqs_mtzoa},
        {"PMB", pll_aa_rates_pmb, pll_aa_freqs_pmb},
        {"HIVb", pll_aa_rates_hivb, pll_aa_freqs_hivb},
        {"HIVw", pll_aa_rates_hivw, pll_aa_freqs_hivw},
        {"JTT-DCMut", pll_aa_rates_jttdcmut, pll_aa_freqs_jttdcmut},
        {"FLU", pll_aa_rates_flu, pll_aa_freqs_flu},
        {"stmtREV", pll_aa_rates_stmtrev, pll_aa_freqs_stmtrev},
    };
    constexpr std::array lg4m{"LG4M1", "LG4M2", "LG4M3", "LG4M4"};
    constexpr std::array lg4x{"LG4X1", "LG4X2", "LG4X3", "LG4X4"};
    for (std::size_t i = 0; i < 4; ++i) {
        matrices.push_back({lg4m[i], pll_aa_rates_lg4m[i], pll_aa_freqs_lg4m[i]});
        matrices.push_back({lg4x[i], pll_aa_rates_lg4x[i], pll_aa_freqs_lg4x[i]});
    }
    return matrices;
}

/// Probabilities of change along a branch of length t, computed by libpll.
std::vector<double> pll_transition(std::span<double const> exchangeabilities, std::span<double const> frequencies,
                                   double t) {
    auto const n = static_cast<unsigned>(frequencies.size());
    std::unique_ptr<pll_partition_t, decltype(&pll_partition_destroy)> const partition(
        pll_partition_create(2, 1, n, 1, 1, 1, 1, 1, PLL_ATTRIB_ARCH_CPU), pll_partition_destroy);
    double const one = 1;
    unsigned const zero = 0;
    pll_set_subst_params(partition.get(), 0, exchangeabilities.data());
    pll_set_frequencies(partition.get(), 0, frequencies.data());
    pll_set_category_rates(partition.get(), &one);
    pll_update_prob_matrices(partition.get(), &zero, &zero, &t, 1);
    std::vector<double> p;
    for (unsigned i = 0; i < n; ++i) {
        auto const* const row = partition->pmatrix[0] + std::size_t{i} * partition->states_padded;
        p.insert(p.end(), row, row + n);
    }
    return p;
}

void expect_same_transitions(Eigensystem const& system, std::span<double const> exchangeabilities) {
    for (double const t : {0.001, 0.1, 1.0, 20.0}) {
        auto const expected = pll_transition(exchangeabilities, system.frequencies, t);
        auto const p = testing::transition_of(system, t);
        for (std::size_t cell = 0; cell < p.size(); ++cell) EXPECT_NEAR(p[cell], expected[cell], 1e-12) << t;
    }
}

/// libpll adjusted last frequencies, rounded FLU to three or four digits, and the frequencies of PMB to three.
TEST(PllModels, HaveTheSameMatrices) {
    for (auto const& [name, exchangeabilities, frequencies] : pll_matrices()) {
        auto const found = find_matrices(name);
        ASSERT_EQ(found.size(), 1u) << name;
        bool const rounded = found.front().name == "FLU";
        for (std::size_t i = 0; i < 190; ++i) {
            EXPECT_NEAR(found.front().exchangeabilities[i], exchangeabilities[i], rounded ? 1.1e-4 : 0)
                << name << ' ' << i;
        }
        for (std::size_t i = 0; i < 20; ++i) {
            EXPECT_NEAR(found.front().frequencies[i], frequencies[i],
                        found.front().name == "PMB" ? 5.5e-4
                        : rounded                   ? 6e-5
                        : i == 19                   ? 1.1e-6
                                                    : 0)
                << name << i;
        }
    }
}

TEST(PllModels, ChangeWithTheSameProbabilities) {
    for (auto const* name : {"LG", "WAG", "FLU", "mtZOA", "DEN", "HIVw", "Q.pfam", "LG4M", "LG4X"}) {
        SCOPED_TRACE(name);
        auto const spec = parse_model(name);
        auto const model = site_model(spec, start_model(spec, {}));
        for (std::size_t i = 0; i < model.systems.size(); ++i) {
            expect_same_transitions(model.systems[i], spec.matrices[i].exchangeabilities);
        }
    }
    auto const spec = parse_model("GTR{0.7/3.1/0.2/1.9/5.5/1}+FU{0.15/0.3/0.05/0.5}");
    auto const model = site_model(spec, start_model(spec, {}));
    expect_same_transitions(model.systems.front(), spec.given.rates);
}

TEST(PllModels, HaveTheSameGammaRates) {
    for (double const alpha : {0.05, 0.1, 0.5, 1.0, 3.0, 20.0, 100.0}) {
        for (std::uint32_t const categories : {2U, 4U, 8U, 16U}) {
            for (auto const& [ours, theirs] : {std::pair{Heterogeneity::gamma_mean, PLL_GAMMA_RATES_MEAN},
                                               std::pair{Heterogeneity::gamma_median, PLL_GAMMA_RATES_MEDIAN}}) {
                std::vector<double> expected(categories);
                ASSERT_TRUE(pll_compute_gamma_cats(alpha, categories, expected.data(), theirs));
                auto const rates = gamma_rates(ours, alpha, categories);
                for (std::uint32_t i = 0; i < categories; ++i) EXPECT_NEAR(rates[i], expected[i], 1e-11) << alpha;
            }
        }
    }
}

}  // namespace
}  // namespace regraft::likelihood
