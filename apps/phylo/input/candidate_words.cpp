#include "input/candidate_words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/words.hpp"
#include "files/matrix_file.hpp"
#include "input/model_words.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

using likelihood::Heterogeneity;

std::vector<std::string> words_of(std::string_view option, std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        auto const end = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, end));
        if (words.back().empty() || end + 1 == list.size())
            throw InputError(fmt::format("{}: a word is empty, expected words with commas between them", option));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

/// The specs of all schemes, by their names; of DNA first.
std::vector<CandidateSet::Scheme> const& all_schemes() {
    static auto const schemes = [] {
        auto all = all_candidates(msa::Alphabet::dna).schemes;
        std::ranges::move(all_candidates(msa::Alphabet::amino_acid).schemes, std::back_inserter(all));
        return all;
    }();
    return schemes;
}

/// Whether a text is as the pattern says, where * stands for any letters. Precondition: the same case.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t at = 0;
    std::size_t read = 0;
    auto star = std::string_view::npos;
    std::size_t read_at_star = 0;
    while (read < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            read_at_star = read;
        } else if (at < pattern.size() && pattern[at] == text[read]) {
            ++at;
            ++read;
        } else if (star == std::string_view::npos) {
            return false;
        } else {
            at = star + 1;
            read = ++read_at_star;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

/// A name of a scheme, also by that of another program, or a pattern for names. Without frequencies (+FC) it stands for
/// all that there are.
class SchemeWord {
public:
    explicit SchemeWord(std::string const& word) {
        if (word.find('*') != std::string::npos) {
            pattern_ = upper_case(word);
            return;
        }
        try {
            spec_ = likelihood::parse_model(word);
        } catch (InputError const&) {
            return;
        }
        has_frequencies_ = word.find('+') != std::string::npos;
    }

    bool stands_for(CandidateSet::Scheme const& scheme) const {
        auto const& name = scheme.spec.name;
        if (!pattern_.empty()) {
            bool const is_whole = pattern_.find('+') != std::string::npos;
            return matches(pattern_, upper_case(is_whole ? scheme.name : name));
        }
        return spec_ && spec_->name == name && (!has_frequencies_ || is_same(*spec_, scheme.spec));
    }

private:
    static bool is_same(ModelSpec const& a, ModelSpec const& b) {
        return a.frequencies == b.frequencies && a.heterogeneity == b.heterogeneity &&
               a.invariant_from == b.invariant_from && a.ascertainment == b.ascertainment && !a.scaler_from &&
               a.profiles.empty();
    }

    std::string pattern_;
    std::optional<ModelSpec> spec_;
    bool has_frequencies_ = false;
};

[[noreturn]] void refuse_model(std::string const& word) {
    std::vector<std::string> names;
    for (auto const& scheme : all_schemes()) names.push_back(upper_case(scheme.spec.name));
    auto const nearest = common::most_similar(upper_case(name_of(word)), names);
    std::string text;
    for (auto const& scheme : all_schemes()) {
        if (nearest && upper_case(scheme.spec.name) == *nearest) text = "; the nearest is " + scheme.spec.name;
    }
    throw InputError(
        fmt::format("--models: '{}' is no candidate, expected names such as HKY, LG or LG+FC, or patterns "
                    "such as Q.*{} (docs/trees/phylo-models.md lists all)",
                    word, text));
}

std::vector<SchemeWord> scheme_words(std::string_view models) {
    std::vector<SchemeWord> result;
    for (auto const& word : words_of("--models", models)) {
        result.emplace_back(word);
        auto const& last = result.back();
        if (std::ranges::none_of(all_schemes(), [&](auto const& scheme) { return last.stands_for(scheme); }))
            refuse_model(word);
    }
    return result;
}

/// Heterogeneities, and whether numbers of free categories are tried as long as they pay.
struct Rates {
    std::vector<std::string> heterogeneities;
    bool has_series = false;
};

/// The suffix of a heterogeneity as candidates have it: I+G is +I+G4m. None if the word is no heterogeneity.
std::optional<std::string> heterogeneity_of(std::string const& word) {
    if (word == "E") return "";
    constexpr std::string_view first_letters = "IGR";
    auto rest = std::string_view(word);
    while (!rest.empty()) {
        auto const end = std::min(rest.find('+'), rest.size());
        auto const part = rest.substr(0, end);
        if (part.empty() || first_letters.find(part.front()) == std::string_view::npos || part == "R")
            return std::nullopt;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (word.ends_with('+') || word.find('{') != std::string::npos) return std::nullopt;
    try {
        auto const spec = likelihood::parse_model("JC+" + word);
        if (spec.invariant_from == likelihood::Origin::counted) return std::nullopt;
        std::string suffix = spec.invariant_from == likelihood::Origin::optimised ? "+I" : "";
        if (spec.has_gamma()) {
            auto const letter = spec.heterogeneity == Heterogeneity::gamma_mean ? 'm' : 'a';
            suffix += fmt::format("+G{}{}", spec.categories, letter);
        }
        if (spec.heterogeneity == Heterogeneity::free) suffix += fmt::format("+R{}", spec.categories);
        return suffix;
    } catch (InputError const&) {
        return std::nullopt;
    }
}

Rates rates_of(std::string_view list) {
    Rates result;
    for (auto const& word : words_of("--rates", list)) {
        auto text = upper_case(word);
        if (text.starts_with('+')) text.erase(0, 1);
        if (text == "R") {
            result.has_series = true;
            continue;
        }
        auto const suffix = heterogeneity_of(text);
        if (!suffix) {
            throw InputError(
                fmt::format("--rates: '{}' says nothing about rates over sites, expected E (equal), I, G, "
                            "I+G, R (as many categories as pay), or a number of categories, such as G8, R4 "
                            "or I+R3",
                            word));
        }
        auto& all = result.heterogeneities;
        if (std::ranges::find(all, *suffix) == all.end()) all.push_back(*suffix);
    }
    return result;
}

/// What is left of all candidates.
CandidateSet restricted(CandidateSet set, Options::Input const& input, std::string ascertainment) {
    set.ascertainment = std::move(ascertainment);
    if (!input.models.empty()) {
        auto const words = scheme_words(input.models);
        std::erase_if(set.schemes, [&](auto const& scheme) {
            return std::ranges::none_of(words, [&](auto const& word) { return word.stands_for(scheme); });
        });
    }
    if (!input.rates.empty()) {
        auto rates = rates_of(input.rates);
        set.heterogeneities = std::move(rates.heterogeneities);
        if (!rates.has_series) set.most_free_categories = 1;
    }
    // Not +I: the correction is for data from which constant sites were left out, so none can be in them.
    if (!set.ascertainment.empty())
        std::erase_if(set.heterogeneities, [](std::string const& suffix) { return suffix.starts_with("+I"); });
    return set;
}

}  // namespace

std::vector<std::shared_ptr<CandidateSet const>> candidates_of(Options const& options,
                                                               std::vector<msa::PartitionSpec> const& partitions,
                                                               std::vector<ModelSpec> const& specs) {
    auto const& input = options.input;
    std::map<std::pair<std::uint32_t, std::string>, std::shared_ptr<CandidateSet const>> sets;
    std::vector<std::shared_ptr<CandidateSet const>> result(partitions.size());
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        auto const chosen = model_to_choose(partitions[q].model);
        if (!chosen) continue;
        auto const alphabet = specs[q].alphabet;
        auto& set = sets[{alphabet.num_states, chosen->ascertainment}];
        if (!set) {
            set = std::make_shared<CandidateSet const>(
                restricted(all_candidates(alphabet), input, chosen->ascertainment));
        }
        bool const is_dna = alphabet == msa::Alphabet::dna;
        if (set->schemes.empty()) {
            throw InputError(
                fmt::format("--models {}: none of them is for {}, which partition {} has; expected some, such "
                            "as {}",
                            input.models, is_dna ? "DNA" : "amino acids", partitions[q].name, is_dna ? "HKY" : "LG"));
        }
        if (set->heterogeneities.empty() && set->most_free_categories == 1) {
            throw InputError(
                fmt::format("--rates {}: partition {} has {}, with which no site may be invariable; "
                            "expected others, such as E or G",
                            input.rates, partitions[q].name, chosen->ascertainment));
        }
        result[q] = set;
    }
    bool const restricts = !input.models.empty() || !input.rates.empty();
    if (sets.empty() && restricts)
        throw InputError(fmt::format("{}: no model is to be chosen, expected --model auto, or a partition with auto",
                                     input.models.empty() ? "--rates" : "--models"));
    return result;
}

}  // namespace regraft::phylo
