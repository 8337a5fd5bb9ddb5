#include "candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "regraft/core/contracts.hpp"
#include "regraft/likelihood/ieee_math.hpp"

namespace regraft::phylo {
namespace {

using likelihood::DataType;

/// With the first one the search begins.
constexpr std::array dna_schemes{"GTR+FC",    "SYM",    "TVM+FC",   "TVMef", "TIM1uf+FC", "TIM1", "TIM2uf+FC", "TIM2",
                                 "TIM3uf+FC", "TIM3",   "K81uf+FC", "K81",   "TPM2uf+FC", "TPM2", "TPM3uf+FC", "TPM3",
                                 "TN93+FC",   "TN93ef", "HKY+FC",   "K80",   "F81+FC",    "JC"};
constexpr std::array amino_acid_matrices{"LG",    "WAG",      "JTT",   "JTT-DCMut", "Dayhoff", "DCMut", "VT",
                                         "PMB",   "Blosum62", "rtREV", "cpREV",     "stmtREV", "mtREV", "mtMAM",
                                         "mtART", "mtZOA",    "FLU",   "HIVb",      "HIVw",    "DEN"};
constexpr std::array heterogeneities{"", "+I", "+G4m", "+I+G4m"};
constexpr std::uint32_t most_free_categories = 10;
/// How much worse than the best a heterogeneity may be under the first scheme to be tried under others.
constexpr double close = 10;

std::vector<std::string> schemes(DataType type) {
    if (type == DataType::dna) return {dna_schemes.begin(), dna_schemes.end()};
    REGRAFT_EXPECTS(type == DataType::amino_acid);
    std::vector<std::string> result;
    for (std::string const matrix : amino_acid_matrices) result.insert(result.end(), {matrix, matrix + "+FC"});
    return result;
}

std::string free_rates(std::uint32_t categories) {
    return categories == 1 ? "" : "+R" + std::to_string(categories);
}

/// What was tried, and how it came out.
class Results {
public:
    Results(std::span<TriedModel const> trials, Measure const& measure) : trials_(trials) {
        for (auto const& trial : trials) {
            auto const score = scores(trial, measure.num_sites).by(measure.criterion);
            scores_.push_back(std::isnan(score) ? std::numeric_limits<double>::infinity() : score);
        }
    }

    std::size_t best() const {
        REGRAFT_EXPECTS(!scores_.empty());
        return static_cast<std::size_t>(std::min_element(scores_.begin(), scores_.end()) - scores_.begin());
    }
    bool has(Candidate const& candidate) const { return find(candidate) != trials_.size(); }
    /// Precondition: has(candidate).
    double score(Candidate const& candidate) const { return scores_[find(candidate)]; }
    std::vector<double> const& all_scores() const { return scores_; }

private:
    std::size_t find(Candidate const& candidate) const {
        return static_cast<std::size_t>(std::ranges::find(trials_, candidate, &TriedModel::candidate) -
                                        trials_.begin());
    }
    std::span<TriedModel const> trials_;
    std::vector<double> scores_;
};

/// Of those to be tried under the first scheme.
std::optional<Candidate> next_heterogeneity(Results const& results, std::string const& scheme) {
    for (auto const* heterogeneity : heterogeneities) {
        if (!results.has({scheme, heterogeneity})) return Candidate{scheme, heterogeneity};
    }
    for (std::uint32_t categories = 2; categories <= most_free_categories; ++categories) {
        Candidate const candidate{scheme, free_rates(categories)};
        if (!results.has(candidate)) return candidate;
        if (results.score(candidate) >= results.score({scheme, free_rates(categories - 1)})) break;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name(Criterion criterion) {
    switch (criterion) {
        case Criterion::bic:
            return "BIC";
        case Criterion::aicc:
            return "AICc";
        case Criterion::aic:
            return "AIC";
    }
    return "";
}

double Scores::by(Criterion criterion) const {
    switch (criterion) {
        case Criterion::bic:
            return bic;
        case Criterion::aicc:
            return aicc;
        case Criterion::aic:
            return aic;
    }
    return 0;
}

Scores scores(TriedModel const& trial, std::uint64_t num_sites) {
    auto const k = static_cast<double>(trial.parameters);
    auto const n = static_cast<double>(num_sites);
    double const aic = 2 * k - 2 * trial.loglh;
    return {.aic = aic,
            .aicc = aic + 2 * k * (k + 1) / std::max(n - k - 1, 1.0),
            .bic = k * likelihood::log(n) - 2 * trial.loglh};
}

std::size_t best_trial(std::span<TriedModel const> trials, Measure const& measure) {
    return Results(trials, measure).best();
}

std::vector<double> weights(std::span<TriedModel const> trials, Measure const& measure) {
    Results const results(trials, measure);
    std::vector<double> weights;
    double sum = 0;
    for (double score : results.all_scores()) {
        weights.push_back(likelihood::exp((results.all_scores()[results.best()] - score) / 2));
        sum += weights.back();
    }
    for (auto& weight : weights) weight /= sum;
    return weights;
}

std::optional<Candidate> next_candidate(DataType type, std::span<TriedModel const> trials, Measure const& measure) {
    Results const results(trials, measure);
    auto const all_schemes = schemes(type);
    auto const& first = all_schemes.front();
    if (auto candidate = next_heterogeneity(results, first)) return candidate;

    auto const& best = trials[results.best()].candidate;
    for (auto const& scheme : all_schemes) {
        if (!results.has({scheme, best.heterogeneity})) return Candidate{scheme, best.heterogeneity};
    }
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i].candidate.scheme == first) least = std::min(least, results.all_scores()[i]);
    }
    for (std::size_t i = 0; i < trials.size(); ++i) {
        auto const& [scheme, heterogeneity] = trials[i].candidate;
        if (scheme != first || results.all_scores()[i] > least + close) continue;
        if (!results.has({best.scheme, heterogeneity})) return Candidate{best.scheme, heterogeneity};
    }
    return std::nullopt;
}

Candidate largest_candidate(DataType type) {
    return {schemes(type).front(), free_rates(most_free_categories)};
}

}  // namespace regraft::phylo
