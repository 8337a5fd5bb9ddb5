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

std::string upper_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return result;
}

/// One more than the last state that occurs.
std::uint32_t num_states(msa::Histogram const& histogram) {
    auto const alphabet = msa::Alphabet::multistate(msa::max_states);
    std::uint32_t count = 2;
    for (std::size_t c = 0; c < histogram.size(); ++c) {
        auto const mask = msa::state_mask(alphabet, static_cast<char>(c));
        if (histogram[c] == 0 || mask == msa::undetermined(alphabet)) continue;
        while (count < msa::max_states && (mask >> count) != 0) ++count;
    }
    return count;
}

}  // namespace

std::optional<std::string_view> choice_of(std::string_view word) {
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
    auto const* const found = std::ranges::find(choices, upper_case(word), &Choice::word);
    return found == choices.end() ? std::nullopt : std::optional(found->begin);
}

bool is_model(std::string_view word) {
    if (choice_of(word) || has_matrix_file(word)) return true;
    try {
        return !likelihood::parse_model(with_states(word, [] { return msa::Histogram{}; })).name.empty();
    } catch (InputError const&) {
        // What looks like a model is reported as one.
        return word.find_first_of("+{") != std::string_view::npos;
    }
}

std::string with_states(std::string_view model, std::function<msa::Histogram()> const& histogram) {
    struct Word {
        std::string_view theirs;
        std::string_view ours;
    };
    constexpr std::array words{Word{"MK", "MK"}, Word{"ORDERED", "ORDERED"}, Word{"GTRX", "GTR"}};
    auto const name = name_of(model);
    auto const* const found = std::ranges::find(words, upper_case(name), &Word::theirs);
    if (found == words.end()) return std::string(model);
    return fmt::format("MULTI{}_{}{}", num_states(histogram()), found->ours, model.substr(name.size()));
}

bool scale_by_lengths(std::span<msa::PartitionSpec> partitions, std::span<std::uint32_t const> site_weights) {
    double sum = 0;
    std::uint64_t sites = 0;
    for (auto const& partition : partitions) {
        bool const can_be_scaled = !choice_of(partition.model) && partition.model.find("+B") == std::string::npos;
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
