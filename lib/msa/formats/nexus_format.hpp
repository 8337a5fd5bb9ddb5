// What NEXUS says of a matrix in front of it: its dimensions, and what its characters mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msa/formats/blocks.hpp"
#include "msa/text/nexus_text.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {

/// Data without letters for states: 0, 1, 2, ...
inline constexpr auto standard_data = Alphabet::multistate(max_states);

/// The states of a set, such as {01}.
struct StateSet {
    StateMask states = 0;         // 0: one of its characters is not in the alphabet
    bool is_missing = false;      // whether a character of it stands for all states
    char const* wrong = nullptr;  // a character that is no symbol
};

/// The sets of states of a text. Which of them have characters, and which, is known only at the end; until then they
/// have some in the order in which they are found.
class NexusSets {
public:
    /// text: with its braces. meaning_of: what a character stands for.
    template <class MeaningOf>
    StateSet parse(Alphabet alphabet, std::string_view text, MeaningOf meaning_of) const {
        StateSet set;
        for (char const& c : text.substr(1, text.size() - 2)) {
            if (is_blank(c) || c == ',') continue;
            auto const more = state_mask(alphabet, meaning_of(c), found_);
            if (more == 0 || is_state_set(c)) return {0, false, &c};
            set.is_missing = set.is_missing || more == undetermined(alphabet);
            set.states |= more;
        }
        return set;
    }
    /// The character of a set; 0 if there is none.
    char character(Alphabet alphabet, StateSet const& set);
    /// What is expected in place of a set without a character.
    static std::string expected_instead(StateSet const& set);
    /// Gives the cells their characters for sets.
    void finish(Alignment& alignment) const;

private:
    SetCharacters found_{std::vector<StateMask>()};
};

/// A character that stands for another one.
struct Equate {
    char symbol;
    char meaning;
    bool is_symbol;  // whether `meaning` is a character of the matrix; otherwise it is one of the alphabet
};

/// The commands in front of the matrix.
struct Format {
    std::optional<std::uint64_t> num_taxa;
    std::optional<std::uint64_t> num_sites;
    std::optional<Alphabet> alphabet;  // none: the user says what the states are
    std::optional<char> gap;
    std::optional<char> missing;
    std::optional<char> match;
    bool respects_case = false;
    bool is_standard = true;  // the states are those of `symbols`
    std::string symbols;      // of the states 0, 1, ...; empty: as in Alphabet::multistate
    std::vector<Equate> equates;
    Layout layout = Layout::sequential;
};

/// Reads the commands in front of the matrix.
class FormatReader {
public:
    FormatReader(NexusText& text, NexusSets& sets) : text_(text), cursor_(text.cursor()), sets_(sets) {}

    Format const& format() const { return format_; }
    /// num_taxa: gets the number of taxa, if it is stated.
    void read_dimensions(std::optional<std::uint64_t>& num_taxa);
    /// Forgets the commands of the block before.
    void begin_block() { format_ = {}; }
    void read_own_dimensions() { read_dimensions(format_.num_taxa); }
    void read_format();
    /// The number of taxa, if the block does not state one itself.
    void use_num_taxa(std::optional<std::uint64_t> num_taxa) {
        if (!format_.num_taxa) format_.num_taxa = num_taxa;
    }

private:
    /// A symbol in `equate`, and the text of what it stands for.
    struct Definition {
        char symbol;
        std::string_view meaning;
    };

    void read_item();
    void read_datatype();
    void read_equate();
    void read_symbols();
    void check_symbols(char const* at);
    Equate resolved(Definition const& definition);
    char take_character();
    char take_symbol();
    std::string take_value();

    NexusText& text_;
    Cursor& cursor_;
    NexusSets& sets_;
    Format format_;
    std::vector<Definition> definitions_;
};

/// The letter in the other case; other characters stay as they are.
char other_case(char c);

/// What a character of the matrix means if the format lists symbols; 0 if it is none of them.
char meaning_of_symbol(Format const& format, char c);

}  // namespace regraft::msa
