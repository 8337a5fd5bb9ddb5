#include "model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <libpll/pll.h>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

struct DnaModel {
    std::string_view name;
    std::array<std::uint32_t, 6> classes;  // of AC AG AT CG CT GT
    Frequencies frequencies;
};
constexpr std::array dna_models{
    DnaModel{"JC", {0, 0, 0, 0, 0, 0}, Frequencies::equal},
    DnaModel{"K80", {1, 0, 1, 1, 0, 1}, Frequencies::equal},
    DnaModel{"F81", {0, 0, 0, 0, 0, 0}, Frequencies::optimised},
    DnaModel{"HKY", {1, 0, 1, 1, 0, 1}, Frequencies::optimised},
    DnaModel{"TN93", {2, 0, 2, 2, 1, 2}, Frequencies::optimised},
    DnaModel{"SYM", {0, 1, 2, 3, 4, 5}, Frequencies::equal},
    DnaModel{"GTR", {0, 1, 2, 3, 4, 5}, Frequencies::optimised},
};

struct Matrix {
    std::string_view name;
    double const* rates;
    double const* frequencies;
};
constexpr std::array matrices{
    Matrix{"LG", pll_aa_rates_lg, pll_aa_freqs_lg},
    Matrix{"WAG", pll_aa_rates_wag, pll_aa_freqs_wag},
    Matrix{"JTT", pll_aa_rates_jtt, pll_aa_freqs_jtt},
    Matrix{"DAYHOFF", pll_aa_rates_dayhoff, pll_aa_freqs_dayhoff},
    Matrix{"DCMUT", pll_aa_rates_dcmut, pll_aa_freqs_dcmut},
    Matrix{"JTT-DCMUT", pll_aa_rates_jttdcmut, pll_aa_freqs_jttdcmut},
    Matrix{"BLOSUM62", pll_aa_rates_blosum62, pll_aa_freqs_blosum62},
    Matrix{"VT", pll_aa_rates_vt, pll_aa_freqs_vt},
    Matrix{"PMB", pll_aa_rates_pmb, pll_aa_freqs_pmb},
    Matrix{"MTREV", pll_aa_rates_mtrev, pll_aa_freqs_mtrev},
    Matrix{"MTMAM", pll_aa_rates_mtmam, pll_aa_freqs_mtmam},
    Matrix{"MTART", pll_aa_rates_mtart, pll_aa_freqs_mtart},
    Matrix{"MTZOA", pll_aa_rates_mtzoa, pll_aa_freqs_mtzoa},
    Matrix{"STMTREV", pll_aa_rates_stmtrev, pll_aa_freqs_stmtrev},
    Matrix{"CPREV", pll_aa_rates_cprev, pll_aa_freqs_cprev},
    Matrix{"RTREV", pll_aa_rates_rtrev, pll_aa_freqs_rtrev},
    Matrix{"HIVB", pll_aa_rates_hivb, pll_aa_freqs_hivb},
    Matrix{"HIVW", pll_aa_rates_hivw, pll_aa_freqs_hivw},
    Matrix{"FLU", pll_aa_rates_flu, pll_aa_freqs_flu},
};

constexpr std::uint32_t max_categories = 64;

[[noreturn]] void unknown(std::string_view model, std::string_view part, std::string const& expected) {
    throw InputError("model '" + std::string(model) + "': '" + std::string(part) + "' is unknown, expected " +
                     expected);
}

std::string known_names() {
    std::string text = "a DNA model (";
    for (auto const& model : dna_models) text += std::string(model.name) + ' ';
    text.back() = ')';
    text += " or an amino-acid matrix (";
    for (auto const& matrix : matrices) text += std::string(matrix.name) + ' ';
    text.back() = ')';
    return text;
}

ModelSpec spec_by_name(std::string_view text, std::string_view name) {
    ModelSpec spec;
    spec.text = text;
    auto const called = [&](auto const& candidate) { return candidate.name == name; };
    if (auto const dna = std::find_if(dna_models.begin(), dna_models.end(), called); dna != dna_models.end()) {
        spec.rate_classes.assign(dna->classes.begin(), dna->classes.end());
        spec.frequencies = dna->frequencies;
        return spec;
    }
    if (name == "BIN" || name == "MULTI") {
        throw InputError("model '" + std::string(text) + "': only DNA and amino acids can be searched, expected " +
                         known_names());
    }
    auto const matrix = std::find_if(matrices.begin(), matrices.end(), called);
    if (matrix == matrices.end()) unknown(text, name, known_names());
    spec.alphabet = msa::Alphabet::amino_acid;
    spec.matrix_rates.assign(matrix->rates, matrix->rates + 190);
    spec.matrix_frequencies.assign(matrix->frequencies, matrix->frequencies + 20);
    spec.frequencies = Frequencies::of_matrix;
    return spec;
}

/// "G", "G4", "G8a": whether `part` is of this form; if so it is put into spec.
bool parse_gamma(std::string_view part, ModelSpec& spec) {
    part.remove_prefix(1);
    if (part.ends_with('a') || part.ends_with('m')) {
        spec.gamma = part.back() == 'a' ? GammaRates::median : GammaRates::mean;
        part.remove_suffix(1);
    }
    spec.categories = 4;
    if (part.empty()) return true;
    auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), spec.categories);
    return error == std::errc{} && end == part.data() + part.size() && spec.categories >= 2 &&
           spec.categories <= max_categories;
}

std::optional<Frequencies> parse_frequencies(std::string_view part) {
    if (part == "FC" || part == "F") return Frequencies::counted;
    if (part == "FE") return Frequencies::equal;
    if (part == "FO") return Frequencies::optimised;
    return std::nullopt;
}

}  // namespace

std::uint32_t ModelSpec::num_free_rates() const {
    return rate_classes.empty() ? 0 : *std::max_element(rate_classes.begin(), rate_classes.end());
}

ModelSpec parse_model(std::string_view text) {
    auto const plus = std::min(text.find('+'), text.size());
    auto spec = spec_by_name(text, text.substr(0, plus));
    bool seen_frequencies = false;
    bool seen_gamma = false;
    for (auto rest = text.substr(plus); !rest.empty();) {
        rest.remove_prefix(1);
        auto const end = std::min(rest.find('+'), rest.size());
        auto const part = rest.substr(0, end);
        rest.remove_prefix(end);
        if (auto const frequencies = parse_frequencies(part); frequencies && !seen_frequencies) {
            spec.frequencies = *frequencies;
            seen_frequencies = true;
        } else if (part.starts_with('G') && !seen_gamma && parse_gamma(part, spec)) {
            seen_gamma = true;
        } else {
            unknown(
                text, "+" + std::string(part),
                "at most one of +FC (counted) +FE (equal) +FO (optimised) and at most one +G[2-64][m|a] (gamma rates, "
                "mean or median of the categories)");
        }
    }
    return spec;
}

void Model::write(ByteWriter& out) const {
    out.put_all(std::span(rates));
    out.put_all(std::span(frequencies));
    out.put(alpha);
    out.put(scaler);
}

Model Model::read(ByteReader& in) {
    Model model;
    model.rates = in.get_all<double>();
    model.frequencies = in.get_all<double>();
    model.alpha = in.get<double>();
    model.scaler = in.get<double>();
    return model;
}

Model start_model(ModelSpec const& spec, std::span<double const> counted) {
    Model model;
    model.rates.assign(spec.num_free_rates() + 1, 1.0);
    switch (spec.frequencies) {
        case Frequencies::equal:
            model.frequencies.assign(spec.num_states(), 1.0 / spec.num_states());
            break;
        case Frequencies::optimised:  // from the counted ones on
        case Frequencies::counted:
            model.frequencies.assign(counted.begin(), counted.end());
            break;
        case Frequencies::of_matrix:
            model.frequencies = spec.matrix_frequencies;
            break;
    }
    return model;
}

std::vector<double> exchangeabilities(ModelSpec const& spec, Model const& model) {
    if (!spec.matrix_rates.empty()) return spec.matrix_rates;
    std::vector<double> rates;
    for (auto rate_class : spec.rate_classes) rates.push_back(model.rates[rate_class]);
    return rates;
}

}  // namespace regraft::phylo
