// NAME[{rates}][+MODIFIER[{values}...]]... as RAxML-NG reads it (its wiki, "Input data", "Evolutionary model").
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "likelihood/models/matrices.hpp"
#include "likelihood/models/names.hpp"
#include "likelihood/models/profiles.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::likelihood {
namespace {

struct DnaModel {
    std::string_view name;
    std::string_view classes;  // classes of AC AG AT CG CT GT
    bool equal_frequencies;
};
constexpr std::array dna_models{
    DnaModel{"JC", "000000", true},      DnaModel{"F81", "000000", false},    DnaModel{"K80", "010010", true},
    DnaModel{"HKY", "010010", false},    DnaModel{"TN93ef", "010020", true},  DnaModel{"TN93", "010020", false},
    DnaModel{"K81", "012210", true},     DnaModel{"K81uf", "012210", false},  DnaModel{"TPM2", "010212", true},
    DnaModel{"TPM2uf", "010212", false}, DnaModel{"TPM3", "012012", true},    DnaModel{"TPM3uf", "012012", false},
    DnaModel{"TIM1", "012230", true},    DnaModel{"TIM1uf", "012230", false}, DnaModel{"TIM2", "010232", true},
    DnaModel{"TIM2uf", "010232", false}, DnaModel{"TIM3", "012032", true},    DnaModel{"TIM3uf", "012032", false},
    DnaModel{"TVMef", "012314", true},   DnaModel{"TVM", "012314", false},    DnaModel{"SYM", "012345", true},
    DnaModel{"GTR", "012345", false},
};

constexpr double min_number = 1e-100;  // below, products would become 0
constexpr double max_rate = 1e9;
constexpr double max_scaler = 1e6;
constexpr double max_left_out = 1e9;
constexpr double frequency_rounding = 1e-3;  // tolerance for the sum of values printed with few digits

/// "+G4m{0.5}" is the word "G4M" and one list of values.
struct Part {
    std::string_view model;
    std::string_view text;
    std::string word;
    std::vector<std::vector<double>> lists;
};

[[noreturn]] void wrong(Part const& part, std::string const& what) {
    throw InputError("model '" + std::string(part.model) + "': '" + std::string(part.text) + "' " + what);
}

/// All names but those of other programs, separated by blanks.
std::string all_names() {
    std::string names;
    for (auto const& model : dna_models) names += std::string(model.name) + ' ';
    return names + matrix_names() + " Poisson PROTGTR BIN " + profile_names();
}

[[noreturn]] void unknown(Part const& part) {
    if (is_codon_name(part.word)) {
        wrong(part,
              "is a model of codons, of which there are none; expected a model of DNA, such as GTR, with a partition "
              "for each codon position (1-300\\3, 2-300\\3, 3-300\\3), or one of amino acids, into which "
              "regraft-msa translate turns codons");
    }
    if (auto const near = nearest_matrix(part.word); !near.empty()) {
        wrong(part, "is a matrix that is not there; the nearest " + std::string(near) +
                        " (docs/trees/phylo-models.md lists all)");
    }
    auto const nearest = nearest_name(part.word, all_names());
    wrong(part, "is unknown, expected a name such as GTR, LG, BIN or MULTI3_MK" +
                    (nearest.empty() ? "" : "; the nearest is " + nearest) + " (docs/trees/phylo-models.md lists all)");
}

constexpr auto known_modifiers =
    "+F +FC +FE +FO +FU{frequencies}, +C[10-60][Opt][{weights}], +I +IO +IC +I{proportion}, +G[2-64][m|a][{alpha}] or "
    "+R[2-16][{rates}[{weights}]], +ASC +ASC_LEWIS +ASC_FELS{number} +ASC_STAM{n1/n2/...}, +B[{scaler}]";

double read_number(Part const& part, std::string_view text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        wrong(part, "holds '" + std::string(text) + "', expected a number");
    }
    if (value != 0 && std::abs(value) < min_number)
        wrong(part, "holds '" + std::string(text) + "', a number too small");
    return value;
}

/// Reads the numbers of "1/2/3", the text between braces. IQ-TREE separates them by commas.
std::vector<double> read_list(Part const& part, std::string_view text) {
    std::vector<double> values;
    for (;;) {
        auto const end = std::min(text.find_first_of("/,"), text.size());
        values.push_back(read_number(part, text.substr(0, end)));
        if (end == text.size()) return values;
        text.remove_prefix(end + 1);
    }
}

Part read_part(std::string_view model, std::string_view text) {
    std::size_t const word = text.starts_with('+') ? 1 : 0;
    auto const word_end = std::min(text.find('{'), text.size());
    Part part{model, text, upper_case(text.substr(word, word_end - word)), {}};
    for (auto rest = text.substr(word_end); !rest.empty();) {
        auto const end = rest.find('}');
        if (rest.front() != '{' || end == std::string_view::npos) wrong(part, "has braces that do not match");
        part.lists.push_back(read_list(part, rest.substr(1, end - 1)));
        rest.remove_prefix(end + 1);
    }
    return part;
}

/// Splits into the name and the modifiers with their plus signs. A plus sign in braces belongs to a number.
std::vector<Part> split(std::string_view model) {
    std::vector<Part> parts;
    std::size_t first = 0;
    bool braces = false;
    for (std::size_t i = 0; i <= model.size(); ++i) {
        if (i == model.size() || (model[i] == '+' && !braces)) {
            parts.push_back(read_part(model, model.substr(first, i - first)));
            first = i;
        } else if (model[i] == '{' || model[i] == '}') {
            braces = model[i] == '{';
        }
    }
    return parts;
}

std::string shown(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Throws unless there are `count` values from low to high.
void check(Part const& part, std::span<double const> values, std::size_t count, double low, double high) {
    if (values.size() != count) {
        wrong(part, "gives " + std::to_string(values.size()) + " values, expected " + std::to_string(count));
    }
    for (double value : values) {
        if (value >= low && value <= high) continue;
        wrong(part, "gives " + shown(value) + ", expected a number from " + shown(low) + " to " + shown(high));
    }
}

/// The value of a part that must have exactly one list of one value.
double one_value(Part const& part, double low, double high) {
    if (part.lists.size() != 1)
        wrong(part, "has " + std::to_string(part.lists.size()) + " lists of values, expected one");
    check(part, part.lists.front(), 1, low, high);
    return part.lists.front().front();
}

void expect_no_values(Part const& part) {
    if (!part.lists.empty()) wrong(part, "takes no values");
}

std::optional<std::uint32_t> read_count(std::string_view text, std::uint32_t low, std::uint32_t high) {
    std::uint32_t count = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < low || count > high) return std::nullopt;
    return count;
}

// --- names ---

/// The classes of characters: equal characters are equal classes, numbered in the order of the characters.
std::vector<std::uint32_t> classes_of(std::string_view characters) {
    std::string distinct(characters);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<std::uint32_t> classes;
    for (char c : characters) classes.push_back(static_cast<std::uint32_t>(distinct.find(c)));
    return classes;
}

ModelSpec by_classes(std::string_view name, msa::Alphabet alphabet, std::vector<std::uint32_t> classes,
                     Frequencies frequencies) {
    ModelSpec spec;
    spec.name = name;
    spec.alphabet = alphabet;
    spec.rate_classes = std::move(classes);
    spec.rates_from = spec.num_rate_classes() > 1 ? Origin::optimised : Origin::fixed;
    spec.frequencies = frequencies;
    return spec;
}

/// The model in which all rates differ.
ModelSpec general(std::string_view name, msa::Alphabet alphabet) {
    std::vector<std::uint32_t> classes(alphabet.num_states * (alphabet.num_states - 1) / 2);
    std::iota(classes.begin(), classes.end(), 0U);
    return by_classes(name, alphabet, std::move(classes), Frequencies::optimised);
}

std::optional<ModelSpec> dna_model(std::string const& upper) {
    for (auto const& [name, classes, equal] : dna_models) {
        if (upper_case(name) != upper) continue;
        return by_classes(name, msa::Alphabet::dna, classes_of(classes),
                          equal ? Frequencies::equal : Frequencies::optimised);
    }
    return std::nullopt;
}

/// The model of DNA and six characters, in which upper and lower case differ, or of six digits alone.
std::optional<ModelSpec> classes_model(std::string_view text) {
    constexpr std::string_view prefix = "DNA";
    constexpr std::size_t rates = 6;
    auto const name = text.substr(0, text.find('{'));
    auto characters = name;
    if (upper_case(name.substr(0, prefix.size())) == prefix) {
        characters.remove_prefix(prefix.size());
    } else if (name.find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    if (characters.size() != rates) return std::nullopt;
    return by_classes(name, msa::Alphabet::dna, classes_of(characters), Frequencies::optimised);
}

std::optional<ModelSpec> amino_acid_model(std::string const& upper) {
    if (upper == "PROTGTR") return general(upper, msa::Alphabet::amino_acid);
    if (upper == "POISSON")
        return by_classes("Poisson", msa::Alphabet::amino_acid, std::vector<std::uint32_t>(190), Frequencies::equal);
    ModelSpec spec;
    spec.matrices = find_matrices(upper);
    if (spec.matrices.empty()) return std::nullopt;
    bool const mixture = spec.matrices.size() > 1;
    spec.name = mixture ? upper : spec.matrices.front().name;
    spec.alphabet = msa::Alphabet::amino_acid;
    spec.frequencies = Frequencies::of_matrix;
    if (mixture) {
        spec.categories = static_cast<std::uint32_t>(spec.matrices.size());
        spec.heterogeneity = upper == "LG4X" ? Heterogeneity::free : Heterogeneity::gamma_mean;
        (upper == "LG4X" ? spec.free_rates_from : spec.alpha_from) = Origin::optimised;
    }
    return spec;
}

/// The model in which states change to their neighbours only.
ModelSpec ordered(std::string const& upper, msa::Alphabet alphabet) {
    std::vector<std::uint32_t> classes;
    for (std::uint32_t i = 0; i < alphabet.num_states; ++i) {
        for (auto j = i + 1; j < alphabet.num_states; ++j) classes.push_back(j == i + 1 ? 0 : 1);
    }
    auto spec = by_classes(upper, alphabet, classes, Frequencies::equal);
    spec.rates_from = Origin::fixed;
    if (spec.num_rate_classes() > 1) spec.given.rates = {1, 0};
    return spec;
}

std::optional<ModelSpec> multistate_model(std::string const& upper) {
    auto const separator = upper.find('_');
    if (!upper.starts_with("MULTI") || separator == std::string::npos) return std::nullopt;
    auto const states = read_count(std::string_view(upper).substr(5, separator - 5), 2, msa::max_states);
    auto const kind = upper.substr(separator + 1);
    if (!states || (kind != "GTR" && kind != "MK" && kind != "JC" && kind != "ORDERED")) return std::nullopt;
    auto const alphabet = msa::Alphabet::multistate(*states);
    if (kind == "GTR") return general(upper, alphabet);
    if (kind == "ORDERED") return ordered(upper, alphabet);
    std::vector<std::uint32_t> const classes(std::size_t{*states} * (*states - 1) / 2);
    return by_classes(upper, alphabet, classes, Frequencies::equal);
}

ModelSpec spec_by_name(Part const& part) {
    auto const upper = known_name(part.word);
    if (upper == "BIN") return general(upper, msa::Alphabet::binary);
    if (upper == "JC2") {
        auto spec = general("BIN", msa::Alphabet::binary);
        spec.frequencies = Frequencies::equal;
        return spec;
    }
    for (auto* family : {dna_model, amino_acid_model, multistate_model}) {
        if (auto spec = family(upper)) return *spec;
    }
    if (auto spec = classes_model(part.text)) return *spec;
    unknown(part);
}

/// The rates of all classes. IQ-TREE leaves out that of the last pair of states, which is 1, and has the others in the
/// order in which pairs first have them. values: all but one. O(pairs classes).
std::vector<double> with_unit(ModelSpec const& spec, std::vector<double> const& values) {
    std::vector<double> rates(spec.num_rate_classes());
    std::vector<bool> is_known(rates.size());
    auto const set = [&](std::uint32_t number, double rate) {
        rates[number] = rate;
        is_known[number] = true;
    };
    set(spec.rate_classes.back(), 1);
    auto next = values.begin();
    for (auto const number : spec.rate_classes) {
        if (!is_known[number]) set(number, *next++);
    }
    return rates;
}

void read_rates(ModelSpec& spec, Part const& part) {
    if (part.lists.empty()) return;
    if (spec.rate_classes.empty()) wrong(part, "gives rates, but the matrix has its own");
    if (part.lists.size() > 1) wrong(part, "has more than one list of values");
    auto values = part.lists.front();
    if (spec.num_rate_classes() > 1 && values.size() + 1 == spec.num_rate_classes()) values = with_unit(spec, values);
    check(part, values, spec.num_rate_classes(), 0, max_rate);
    spec.given.rates = std::move(values);
    auto const fastest = *std::max_element(spec.given.rates.begin(), spec.given.rates.end());
    if (fastest == 0) wrong(part, "gives only rates of 0");
    spec.rates_from = Origin::fixed;
}

// --- modifiers: each function returns whether the part is of its kind, and if so puts it into spec ---

void read_given_frequencies(ModelSpec& spec, Part const& part) {
    if (part.lists.size() != 1) wrong(part, "needs one list of frequencies");
    auto const& values = part.lists.front();
    check(part, values, spec.num_states(), 0, 1);
    auto const sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (std::abs(sum - 1) > frequency_rounding) wrong(part, "gives frequencies whose sum is " + shown(sum) + ", not 1");
    spec.given.frequencies = values;
    spec.frequencies = Frequencies::given;
}

bool read_frequencies(ModelSpec& spec, Part const& part) {
    if (part.word == "FU" || ((part.word == "F" || part.word == "FO") && !part.lists.empty())) {
        read_given_frequencies(spec, part);
        return true;
    }
    if (part.word == "F" || part.word == "FC") {
        spec.frequencies = Frequencies::counted;
    } else if (part.word == "FE" || part.word == "FQ") {
        spec.frequencies = Frequencies::equal;
    } else if (part.word == "FO") {
        if (spec.matrices.size() > 1) wrong(part, "cannot be optimised for several matrices at once");
        spec.frequencies = Frequencies::optimised;
    } else {
        return false;
    }
    expect_no_values(part);
    return true;
}

bool read_invariant(ModelSpec& spec, Part const& part) {
    if (part.word == "IU" || (part.word == "I" && !part.lists.empty())) {
        spec.given.invariant = one_value(part, 0, max_invariant);
        return true;
    }
    if (part.word != "I" && part.word != "IO" && part.word != "IC") return false;
    expect_no_values(part);
    spec.invariant_from = part.word == "IC" ? Origin::counted : Origin::optimised;
    return true;
}

bool read_profiles(ModelSpec& spec, Part const& part) {
    constexpr std::string_view optimised = "OPT";
    auto const is_optimised = part.word.ends_with(optimised);
    auto const name = part.word.substr(0, part.word.size() - (is_optimised ? optimised.size() : 0));
    auto const profiles = find_profiles(name);
    if (profiles.empty()) return false;
    if (spec.alphabet != msa::Alphabet::amino_acid) wrong(part, "has profiles of amino acids, which the model has not");
    if (spec.matrices.size() > 1) wrong(part, "cannot be combined with several matrices");
    if (is_optimised) expect_no_values(part);
    if (part.lists.size() > 1) wrong(part, "has more than one list of values");
    spec.profiles = profiles;
    spec.class_weights_from = is_optimised ? Origin::optimised : Origin::fixed;
    if (!part.lists.empty()) spec.given.class_weights = part.lists.front();
    return true;
}

/// Decides what of a profile mixture depends on the frequencies, which are those of a class in front of the profiles if
/// the name has some.
void finish_profiles(ModelSpec& spec, Part const& part, bool has_frequencies) {
    if (!has_frequencies) spec.frequencies = Frequencies::of_matrix;
    if (spec.given.class_weights.empty()) {
        // As in IQ-TREE: for such a class no weight is published.
        if (has_frequencies) spec.class_weights_from = Origin::optimised;
        return;
    }
    check(part, spec.given.class_weights, spec.num_classes(), 0, max_rate);
    auto const& weights = spec.given.class_weights;
    if (*std::max_element(weights.begin(), weights.end()) == 0) wrong(part, "gives only weights of 0");
}

/// Reads the number of categories from digits. Without digits it is 4, unless the number is set already.
void read_categories(ModelSpec& spec, Part const& part, std::string_view digits, std::uint32_t most) {
    auto const preset = spec.categories > 1 ? spec.categories : 4;
    auto const count = digits.empty() ? preset : read_count(digits, 2, most);
    if (!count) wrong(part, "is unknown, expected 2 to " + std::to_string(most) + " categories");
    if (spec.matrices.size() > 1 && *count != spec.matrices.size()) {
        wrong(part, "does not fit " + std::to_string(spec.matrices.size()) + " matrices, one per category");
    }
    spec.categories = *count;
    spec.alpha_from = Origin::fixed;
    spec.free_rates_from = Origin::fixed;
}

bool read_gamma(ModelSpec& spec, Part const& part) {
    if (!part.word.starts_with('G')) return false;
    auto digits = std::string_view(part.word).substr(1);
    bool const median = digits.ends_with('A');
    if (median || digits.ends_with('M')) digits.remove_suffix(1);
    read_categories(spec, part, digits, max_gamma_categories);
    spec.heterogeneity = median ? Heterogeneity::gamma_median : Heterogeneity::gamma_mean;
    if (part.lists.empty()) {
        spec.alpha_from = Origin::optimised;
    } else {
        spec.given.alpha = one_value(part, min_alpha, max_given_alpha);
    }
    return true;
}

/// Rates, and weights if there are some. IQ-TREE has them in one list: weight, rate, weight, rate, ...
std::vector<std::vector<double>> lists_of_free_rates(Part const& part, std::size_t categories) {
    if (part.lists.size() != 1 || part.lists.front().size() != 2 * categories) return part.lists;
    std::vector<std::vector<double>> lists(2);
    for (std::size_t i = 0; i < 2 * categories; ++i) lists[1 - i % 2].push_back(part.lists.front()[i]);
    return lists;
}

bool read_free_rates(ModelSpec& spec, Part const& part) {
    if (!part.word.starts_with('R')) return false;
    read_categories(spec, part, std::string_view(part.word).substr(1), max_free_categories);
    spec.heterogeneity = Heterogeneity::free;
    if (part.lists.empty()) {
        spec.free_rates_from = Origin::optimised;
        return true;
    }
    if (part.lists.size() > 2) wrong(part, "has more than two lists of values, rates and weights");
    auto const lists = lists_of_free_rates(part, spec.categories);
    for (auto const& list : lists) check(part, list, spec.categories, 0, max_rate);
    spec.given.category_rates = lists.front();
    spec.given.category_weights = lists.size() == 2 ? lists.back() : std::vector(spec.categories, 1.0);
    auto const mean = std::inner_product(spec.given.category_rates.begin(), spec.given.category_rates.end(),
                                         spec.given.category_weights.begin(), 0.0);
    if (mean == 0) wrong(part, "gives weight only to rates of 0");
    return true;
}

bool read_ascertainment(ModelSpec& spec, Part const& part) {
    if (part.word == "ASC_LEWIS" || part.word == "ASC") {
        expect_no_values(part);
        spec.ascertainment = Ascertainment::lewis;
        return true;
    }
    if (part.word != "ASC_FELS" && part.word != "ASC_STAM") return false;
    bool const felsenstein = part.word == "ASC_FELS";
    if (part.lists.size() != 1) wrong(part, "needs one list of numbers of sites");
    check(part, part.lists.front(), felsenstein ? 1 : spec.num_states(), 0, max_left_out);
    for (double number : part.lists.front()) {
        if (number != std::floor(number)) wrong(part, "gives " + shown(number) + ", expected a number of sites");
        spec.left_out.push_back(static_cast<std::uint32_t>(number));
    }
    spec.ascertainment = felsenstein ? Ascertainment::felsenstein : Ascertainment::stamatakis;
    return true;
}

bool read_scaler(ModelSpec& spec, Part const& part) {
    if (part.word == "BU" || (part.word == "B" && !part.lists.empty())) {
        spec.given.scaler = one_value(part, 1 / max_scaler, max_scaler);
        spec.scaler_from = Origin::fixed;
        return true;
    }
    if (part.word != "B" && part.word != "BO") return false;
    expect_no_values(part);
    spec.scaler_from = Origin::optimised;
    return true;
}

bool read_heterogeneity(ModelSpec& spec, Part const& part) {
    return read_gamma(spec, part) || read_free_rates(spec, part);
}

constexpr std::array modifiers{read_frequencies,   read_profiles,      read_invariant,
                               read_heterogeneity, read_ascertainment, read_scaler};

/// The parts of the text. A profile mixture alone is one of equal rates: C60 means Poisson+C60.
std::vector<Part> parts_of(std::string_view text) {
    auto parts = split(text);
    ModelSpec amino_acids;
    amino_acids.alphabet = msa::Alphabet::amino_acid;
    if (read_profiles(amino_acids, parts.front())) parts.insert(parts.begin(), read_part(text, "Poisson"));
    return parts;
}

}  // namespace

bool is_codon_model(std::string_view text) {
    return is_codon_name(upper_case(text.substr(0, text.find_first_of("+{"))));
}

ModelSpec parse_model(std::string_view text) {
    auto const words = in_our_words(text);
    auto const parts = parts_of(words);
    auto spec = spec_by_name(parts.front());
    spec.text = text;
    read_rates(spec, parts.front());
    std::array<Part const*, modifiers.size()> seen{};
    for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
        auto const* const kind =
            std::find_if(modifiers.begin(), modifiers.end(), [&](auto* read) { return read(spec, *part); });
        if (kind == modifiers.end())
            wrong(*part, "is unknown, expected one of each of " + std::string(known_modifiers));
        auto& before = seen[static_cast<std::size_t>(kind - modifiers.begin())];
        if (before != nullptr) wrong(*part, "is the second of its kind");
        before = &*part;
    }
    if (auto const* const profiles = seen[1]) finish_profiles(spec, *profiles, seen[0] != nullptr);
    if (spec.ascertainment != Ascertainment::none &&
        (spec.invariant_from != Origin::fixed || spec.given.invariant > 0)) {
        throw InputError("model '" + spec.text +
                         "' has +I and +ASC_, expected one: sites that never change are in the data or left out");
    }
    return spec;
}

}  // namespace regraft::likelihood
