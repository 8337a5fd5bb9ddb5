// Substitution models: what "GTR+FC+G4m" means, and the parameters of one partition.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::phylo {

enum class Frequencies : std::uint8_t { equal, counted, optimised, of_matrix };
enum class GammaRates : std::uint8_t { mean, median };

/// What a model's name says; nothing in it depends on data.
struct ModelSpec {
    std::string text;  // as the user wrote it
    msa::Alphabet alphabet = msa::Alphabet::dna;
    /// DNA: which of the rates AC AG AT CG CT GT are one parameter; the class of GT is fixed at 1. Empty for a matrix.
    std::vector<std::uint32_t> rate_classes;
    std::vector<double> matrix_rates;        // amino acids: the 190 exchangeabilities of an empirical matrix
    std::vector<double> matrix_frequencies;  // and its 20 frequencies
    Frequencies frequencies = Frequencies::optimised;
    std::uint32_t categories = 1;
    GammaRates gamma = GammaRates::mean;

    std::uint32_t num_states() const { return msa::num_states(alphabet); }
    bool has_alpha() const { return categories > 1; }
    /// How many rate classes are free parameters.
    std::uint32_t num_free_rates() const;
};

/// Reads NAME[+FC|+FE|+FO][+G[n][m|a]]: DNA JC K80 F81 HKY TN93 SYM GTR; amino acids LG WAG JTT and libpll's others.
/// Without +F: JC, K80 and SYM have equal frequencies, other DNA models optimised ones, matrices their own. Throws
/// InputError that names the part and what is known.
ModelSpec parse_model(std::string_view text);

/// The values of a partition's parameters.
struct Model {
    std::vector<double> rates;  // per class of ModelSpec::rate_classes; the last is 1
    std::vector<double> frequencies;
    double alpha = 1;
    double scaler = 1;  // of the branch lengths, with --brlen scaled

    void write(ByteWriter& out) const;
    static Model read(ByteReader& in);
};

/// All rates and alpha 1; frequencies as the spec says, where `counted` are the empirical ones, from which optimised
/// ones start.
Model start_model(ModelSpec const& spec, std::span<double const> counted);

/// One rate per pair of states, upper triangle by rows, as libpll wants them.
std::vector<double> exchangeabilities(ModelSpec const& spec, Model const& model);

}  // namespace regraft::phylo
