#include "regraft/search/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "likelihood/kernels/ieee_math.hpp"
#include "regraft/core/contracts.hpp"
#include "search/models/nested_models.hpp"

namespace regraft::search {
namespace {

using msa::Alphabet;

/// The substitution schemes. Heterogeneities are tried under the first one.
constexpr std::array dna_schemes{"GTR+FC",    "SYM",    "TVM+FC",   "TVMef", "TIM1uf+FC", "TIM1", "TIM2uf+FC", "TIM2",
                                 "TIM3uf+FC", "TIM3",   "K81uf+FC", "K81",   "TPM2uf+FC", "TPM2", "TPM3uf+FC", "TPM3",
                                 "TN93+FC",   "TN93ef", "HKY+FC",   "K80",   "F81+FC",    "JC"};
constexpr std::array amino_acid_matrices{
    "LG",     "WAG",       "JTT",   "JTT-DCMut", "Dayhoff",  "DCMut",    "VT",      "PMB",    "Blosum62", "rtREV",
    "cpREV",  "stmtREV",   "mtREV", "mtMAM",     "mtART",    "mtZOA",    "FLU",     "HIVb",   "HIVw",     "DEN",
    "Q.pfam", "Q.pfam_gb", "Q.LG",  "Q.bird",    "Q.mammal", "Q.insect", "Q.plant", "Q.yeast"};
constexpr std::array all_heterogeneities{"", "+I", "+G4m", "+I+G4m"};
constexpr std::uint32_t most_free_categories = 10;
/// A combination is tried if its score is expected to be at most this much above the lowest.
constexpr double close = 10;
/// How far below its maximum the log-likelihood of a trial may end.
constexpr double slack = 0.5;

std::vector<std::string> scheme_names(Alphabet alphabet) {
    if (alphabet == Alphabet::dna) return {dna_schemes.begin(), dna_schemes.end()};
    std::vector<std::string> names;
    for (std::string const matrix : amino_acid_matrices) names.insert(names.end(), {matrix, matrix + "+FC"});
    return names;
}

/// The candidate of a set with this scheme and, without ascertainment, this heterogeneity.
Candidate candidate_of(CandidateSet const& set, std::string const& scheme, std::string const& heterogeneity) {
    return {scheme, heterogeneity + set.ascertainment};
}

std::string free_rates(std::uint32_t categories) {
    return categories == 1 ? "" : "+R" + std::to_string(categories);
}

/// The candidates that were tried, and their scores.
class Results {
public:
    Results(std::span<TriedModel const> trials, Measure const& measure) : trials_(trials) {
        for (auto const& trial : trials) {
            scores_.push_back(scores(trial, measure.num_sites).by(measure.criterion));
        }
    }

    std::size_t best() const {
        REGRAFT_EXPECTS(!scores_.empty());
        return static_cast<std::size_t>(std::min_element(scores_.begin(), scores_.end()) - scores_.begin());
    }
    bool has(Candidate const& candidate) const { return find(candidate) != trials_.size(); }
    /// The score of a candidate. Precondition: has(candidate).
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

/// The next of the heterogeneities that are tried under the first scheme.
std::optional<Candidate> next_heterogeneity(CandidateSet const& set, Results const& results) {
    auto const& scheme = set.schemes.front().name;
    for (auto const& heterogeneity : set.heterogeneities) {
        auto candidate = candidate_of(set, scheme, heterogeneity);
        if (!results.has(candidate)) return candidate;
    }
    for (std::uint32_t categories = 2; categories <= set.most_free_categories; ++categories) {
        auto candidate = candidate_of(set, scheme, free_rates(categories));
        if (!results.has(candidate)) return candidate;
        auto const before = candidate_of(set, scheme, free_rates(categories - 1));
        if (results.has(before) && results.score(candidate) >= results.score(before)) break;
    }
    return std::nullopt;
}

/// Whether the scheme's score can be the lowest: its likelihood is at most that of a scheme of which it is a special
/// case.
bool can_win(CandidateSet::Scheme const& scheme, CandidateSet const& set, std::string const& heterogeneity,
             std::span<TriedModel const> trials, Results const& results, Measure const& measure) {
    for (auto const& general : set.schemes) {
        if (!is_special_case(scheme.spec, general.spec) || !results.has({general.name, heterogeneity})) continue;
        auto at_best = *std::ranges::find(trials, Candidate{general.name, heterogeneity}, &TriedModel::candidate);
        at_best.parameters -= likelihood::free_parameters(general.spec) - likelihood::free_parameters(scheme.spec);
        at_best.loglh += slack;
        if (scores(at_best, measure.num_sites).by(measure.criterion) >= results.all_scores()[results.best()])
            return false;
    }
    return true;
}

/// The first combination of a scheme and a heterogeneity, tried separately, whose score would be close to the lowest if
/// their losses added up.
std::optional<Candidate> next_combination(std::span<TriedModel const> trials, Results const& results,
                                          std::string const& first) {
    auto const& best = trials[results.best()].candidate;
    double const lowest = results.score(best);
    double const lowest_of_first = results.score({first, best.heterogeneity});
    for (auto const& trial : trials) {
        auto const& scheme = trial.candidate;
        if (scheme.heterogeneity != best.heterogeneity) continue;
        double const loss = results.score(scheme) - lowest;
        for (auto const& other : trials) {
            auto const& heterogeneity = other.candidate;
            if (heterogeneity.scheme != first) continue;
            Candidate const candidate{scheme.scheme, heterogeneity.heterogeneity};
            if (loss + results.score(heterogeneity) - lowest_of_first <= close && !results.has(candidate))
                return candidate;
        }
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
    double const score = criterion == Criterion::bic ? bic : criterion == Criterion::aicc ? aicc : aic;
    return std::isnan(score) ? std::numeric_limits<double>::infinity() : score;
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

CandidateSet all_candidates(Alphabet alphabet) {
    REGRAFT_EXPECTS(alphabet == Alphabet::dna || alphabet == Alphabet::amino_acid);
    CandidateSet set{.schemes = {},
                     .heterogeneities = {all_heterogeneities.begin(), all_heterogeneities.end()},
                     .most_free_categories = most_free_categories,
                     .ascertainment = ""};
    for (auto& name : scheme_names(alphabet)) {
        auto spec = likelihood::parse_model(name);
        set.schemes.push_back({std::move(name), std::move(spec)});
    }
    return set;
}

std::optional<Candidate> next_candidate(CandidateSet const& set, std::span<TriedModel const> trials,
                                        Measure const& measure) {
    Results const results(trials, measure);
    if (auto candidate = next_heterogeneity(set, results)) return candidate;

    auto const& best = trials[results.best()].candidate;
    for (auto const& scheme : set.schemes) {
        if (!results.has({scheme.name, best.heterogeneity}) &&
            can_win(scheme, set, best.heterogeneity, trials, results, measure))
            return Candidate{scheme.name, best.heterogeneity};
    }
    return next_combination(trials, results, set.schemes.front().name);
}

likelihood::ModelSpec merging_model(CandidateSet const& set) {
    auto const& all = set.heterogeneities;
    std::string const gamma = "+G4m";
    auto const last = all.empty() ? free_rates(set.most_free_categories) : all.back();
    auto const& heterogeneity = std::ranges::find(all, gamma) != all.end() ? gamma : last;
    return likelihood::parse_model(candidate_of(set, set.schemes.front().name, heterogeneity).name());
}

Candidate largest_candidate(CandidateSet const& set) {
    auto const& scheme = set.schemes.front().name;
    auto largest = free_rates(set.most_free_categories);
    auto most = set.most_free_categories;
    for (auto const& heterogeneity : set.heterogeneities) {
        auto const categories = likelihood::parse_model(scheme + heterogeneity).categories;
        if (categories > most || (most == 1 && categories == 1)) largest = heterogeneity;
        most = std::max(most, categories);
    }
    return candidate_of(set, scheme, largest);
}

}  // namespace regraft::search
