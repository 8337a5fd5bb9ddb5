// Which models are tried on a partition, one after the other, and which is the best: pure functions of what the ones
// before came to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/likelihood/model.hpp"

namespace regraft::phylo {

/// What is asked for in place of a model's name, in upper or lower case: that one is chosen.
inline constexpr std::string_view automatic_model = "auto";

/// Schwarz 1978; Akaike 1974, as it is and with Hurvich and Tsai's correction (1989).
enum class Criterion : std::uint8_t { bic, aicc, aic };
/// "BIC", "AICc", "AIC".
std::string_view name(Criterion criterion);

/// "HKY+FC" and "+I+G4m".
struct Candidate {
    std::string scheme;
    std::string heterogeneity;
    std::string name() const { return scheme + heterogeneity; }
    friend bool operator==(Candidate const&, Candidate const&) = default;
};

/// A candidate and what it came to.
struct TriedModel {
    Candidate candidate;
    std::uint64_t parameters = 0;  // free ones, with the lengths of the branches
    double loglh = 0;
};

/// By what trials are compared.
struct Measure {
    Criterion criterion = Criterion::bic;
    std::uint64_t num_sites = 0;
};

/// All are better the lower they are. They, and what is made of them, are the same bits on every machine.
struct Scores {
    double aic = 0;
    double aicc = 0;  // as if a degree of freedom were left where there is none
    double bic = 0;
    /// Infinity for what is no number.
    double by(Criterion criterion) const;
};
Scores scores(TriedModel const& trial, std::uint64_t num_sites);

/// The index of the trial with the lowest score, the first if there are several. Precondition: there is one.
std::size_t best_trial(std::span<TriedModel const> trials, Measure const& measure);

/// Per trial exp(-difference to the lowest score / 2), scaled to a sum of 1 (Burnham and Anderson 2002).
std::vector<double> weights(std::span<TriedModel const> trials, Measure const& measure);

/// Which candidate to try after these, none if it is enough:
///
/// 1. all heterogeneities under the scheme GTR+FC or LG; categories of free rates are added as long as the score falls;
/// 2. all schemes under the best heterogeneity, but special cases of those tried that can no longer be the best;
/// 3. other combinations, where what scheme and heterogeneity lose against the best ones is at most 10 together.
///
/// 2 and 3 again when there is a new best. Precondition: DNA or amino acids; trials are as this function orders them.
std::optional<Candidate> next_candidate(msa::Alphabet alphabet, std::span<TriedModel const> trials,
                                        Measure const& measure);

/// The candidate with the most categories, which takes the most memory.
Candidate largest_candidate(msa::Alphabet alphabet);

}  // namespace regraft::phylo
