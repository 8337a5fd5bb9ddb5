#include "likelihood/models/names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "likelihood/models/matrices.hpp"

namespace regraft::likelihood {
namespace {

struct Alias {
    std::string_view alias;
    std::string_view name;
};
// Names of jModelTest and IQ-TREE 2. Where IQ-TREE's TIM2, TIM3, TPM2 and TPM3 are RAxML-NG's TIM2uf and so on,
// RAxML-NG is followed.
constexpr std::array aliases{
    Alias{"JC69", "JC"},
    Alias{"K2P", "K80"},
    Alias{"HKY85", "HKY"},
    Alias{"TrN", "TN93"},
    Alias{"TrNef", "TN93ef"},
    Alias{"TN", "TN93"},
    Alias{"TNe", "TN93ef"},
    Alias{"TPM1", "K81"},
    Alias{"TPM1uf", "K81uf"},
    Alias{"K3P", "K81"},
    Alias{"K3Pu", "K81uf"},
    Alias{"TPM2ef", "TPM2"},
    Alias{"TPM2u", "TPM2uf"},
    Alias{"TPM3ef", "TPM3"},
    Alias{"TPM3u", "TPM3uf"},
    Alias{"TIM1ef", "TIM1"},
    Alias{"TIMe", "TIM1"},
    Alias{"TIM", "TIM1uf"},
    Alias{"TIM2ef", "TIM2"},
    Alias{"TIM2e", "TIM2"},
    Alias{"TIM3ef", "TIM3"},
    Alias{"TIM3e", "TIM3"},
    Alias{"TVMe", "TVMef"},
    Alias{"GTR20", "PROTGTR"},
    Alias{"JTTDCMUT", "JTT-DCMut"},
    Alias{"GTR2", "BIN"},
};

/// Matrices of amino acids that other programs have, and what is near.
struct Absent {
    std::string_view name;
    std::string_view nearest;
};
constexpr std::array absent_matrices{
    Absent{"MTMET", "one is mtZOA, also of mitochondria of Metazoa"},
    Absent{"MTVER", "one is mtMAM, also of mitochondria of vertebrates"},
    Absent{"MTINV", "one is mtZOA, also of mitochondria of invertebrates"},
    Absent{"FLAVI", "one is DEN, of dengue viruses, which are flaviviruses"},
};

// Names of IQ-TREE and MrBayes for models of codons, and words with which types of data begin.
constexpr std::array<std::string_view, 11> codon_models{"GY",     "GY94",   "MG",   "MG94",   "MGK",   "GY0K",
                                                        "GY1KTS", "GY1KTV", "GY2K", "MG1KTS", "MG1KTV"};
constexpr std::array<std::string_view, 6> codon_types{"CODON", "NT2AA", "ECM", "KOSI07", "SCHN05", "MG2K"};

/// The number of letters to insert, remove or replace (Levenshtein 1966). O(a b).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            auto const replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// Takes a word away from the begin of a text, if it is there.
bool take(std::string_view& text, std::string_view word) {
    if (!upper_case(text).starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

}  // namespace

std::string known_name(std::string_view upper) {
    for (auto const& [alias, name] : aliases) {
        if (upper == upper_case(alias)) return upper_case(name);
    }
    return std::string(upper);
}

std::string in_our_words(std::string_view model) {
    auto rest = model;
    bool const is_protein = take(rest, "PROT");
    std::string name;
    for (std::string_view const first : {"GTR", "BIN"}) {
        if (!is_protein && take(rest, first)) name = first;
    }
    bool const is_approximated = rest.size() >= 3 && upper_case(rest).starts_with("CAT");
    if ((!is_protein && name.empty()) || (!is_approximated && !take(rest, "GAMMA"))) return std::string(model);
    if (is_approximated) rest.remove_prefix(3);  // the final model of RAxML 8 is GAMMA
    bool const has_invariant = take(rest, "I");
    if (is_protein) {
        auto const end = std::min(rest.find('+'), rest.size());
        name = rest.substr(0, end);
        rest.remove_prefix(end);
        if (upper_case(name) == "GTR") name = "PROTGTR";
        auto const last = name.empty() ? ' ' : upper_case(name).back();
        if (find_matrices(upper_case(name)).empty() && (last == 'F' || last == 'X')) {
            name.pop_back();
            name += last == 'F' ? "+F" : "+FO";
        }
    }
    if (!rest.empty() && rest.front() != '+') return std::string(model);
    return name + "+G" + (has_invariant ? "+I" : "") + std::string(rest);
}

std::string_view nearest_matrix(std::string_view upper) {
    for (auto const& [name, nearest] : absent_matrices) {
        if (upper == name) return nearest;
    }
    return "";
}

bool is_codon_name(std::string_view upper) {
    auto const begins = [&](std::string_view word) { return upper.starts_with(word); };
    auto const is = [&](std::string_view word) { return upper == word; };
    return std::ranges::any_of(codon_types, begins) || std::ranges::any_of(codon_models, is);
}

std::string nearest_name(std::string_view upper, std::string_view names) {
    std::string best;
    if (upper.empty()) return best;
    // Two letters may have changed places.
    auto least = std::max(upper.size() / 3, std::min<std::size_t>(2, upper.size() - 1)) + 1;
    while (!names.empty()) {
        auto const end = std::min(names.find(' '), names.size());
        auto const name = names.substr(0, end);
        if (auto const found = distance(upper, upper_case(name)); !name.empty() && found < least) {
            least = found;
            best = name;
        }
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return best;
}

}  // namespace regraft::likelihood
