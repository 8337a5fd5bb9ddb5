// Substitution models: the meaning of names such as "GTR+FC+I+G4m", and the parameters of one partition.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/msa/alphabet.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// Where the value of a parameter comes from: from the model or the user, from counting the data, or from an optimiser.
enum class Origin : std::uint8_t { fixed, counted, optimised };
/// Where state frequencies come from: 1 / n each, the matrix, the model's name, the data, or an optimiser.
enum class Frequencies : std::uint8_t { equal, of_matrix, given, counted, optimised };
/// How rates differ between sites: not at all, by a discrete gamma distribution (means or medians of its parts), or
/// freely.
enum class Heterogeneity : std::uint8_t { none, gamma_mean, gamma_median, free };
/// The correction for sites that never change and were not sampled (Leache et al. 2015). lewis: likelihoods are
/// conditional on sites that vary. felsenstein: the total number of constant sites that were left out is given.
/// stamatakis: their number is given for each state.
enum class Ascertainment : std::uint8_t { none, lewis, felsenstein, stamatakis };

inline constexpr std::uint32_t max_gamma_categories = 64;  // of +G in the name of a model
inline constexpr std::uint32_t max_free_categories = 16;   // of +R
inline constexpr double min_alpha = 0.02;                  // least alpha of gamma rates, given or optimised
inline constexpr double max_alpha = 100;                   // largest alpha of gamma rates that is optimised
inline constexpr double max_given_alpha = 1000;            // largest that is given; IQ-TREE optimises up to it
inline constexpr double max_invariant = 0.99;  // largest proportion of sites that never change, given or optimised

/// Rates and frequencies of amino acids in the order of msa::Alphabet. Frequencies are as published: their sum may
/// differ from 1 by rounding.
struct EmpiricalMatrix {
    std::string_view name;                      // as in names of models
    std::array<double, 190> exchangeabilities;  // upper triangle by rows
    std::array<double, 20> frequencies;         // of the stationary distribution
};

/// A class of sites in a profile mixture: amino acids are as frequent as in its profile.
struct Profile {
    double weight;                       // proportion of sites
    std::array<double, 20> frequencies;  // in the order of msa::Alphabet
};

/// The values of a partition's parameters.
struct Model {
    std::vector<double> rates;        // one per class of ModelSpec::rate_classes
    std::vector<double> frequencies;  // empty: those of the matrices
    double alpha = 1;                 // shape of the gamma distribution
    double invariant = 0;             // proportion of sites that never change
    /// Rates and weights of free categories; the scale of neither matters.
    std::vector<double> category_rates;
    std::vector<double> category_weights;  // one per category
    std::vector<double> class_weights;     // one per class of a profile mixture; empty: those published
    double scaler = 1;                     // factor of the branch lengths

    /// Writes all values, for checkpoints and messages.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError if the bytes end too early.
    static Model read(ByteReader& in);
    bool operator==(Model const&) const = default;
};

/// The meaning of a model's name; nothing in it depends on data.
struct ModelSpec {
    std::string text;                             // as the user wrote it
    std::string name;                             // without modifiers
    msa::Alphabet alphabet = msa::Alphabet::dna;  // meaning of the characters
    /// The class of every pair of states (upper triangle by rows; DNA: AC AG AT CG CT GT); pairs of a class share a
    /// rate. The class of the last pair is the unit in which optimised rates are measured: its rate stays 1. Empty for
    /// empirical matrices.
    std::vector<std::uint32_t> rate_classes;
    std::span<EmpiricalMatrix const> matrices;          // one, or one per category (LG4M, LG4X)
    std::span<Profile const> profiles;                  // of a profile mixture (C10 to C60)
    Origin rates_from = Origin::fixed;                  // of rates between states
    Frequencies frequencies = Frequencies::optimised;   // with profiles: of a class in front of them, or of_matrix
    Heterogeneity heterogeneity = Heterogeneity::none;  // how rates differ between sites
    std::uint32_t categories = 1;                       // of rates; 1 without heterogeneity
    Origin alpha_from = Origin::fixed;                  // the shape of gamma rates
    Origin free_rates_from = Origin::fixed;             // of rates and weights of free categories
    Origin class_weights_from = Origin::fixed;          // of the classes of a profile mixture
    Origin invariant_from = Origin::fixed;              // of the proportion of sites that never change
    std::optional<Origin> scaler_from;                  // none: the name does not say
    Ascertainment ascertainment = Ascertainment::none;  // for sites that were left out
    std::vector<std::uint32_t> left_out;  // number of constant sites that were left out. felsenstein: one number;
                                          // stamatakis: one per state
    Model given;                          // fixed values

    /// The number of states of the alphabet.
    std::uint32_t num_states() const { return alphabet.num_states; }
    /// The number of different rates in rate_classes; 0 for empirical matrices.
    std::uint32_t num_rate_classes() const;
    /// The number of classes of sites, each with frequencies of its own; 1 without a profile mixture.
    std::uint32_t num_classes() const;
    /// The number of categories of its SiteModel: of rates, in each class.
    std::uint32_t num_site_categories() const { return categories * num_classes(); }
    /// Whether state frequencies of the data are needed, be it only as start values.
    bool counts_frequencies() const {
        return frequencies == Frequencies::counted || frequencies == Frequencies::optimised;
    }
    /// Whether rates are gamma distributed, so that there is an alpha.
    bool has_gamma() const {
        return heterogeneity == Heterogeneity::gamma_mean || heterogeneity == Heterogeneity::gamma_median;
    }
};

/// Reads NAME[{rates}] and modifiers as RAxML-NG does, in upper or lower case.
///
/// NAME: JC F81 K80 HKY ... GTR, or DNA and six characters, where equal characters mean equal rates (DNA010020 is
/// TN93); an amino-acid matrix, LG4M, LG4X, Poisson or PROTGTR; BIN; MULTIn_MK, MULTIn_GTR or, with changes between
/// neighbours only, MULTIn_ORDERED, of 2 to 64 states. {rates}: one per class. Frequencies: +F +FC counted, +FE equal,
/// +FO optimised, +FU{...}. Profile mixtures: +C[10-60][Opt][{weights}]; frequencies then make a class of their own.
/// Sites that never change: +I +IO optimised, +IC counted, +I{p}. Rates: +G[2-64][m|a][{alpha}] gamma, means or
/// medians, +R[2-16][{rates}[{weights}]] free; the number of categories is 4 if not given. Correction for constant
/// sites that were left out, not together with +I: +ASC +ASC_LEWIS, +ASC_FELS{number}, +ASC_STAM{number of each state}.
/// +B +BO +B{x}: scaler of the branch lengths. Braces fix a parameter. As in IQ-TREE, commas may separate values, rates
/// may lack that of the last pair, which is then 1 (GTR{1,2,1,1,2}), and +R may have weights and rates in turn
/// (+R2{0.9,0.5,0.1,3}). Throws InputError that names the part and the known alternatives.
ModelSpec parse_model(std::string_view text);
/// Whether other programs have a model of codons of this name. parse_model refuses it.
bool is_codon_model(std::string_view text);

/// Values that are counted in the data of a partition.
struct Counted {
    std::span<double const> frequencies;  // one per state
    double invariant = 0;                 // proportion of sites that show no change
};

/// The values from which optimisation starts. Fixed values are as given, and counted ones as counted. Optimised
/// frequencies start at the counted ones, optimised rates and alpha at 1, free rates at those of gamma with alpha 1,
/// weights of classes at those published, and invariant at half the counted proportion. Precondition: frequencies are
/// counted, or the spec needs none.
Model start_model(ModelSpec const& spec, Counted const& counted);

/// The number of parameters of the model that the data decide, by counting or by optimising; without the scaler.
std::uint32_t free_parameters(ModelSpec const& spec);

/// The model's name with all values fixed. parse_model and start_model make the same Model from it again, bit for bit.
std::string to_string(ModelSpec const& spec, Model const& model);

}  // namespace regraft::likelihood
#pragma GCC visibility pop
