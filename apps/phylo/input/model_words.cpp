#include "input/model_words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "files/matrix_file.hpp"
#include "input/site_weights.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::phylo {
namespace {

/// The model with which a choice begins for a word. None for other words.
std::optional<std::string_view> begin_of(std::string_view name) {
    struct Choice {
        std::string_view word;
        std::string_view begin;
    };
    constexpr std::string_view for_proteins = "LG+G4m";
    constexpr std::array choices{Choice{"AUTO", ""},
                                 Choice{"DNA", "GTR+FC+G4m"},
                                 Choice{"AA", for_proteins},
                                 Choice{"PROT", for_proteins},
                                 Choice{"PROTEIN", for_proteins},
                                 Choice{"MF", ""},
                                 Choice{"MFP", ""},
                                 Choice{"TEST", ""},
                                 Choice{"TESTONLY", ""}};
    auto const* const found = std::ranges::find(choices, upper_case(name), &Choice::word);
    return found == choices.end() ? std::nullopt : std::optional(found->begin);
}

/// One more than the last state that occurs.
std::uint32_t num_states(msa::Histogram const& histogram, msa::SetCharacters const& sets) {
    auto const alphabet = msa::Alphabet::multistate(msa::max_states);
    std::uint32_t count = 2;
    for (std::size_t c = 0; c < histogram.size(); ++c) {
        auto const mask = msa::state_mask(alphabet, static_cast<char>(c), sets);
        if (histogram[c] == 0 || mask == msa::undetermined(alphabet)) continue;
        while (count < msa::max_states && (mask >> count) != 0) ++count;
    }
    return count;
}

}  // namespace

std::optional<ModelToChoose> model_to_choose(std::string_view word) {
    auto const name = name_of(word);
    auto const begin = begin_of(name);
    if (!begin) return std::nullopt;
    auto suffix = upper_case(word.substr(name.size()));
    bool const is_ascertainment = suffix.starts_with("+ASC") && suffix.find('+', 1) == std::string::npos;
    if (!suffix.empty() && !is_ascertainment) {
        throw InputError(
            fmt::format("model '{}' has '{}', but what is to be chosen takes only +ASC_LEWIS, +ASC_FELS or "
                        "+ASC_STAM; --models and --rates say what is tried",
                        word, word.substr(name.size())));
    }
    if (suffix == "+ASC") suffix = "+ASC_LEWIS";
    return ModelToChoose{*begin, std::move(suffix)};
}

bool is_to_be_chosen(std::string_view word) {
    return begin_of(name_of(word)).has_value();
}

std::string upper_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return result;
}

bool is_model(std::string_view word) {
    if (is_to_be_chosen(word) || has_matrix_file(word)) return true;
    try {
        return !likelihood::parse_model(with_states(word, [] { return msa::Histogram{}; }, {})).name.empty();
    } catch (InputError const&) {
        // What looks like a model is reported as one.
        return word.find_first_of("+{") != std::string_view::npos || likelihood::is_codon_model(word);
    }
}

std::string with_states(std::string_view model, std::function<msa::Histogram()> const& histogram,
                        msa::SetCharacters const& sets) {
    struct Word {
        std::string_view theirs;
        std::string_view ours;
    };
    constexpr std::array words{Word{"MK", "MK"},       Word{"ORDERED", "ORDERED"},      Word{"GTRX", "GTR"},
                               Word{"MULTI_MK", "MK"}, Word{"MULTI_JC", "JC"},          Word{"MULTI_GTR", "GTR"},
                               Word{"MULTI", "GTR"},   Word{"MULTI_ORDERED", "ORDERED"}};
    auto const name = name_of(model);
    auto const* const found = std::ranges::find(words, upper_case(name), &Word::theirs);
    if (found == words.end()) return std::string(model);
    return fmt::format("MULTI{}_{}{}", num_states(histogram(), sets), found->ours, model.substr(name.size()));
}

bool scale_by_lengths(std::span<msa::PartitionSpec> partitions, std::span<std::uint32_t const> site_weights) {
    double sum = 0;
    std::uint64_t sites = 0;
    for (auto const& partition : partitions) {
        bool const can_be_scaled = !is_to_be_chosen(partition.model) && partition.model.find("+B") == std::string::npos;
        if (!can_be_scaled || !(partition.length > 0)) return false;
        auto const count = weight_of(partition, site_weights);
        sum += partition.length * static_cast<double>(count);
        sites += count;
    }
    for (auto& partition : partitions)
        partition.model += fmt::format("+B{{{}}}", partition.length * static_cast<double>(sites) / sum);
    return true;
}

}  // namespace regraft::phylo
