// Decides which models are tried on a partition, one after the other, and which is best. Pure functions of earlier
// results, after ModelFinder (Kalyaanamoorthy et al. 2017).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/likelihood/model.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// What users write instead of a model's name, in upper or lower case, to let the program choose a model.
inline constexpr std::string_view automatic_model = "auto";

/// The score that compares models: BIC (Schwarz 1978), AIC with Hurvich and Tsai's correction (1989), or AIC (Akaike
/// 1974).
enum class Criterion : std::uint8_t { bic, aicc, aic };
/// The name of the criterion: "BIC", "AICc", "AIC".
std::string_view name(Criterion criterion);

/// A model to try: a substitution scheme, for example "HKY+FC", and a heterogeneity of rates over sites, for example
/// "+I+G4m".
struct Candidate {
    std::string scheme;         // the substitution scheme: name of a model with equal rates at all sites
    std::string heterogeneity;  // suffix for rates that differ over sites; empty: they do not
    /// The name of the model, for parse_model.
    std::string name() const { return scheme + heterogeneity; }
    friend bool operator==(Candidate const&, Candidate const&) = default;
};

/// The models among which a choice is made: a scheme with a heterogeneity each. All have the same ascertainment, since
/// likelihoods that are conditional on sites that vary do not compare with others.
struct CandidateSet {
    /// A substitution scheme: the name of a model with equal rates at all sites, and its meaning.
    struct Scheme {
        std::string name;            // as Candidate::scheme
        likelihood::ModelSpec spec;  // what parse_model makes of it
    };
    std::vector<Scheme> schemes;               // heterogeneities are tried under the first one
    std::vector<std::string> heterogeneities;  // such as "" and "+I+G4m", in the order in which they are tried
    std::uint32_t most_free_categories = 1;    // then +R2, +R3 ... up to this, as long as they pay; 1: none
    std::string ascertainment;                 // suffix of all names, such as "+ASC_LEWIS"; or empty
};
/// The set of each partition; null where a model is given. Partitions of a kind share one.
using Candidates = std::span<std::shared_ptr<CandidateSet const> const>;
/// All schemes and heterogeneities of DNA or amino acids. Precondition: the alphabet is one of these.
CandidateSet all_candidates(msa::Alphabet alphabet);

/// A candidate and its results.
struct TriedModel {
    Candidate candidate;           // what was tried
    std::uint64_t parameters = 0;  // number of free parameters, including branch lengths
    double loglh = 0;              // its log-likelihood at the end of the trial
};

/// How trials are compared.
struct Measure {
    Criterion criterion = Criterion::bic;  // the score that decides
    std::uint64_t num_sites = 0;           // sample size in BIC and AICc
};

/// Scores of a trial; lower is better. They, and everything computed from them, are the same bits on every machine.
struct Scores {
    double aic = 0;   // 2 parameters - 2 loglh
    double aicc = 0;  // aic + 2 k (k + 1) / max(num_sites - k - 1, 1) for k parameters
    double bic = 0;   // parameters ln(num_sites) - 2 loglh
    /// The score by a criterion; infinity if it is NaN.
    double by(Criterion criterion) const;
};
/// The scores of a trial on num_sites sites.
Scores scores(TriedModel const& trial, std::uint64_t num_sites);

/// The index of the trial with the lowest score, the first if there are several. Precondition: !trials.empty().
std::size_t best_trial(std::span<TriedModel const> trials, Measure const& measure);

/// The weight of each trial: exp(-difference to the lowest score / 2), scaled to a sum of 1 (Burnham and Anderson
/// 2002).
std::vector<double> weights(std::span<TriedModel const> trials, Measure const& measure);

/// The next candidate to try after these trials; none if they suffice. The order is:
///
/// 1. all heterogeneities under the first scheme, GTR+FC or LG if it is in the set; categories of free rates are added
/// as long as the score falls;
///
/// 2. all schemes under the best heterogeneity, except special cases of tried ones that can no longer be the best;
///
/// 3. other combinations, if the scheme loses against the best scheme, and the heterogeneity against the best one, at
/// most 10 units of the score together.
///
/// Steps 2 and 3 are repeated when there is a new best trial. Preconditions: the set has schemes, and heterogeneities
/// or categories of free rates; the trials are results of this function, in its order.
std::optional<Candidate> next_candidate(CandidateSet const& set, std::span<TriedModel const> trials,
                                        Measure const& measure);

/// The model under which partitions are merged if their models are chosen later: the first scheme, with +G4m if that is
/// in the set. So it is GTR+FC+G4m or LG+G4m if all are.
likelihood::ModelSpec merging_model(CandidateSet const& set);

/// The candidate with the most categories, which takes the most memory.
Candidate largest_candidate(CandidateSet const& set);

}  // namespace regraft::search
#pragma GCC visibility pop
