// Finds out what the characters of an alignment stand for, by counting them.
#include "regraft/msa/characters.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace regraft::msa {
namespace {

constexpr std::size_t most_states = 32;
constexpr std::string_view determined_bases = "ACGTUacgtu";
constexpr std::string_view missing = "-?.";

Histogram count_characters(std::span<char const> cells) {
    Histogram histogram{};
    auto* const counts = histogram.data();
#pragma omp parallel for schedule(static) reduction(+ : counts[:256])
    for (std::size_t i = 0; i < cells.size(); ++i) ++counts[static_cast<unsigned char>(cells[i])];
    return histogram;
}

char to_char(std::size_t byte) {
    return static_cast<char>(static_cast<unsigned char>(byte));
}

/// The table of a molecular alphabet, if all characters belong to it.
std::optional<CharacterTable> molecular_table(Histogram const& histogram, SetCharacters const& sets, CharacterKind kind,
                                              Alphabet alphabet) {
    CharacterTable table{.kind = kind, .num_states = alphabet.num_states};
    for (std::size_t byte = 0; byte < histogram.size(); ++byte) {
        if (histogram[byte] == 0) continue;
        table.states[byte] = state_mask(alphabet, to_char(byte), sets);
        if (table.states[byte] == 0) return std::nullopt;
    }
    return table;
}

/// Whether characters look like DNA. Proteins may be written in letters that all happen to be ambiguities of DNA.
bool looks_like_dna(Histogram const& histogram, CharacterTable const& table) {
    std::uint64_t determined = 0;
    std::uint64_t bases = 0;
    for (std::size_t byte = 0; byte < histogram.size(); ++byte) {
        auto const symbol = to_char(byte);
        if (table.is_undetermined(symbol)) continue;
        determined += histogram[byte];
        if (determined_bases.find(symbol) != std::string_view::npos) bases += histogram[byte];
    }
    return bases >= determined - bases;
}

std::size_t upper_case(std::size_t byte) {
    return 'a' <= byte && byte <= 'z' ? byte - 'a' + 'A' : byte;
}

/// Calls use with the characters of a set's states.
template <class Use>
void visit_characters(StateMask set, Use use) {
    for (std::size_t s = 0; s < max_states; ++s) {
        if ((set >> s & 1) != 0) use(static_cast<unsigned char>(multistate_symbols()[s]));
    }
}

/// The characters that get states, in increasing order: the most frequent ones; ties go to the lowest.
std::vector<std::size_t> characters_with_states(Histogram const& histogram, SetCharacters const& sets) {
    Histogram folded{};
    for (std::size_t byte = 0; byte < histogram.size(); ++byte) {
        if (auto const set = sets.states(to_char(byte)); set != 0) {
            visit_characters(set, [&](std::size_t character) { folded[character] += histogram[byte]; });
        } else {
            folded[upper_case(byte)] += histogram[byte];
        }
    }
    for (auto symbol : missing) folded[static_cast<unsigned char>(symbol)] = 0;
    std::vector<std::size_t> found;
    for (std::size_t byte = 0; byte < folded.size(); ++byte) {
        if (folded[byte] != 0) found.push_back(byte);
    }
    std::ranges::stable_sort(found, [&](std::size_t a, std::size_t b) { return folded[a] > folded[b]; });
    if (found.size() > most_states) found.resize(most_states);
    std::ranges::sort(found);
    return found;
}

CharacterTable table_of_whatever_occurs(Histogram const& histogram, SetCharacters const& sets) {
    auto const characters = characters_with_states(histogram, sets);
    CharacterTable table{.kind = CharacterKind::other, .num_states = static_cast<std::uint32_t>(characters.size())};
    for (std::size_t byte = 0; byte < histogram.size(); ++byte) {
        if (histogram[byte] == 0) continue;
        auto& states = table.states[byte];
        auto const add = [&](std::size_t character) {
            auto const found = std::ranges::find(characters, character);
            states |= found == characters.end() ? table.undetermined() : StateMask{1} << (found - characters.begin());
        };
        auto const set = sets.states(to_char(byte));
        set == 0 ? add(upper_case(byte)) : visit_characters(set, add);
    }
    return table;
}

}  // namespace

CharacterTable character_table(Alignment const& alignment) {
    return character_table(count_characters(alignment.cells), alignment.sets);
}

CharacterTable character_table(Histogram const& histogram, SetCharacters const& sets) {
    auto const dna = molecular_table(histogram, sets, CharacterKind::dna, Alphabet::dna);
    if (dna && looks_like_dna(histogram, *dna)) return *dna;
    auto const amino_acids = molecular_table(histogram, sets, CharacterKind::amino_acid, Alphabet::amino_acid);
    if (amino_acids) return *amino_acids;
    return table_of_whatever_occurs(histogram, sets);
}

std::string_view name(CharacterKind kind) {
    switch (kind) {
        case CharacterKind::dna:
            return name(Alphabet::dna);
        case CharacterKind::amino_acid:
            return name(Alphabet::amino_acid);
        case CharacterKind::other:
            break;
    }
    return "other";
}

}  // namespace regraft::msa
