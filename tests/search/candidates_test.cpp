#include "regraft/search/candidates.hpp"
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using likelihood::parse_model;
using msa::Alphabet;

constexpr std::uint64_t num_branches = 21;

auto const of_dna = all_candidates(Alphabet::dna);

TriedModel tried(Candidate const& candidate, double loglh) {
    return {candidate, likelihood::free_parameters(parse_model(candidate.name())) + num_branches, loglh};
}

TEST(Scores, AreTheCriteriaByHand) {
    auto const s = scores({{"HKY+FC", "+G4m"}, 26, -1000}, 127);
    EXPECT_EQ(s.aic, 2 * 26 + 2000);
    EXPECT_EQ(s.aicc, 2052 + 2.0 * 26 * 27 / 100);
    EXPECT_NEAR(s.bic, 26 * std::log(127.0) + 2000, 1e-10);
    EXPECT_EQ(s.by(Criterion::aic), s.aic);
    EXPECT_EQ(s.by(Criterion::aicc), s.aicc);
    EXPECT_EQ(s.by(Criterion::bic), s.bic);
}

TEST(Scores, CorrectForSmallSamplesAsIfOneDegreeOfFreedomWereLeft) {
    EXPECT_EQ(scores({{}, 9, -10}, 11).aicc, scores({{}, 9, -10}, 5).aicc);
    EXPECT_EQ(scores({{}, 9, -10}, 11).aicc, 38 + 180);
}

TEST(BestTrial, IsTheFirstWithTheLowestScoreAndNeverOneWithoutALikelihood) {
    Measure const measure{Criterion::aic, 100};
    std::vector<TriedModel> const trials{{{"a", ""}, 1, std::nan("")},
                                         {{"b", ""}, 4, -50},
                                         {{"c", ""}, 3, -49},
                                         {{"d", ""}, 2, -48},
                                         {{"e", ""}, 2, -48}};
    EXPECT_EQ(best_trial(trials, measure), 3u);
    auto const shares = weights(trials, measure);
    EXPECT_EQ(shares[0], 0);
    EXPECT_EQ(shares[3], shares[4]);
    EXPECT_NEAR(shares[2] / shares[3], std::exp(-2), 1e-12);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
}

/// Likelihoods that could come from data: a special case never has a higher one than the scheme above it. Ties of rates
/// cost what they hide; frequencies and heterogeneities cost the same for all schemes, except for some noise.
class Oracle {
public:
    explicit Oracle(std::uint64_t seed) : random_(seed) {
        for (auto& cost : cost_of_tie_) cost = random_.below(2) == 0 ? 0.2 * random_.unit() : 30 * random_.unit();
        equal_frequencies_ = 40 * random_.unit() - 10;
        most_categories_ = 2 + random_.below(5);
        invariant_ = 300 * random_.unit();
        gamma_ = invariant_ + 200 * random_.unit();
    }
    TriedModel operator()(Candidate const& candidate) {
        auto const spec = parse_model(candidate.name());
        double loglh = -5000;
        std::size_t pair = 0;
        for (std::size_t i = 0; i < spec.rate_classes.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j, ++pair) {
                if (spec.rate_classes[i] == spec.rate_classes[j]) loglh -= cost_of_tie_[pair];
            }
        }
        if (spec.frequencies == likelihood::Frequencies::equal) loglh -= equal_frequencies_;
        if (candidate.scheme.starts_with("DNA") || spec.rate_classes.empty()) loglh -= matrix(candidate.scheme);
        return tried(candidate, loglh + heterogeneity(candidate.heterogeneity));
    }

private:
    double heterogeneity(std::string const& text) const {
        if (text.empty()) return 0;
        if (text == "+I") return invariant_;
        if (text == "+G4m") return gamma_;
        if (text == "+I+G4m") return gamma_ + 0.02 * invariant_;
        auto const k = std::min<double>(std::stod(text.substr(2)), static_cast<double>(most_categories_));
        return 1.05 * gamma_ * (1 - std::exp(-(k - 1)));
    }
    double matrix(std::string const& scheme) {
        auto const known = matrices_.find(scheme);
        if (known != matrices_.end()) return known->second;
        return matrices_[scheme] = 500 * random_.unit();
    }
    Random random_;
    std::array<double, 15> cost_of_tie_{};
    double equal_frequencies_ = 0;
    std::uint64_t most_categories_ = 0;
    double invariant_ = 0;
    double gamma_ = 0;
    std::map<std::string, double> matrices_;
};

std::vector<TriedModel> try_all(Alphabet alphabet, Measure const& measure, Oracle& oracle) {
    auto const set = all_candidates(alphabet);
    std::vector<TriedModel> trials;
    while (auto candidate = next_candidate(set, trials, measure)) trials.push_back(oracle(*candidate));
    return trials;
}

std::set<std::string> names(std::vector<TriedModel> const& trials) {
    std::set<std::string> result;
    for (auto const& trial : trials) result.insert(trial.candidate.name());
    return result;
}

TEST(NextCandidate, BeginsWithTheHeterogeneitiesOfTheRichestScheme) {
    std::vector<TriedModel> trials;
    Measure const measure{Criterion::bic, 1000};
    std::vector<std::string> order;
    // R3 is no better than R2, so R4 is not tried.
    std::map<std::string, double> const loglh{{"", -2000},       {"+I", -1900},  {"+G4m", -1700},
                                              {"+I+G4m", -1699}, {"+R2", -1750}, {"+R3", -1750}};
    for (int i = 0; i < 7; ++i) {
        auto const candidate = next_candidate(of_dna, trials, measure);
        ASSERT_TRUE(candidate);
        order.push_back(candidate->name());
        trials.push_back(tried(*candidate, i < 6 ? loglh.at(candidate->heterogeneity) : 0));
    }
    EXPECT_EQ(order, (std::vector<std::string>{"GTR+FC", "GTR+FC+I", "GTR+FC+G4m", "GTR+FC+I+G4m", "GTR+FC+R2",
                                               "GTR+FC+R3", "SYM+G4m"}));
}

TEST(NextCandidate, LeavesOutSpecialCasesThatCannotWin) {
    std::vector<TriedModel> trials;
    Measure const measure{Criterion::bic, 1000};
    // All rates and frequencies matter much, heterogeneity does not.
    while (auto candidate = next_candidate(of_dna, trials, measure)) {
        trials.push_back(tried(*candidate, candidate->scheme == "GTR+FC" ? -2000 : -3000));
    }
    auto const all = names(trials);
    EXPECT_TRUE(all.contains("SYM") && all.contains("TVM+FC"));
    EXPECT_FALSE(all.contains("TVMef") || all.contains("K81uf+FC") || all.contains("JC"));
    EXPECT_LE(all.size(), 20u);
}

TEST(NextCandidate, ComesToTheBestOfAllCombinationsWithFewTrials) {
    for (auto const alphabet : {Alphabet::dna, Alphabet::amino_acid}) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            for (auto const criterion : {Criterion::bic, Criterion::aicc, Criterion::aic}) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " by " << name(criterion));
                Oracle oracle(seed);
                Measure const measure{criterion, 1500};
                auto const trials = try_all(alphabet, measure, oracle);
                auto const found = names(trials);
                EXPECT_EQ(found.size(), trials.size());  // none twice
                EXPECT_LE(trials.size(), 80u);

                std::set<std::string> schemes;
                std::set<std::string> heterogeneities;
                for (auto const& trial : trials) {
                    schemes.insert(trial.candidate.scheme);
                    heterogeneities.insert(trial.candidate.heterogeneity);
                }
                for (auto const* scheme : {"K81", "HKY+FC", "K80", "F81+FC", "JC", "TPM2uf+FC", "TPM3", "TVMef"}) {
                    if (alphabet == Alphabet::dna) schemes.insert(scheme);
                }
                double lowest = std::numeric_limits<double>::infinity();
                for (auto const& scheme : schemes) {
                    for (auto const& heterogeneity : heterogeneities) {
                        auto const trial = oracle({scheme, heterogeneity});
                        lowest = std::min(lowest, scores(trial, measure.num_sites).by(criterion));
                    }
                }
                auto const& best = trials[best_trial(trials, measure)];
                EXPECT_EQ(scores(best, measure.num_sites).by(criterion), lowest);
            }
        }
    }
}

TEST(NextCandidate, TriesAllMatricesWithTheirFrequenciesAndWithThoseOfTheData) {
    Oracle oracle(3);
    auto const all = names(try_all(Alphabet::amino_acid, {Criterion::bic, 400}, oracle));
    std::set<std::string> schemes;
    for (auto const& text : all) schemes.insert(parse_model(text).name + (text.find("+FC") < text.size() ? "+FC" : ""));
    EXPECT_EQ(schemes.size(), 56u);
}

/// A set with some of the candidates.
CandidateSet some_of(Alphabet alphabet, std::set<std::string> const& schemes, std::vector<std::string> heterogeneities,
                     std::uint32_t most_free_categories) {
    auto set = all_candidates(alphabet);
    std::erase_if(set.schemes, [&](auto const& scheme) { return !schemes.contains(scheme.name); });
    set.heterogeneities = std::move(heterogeneities);
    set.most_free_categories = most_free_categories;
    return set;
}

TEST(NextCandidate, TriesNoneThatIsNotInTheSetAndFindsTheBestOfIt) {
    struct Case {
        Alphabet alphabet;
        std::set<std::string> schemes;
        std::vector<std::string> heterogeneities;
        std::uint32_t most_free_categories;
        std::string ascertainment;
    };
    std::vector<Case> const cases{{Alphabet::dna, {"HKY+FC", "JC"}, {"+G4m"}, 1, ""},
                                  {Alphabet::dna, {"K80", "SYM"}, {"", "+I", "+G4m", "+I+G4m"}, 10, ""},
                                  {Alphabet::dna, {"JC"}, {}, 10, ""},  // +R2 first
                                  {Alphabet::amino_acid, {"WAG", "Q.bird+FC"}, {"", "+G4m"}, 1, "+ASC_LEWIS"},
                                  {Alphabet::amino_acid, {"LG", "LG+FC", "JTT"}, {"+G4m"}, 4, "+ASC_LEWIS"}};
    for (auto const& [alphabet, schemes, heterogeneities, most, ascertainment] : cases) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            SCOPED_TRACE(testing::Message() << *schemes.begin() << " seed " << seed);
            auto set = some_of(alphabet, schemes, heterogeneities, most);
            set.ascertainment = ascertainment;
            // The oracle knows no ascertainment, which changes all likelihoods in the same way.
            Oracle oracle(seed);
            auto const value_of = [&](Candidate const& candidate) {
                auto const& suffix = candidate.heterogeneity;
                auto plain = candidate;
                plain.heterogeneity = suffix.substr(0, suffix.size() - ascertainment.size());
                auto trial = oracle(plain);
                trial.candidate = candidate;
                return trial;
            };
            Measure const measure{Criterion::bic, 1500};
            std::vector<TriedModel> trials;
            while (auto const candidate = next_candidate(set, trials, measure)) trials.push_back(value_of(*candidate));
            ASSERT_FALSE(trials.empty());
            std::set<std::string> tried_suffixes(heterogeneities.begin(), heterogeneities.end());
            for (auto const& trial : trials) {
                auto const& [scheme, heterogeneity] = trial.candidate;
                EXPECT_TRUE(schemes.contains(scheme)) << scheme;
                ASSERT_TRUE(heterogeneity.ends_with(ascertainment)) << heterogeneity;
                auto const suffix = heterogeneity.substr(0, heterogeneity.size() - ascertainment.size());
                bool const is_listed = std::ranges::find(heterogeneities, suffix) != heterogeneities.end();
                EXPECT_TRUE(is_listed || (suffix.starts_with("+R") && std::stoul(suffix.substr(2)) <= most)) << suffix;
                tried_suffixes.insert(suffix);
            }
            double lowest = std::numeric_limits<double>::infinity();
            for (auto const& scheme : schemes) {
                for (auto const& suffix : tried_suffixes) {
                    auto const trial = value_of({scheme, suffix + ascertainment});
                    lowest = std::min(lowest, scores(trial, measure.num_sites).by(measure.criterion));
                }
            }
            auto const& best = trials[best_trial(trials, measure)];
            EXPECT_EQ(scores(best, measure.num_sites).by(measure.criterion), lowest);
        }
    }
}

TEST(MergingModel, IsTheFirstSchemeWithGammaIfThatIsInTheSet) {
    EXPECT_EQ(merging_model(of_dna).text, "GTR+FC+G4m");
    EXPECT_EQ(merging_model(some_of(Alphabet::dna, {"HKY+FC", "JC"}, {"", "+G4m", "+I+G4m"}, 1)).text, "HKY+FC+G4m");
    EXPECT_EQ(merging_model(some_of(Alphabet::amino_acid, {"Q.bird"}, {"", "+I"}, 10)).text, "Q.bird+I");
    EXPECT_EQ(merging_model(some_of(Alphabet::amino_acid, {"WAG"}, {}, 3)).text, "WAG+R3");
}

TEST(NextCandidate, EndsIfNoLikelihoodIsANumber) {
    for (auto const alphabet : {Alphabet::dna, Alphabet::amino_acid}) {
        auto const set = all_candidates(alphabet);
        std::vector<TriedModel> trials;
        while (auto candidate = next_candidate(set, trials, {Criterion::bic, 10})) {
            trials.push_back(tried(*candidate, std::nan("")));
            ASSERT_LT(trials.size(), 500u);
        }
    }
}

TEST(LargestCandidate, IsInTheSet) {
    EXPECT_EQ(largest_candidate(some_of(Alphabet::dna, {"JC"}, {"+I"}, 1)).name(), "JC+I");
    EXPECT_EQ(largest_candidate(some_of(Alphabet::dna, {"JC"}, {"", "+G8m", "+I+G4m"}, 1)).name(), "JC+G8m");
    EXPECT_EQ(largest_candidate(some_of(Alphabet::dna, {"JC"}, {"+G16m"}, 10)).name(), "JC+G16m");
    EXPECT_EQ(largest_candidate(some_of(Alphabet::dna, {"JC"}, {}, 3)).name(), "JC+R3");
}

TEST(LargestCandidate, HasAtLeastAsManyCategoriesAsAnyOther) {
    for (auto const alphabet : {Alphabet::dna, Alphabet::amino_acid}) {
        auto const set = all_candidates(alphabet);
        auto const most = parse_model(largest_candidate(set).name()).categories;
        std::vector<TriedModel> trials;
        double loglh = -9000;  // each one better than the one before
        while (auto candidate = next_candidate(set, trials, {Criterion::bic, 1000})) {
            trials.push_back(tried(*candidate, loglh += 100));
            EXPECT_LE(parse_model(candidate->name()).categories, most);
            ASSERT_LT(trials.size(), 500u);
        }
    }
}

}  // namespace
}  // namespace regraft::phylo
