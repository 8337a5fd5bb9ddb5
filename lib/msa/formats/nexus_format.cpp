#include "msa/formats/nexus_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "msa/sites/set_cells.hpp"

namespace regraft::msa {
namespace {

bool is_cased(char c) {
    return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z');
}

char as_upper(char c) {
    return 'a' <= c && c <= 'z' ? other_case(c) : c;
}

/// The character of the alphabet for state number i of data without letters.
char state_character(std::size_t i) {
    return multistate_symbols()[i];
}

/// The letter of a set; 0 if there is none.
char letter_of(Alphabet alphabet, StateMask states) {
    if (states == undetermined(alphabet)) return alphabet == Alphabet::dna ? 'N' : 'X';
    for (char c = 'A'; c <= 'Z'; ++c) {
        if (state_mask(alphabet, c) == states) return canonical(alphabet, c);
    }
    return 0;
}

}  // namespace

char other_case(char c) {
    return is_cased(c) ? static_cast<char>(static_cast<unsigned char>(c) ^ 0x20U) : c;
}

char meaning_of_symbol(Format const& format, char c) {
    auto at = format.symbols.find(c);
    if (at == std::string::npos && !format.respects_case) at = format.symbols.find(other_case(c));
    if (at != std::string::npos) return state_character(at);
    constexpr std::string_view undetermined_symbols = "?-.";
    return undetermined_symbols.find(c) == std::string_view::npos ? '\0' : c;
}

char NexusSets::character(Alphabet alphabet, StateSet const& set) {
    bool const has_letters = alphabet.kind != Alphabet::Kind::multistate;
    if (set.states == 0) return 0;
    if (set.is_missing) return has_letters ? '-' : '?';
    if (auto const letter = has_letters ? letter_of(alphabet, set.states) : '\0'; letter != 0) return letter;
    if (!has_letters && std::has_single_bit(set.states))
        return state_character(static_cast<std::size_t>(std::countr_zero(set.states)));
    if (auto const known = found_.character(set.states); known != 0) return known;
    auto sets = found_.sets();
    if (sets.size() == SetCharacters::most) return 0;
    sets.push_back(set.states);
    found_ = SetCharacters(std::move(sets));
    return found_.character(set.states);
}

std::string NexusSets::expected_instead(StateSet const& set) {
    if (set.states == 0) return "expected a state";
    return "expected at most " + std::to_string(SetCharacters::most) + " different sets";
}

void NexusSets::finish(Alignment& alignment) const {
    if (found_.sets().empty()) return;
    alignment.sets = SetCharacters::of(sets_in(alignment.cells, found_)).value();
    recode_sets(alignment.cells, found_, alignment.sets);
}

void FormatReader::read_dimensions(std::optional<std::uint64_t>& num_taxa) {
    while (!cursor_.take(';')) {
        auto const* const at = cursor_.here();
        auto const word = text_.take_word();
        if (word == "newtaxa") continue;
        if (word != "ntax" && word != "nchar") cursor_.fail_at(at, "expected ntax=N, nchar=N or ';'");
        text_.expect('=', "after '" + word + "'");
        (word == "ntax" ? num_taxa : format_.num_sites) = cursor_.take_number("a number");
    }
}

void FormatReader::read_format() {
    auto const* const at = cursor_.here();
    while (!cursor_.take(';')) read_item();
    check_symbols(at);
    auto const& [gap, missing, match] = std::tie(format_.gap, format_.missing, format_.match);
    bool const is_ambiguous = (gap && (gap == missing || gap == match)) || (missing && missing == match);
    if (is_ambiguous)
        cursor_.fail_at(at, "one character has two meanings; expected gap, missing and matchchar to differ");
    for (auto const& definition : std::exchange(definitions_, {})) format_.equates.push_back(resolved(definition));
}

void FormatReader::read_item() {
    constexpr std::array without_meaning{"items", "statesformat", "notokens", "labels"};
    auto const* const at = cursor_.here();
    auto const item = text_.take_word();
    if (item == "datatype") return read_datatype();
    if (item == "gap") return void(format_.gap = take_symbol());
    if (item == "missing") return void(format_.missing = take_symbol());
    if (item == "matchchar") return void(format_.match = take_symbol());
    if (item == "equate") return read_equate();
    if (item == "symbols") return read_symbols();
    auto const value = take_value();
    if (item == "interleave") {
        format_.layout = value == "no" ? Layout::sequential : Layout::interleaved;
    } else if (item == "respectcase") {
        format_.respects_case = value != "no";
    } else if (item == "transpose") {
        if (value != "no") cursor_.fail_at(at, "'transpose' is not supported; expected a row for each taxon");
    } else if (item == "labels" && (value == "no" || value == "right")) {
        cursor_.fail_at(at, "expected labels on the left: a name at the begin of each row");
    } else if (item == "tokens" && value == "no") {
        return;
    } else if (std::ranges::find(without_meaning, item) == without_meaning.end()) {
        cursor_.fail_at(
            at,
            "expected datatype, gap, missing, matchchar, equate, interleave, symbols, labels or ';' in 'format', found " +
                in_quotes(item));
    }
}

void FormatReader::read_datatype() {
    text_.expect('=', "after 'datatype'");
    auto const* const at = cursor_.here();
    auto word = text_.take_word();
    word.resize(std::min(word.find('('), word.size()));  // mixed(DNA:1-100,...)
    constexpr std::array nucleotides{"dna", "rna", "nucleotide"};
    constexpr std::array others{"standard", "restriction", "mixed"};
    if (std::ranges::find(nucleotides, word) != nucleotides.end()) {
        format_.alphabet = Alphabet::dna;
    } else if (word == "protein") {
        format_.alphabet = Alphabet::amino_acid;
    } else if (std::ranges::find(others, word) == others.end()) {
        cursor_.fail_at(
            at, "expected dna, rna, nucleotide, protein, standard, restriction or mixed, found " + in_quotes(word));
    }
    format_.is_standard = word == "standard";
    if (word != "mixed") return;
    auto const end = cursor_.rest().find_first_of(");");
    if (end != std::string_view::npos && cursor_.rest()[end] == ')') cursor_.take_text(end + 1);
}

/// Reads the symbols of the states, such as "abc", "0 1 2" or "0~5".
void FormatReader::read_symbols() {
    text_.expect('=', "after 'symbols'");
    auto const rest = cursor_.rest();
    bool const is_quoted = rest.starts_with('"') || rest.starts_with('\'');
    auto const end = is_quoted ? rest.find(rest[0], 1) : text_.next_word().size();
    if (end == std::string_view::npos) cursor_.fail("this does not end; expected a quote");
    auto const* const at = cursor_.here();
    auto const list = rest.substr(is_quoted ? 1 : 0, is_quoted ? end - 1 : end);
    cursor_.take_text(end + (is_quoted ? 1 : 0));
    format_.symbols.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (is_blank(list[i])) continue;
        auto const last = list.find_first_not_of(" \t\r\n\v\f", i + 1);  // of a range
        if (list[i] != '~' || last == std::string_view::npos || format_.symbols.empty()) {
            format_.symbols += list[i];
            continue;
        }
        for (auto c = format_.symbols.back(); c < list[last];) format_.symbols += ++c;
        i = last;
    }
    if (format_.symbols.empty()) cursor_.fail_at(at, "expected the symbols of the states, such as \"012\"");
}

/// Forgets symbols that have no effect: those of other data, and those that mean the same without the list.
void FormatReader::check_symbols(char const* at) {
    auto& symbols = format_.symbols;
    for (auto const& other : {format_.gap, format_.missing, format_.match}) {
        if (other) std::erase(symbols, *other);  // which is no state then
    }
    bool const is_usual = std::ranges::equal(
        symbols, multistate_symbols().substr(0, std::min(symbols.size(), multistate_symbols().size())),
        [](char a, char b) { return as_upper(a) == b; });
    if (!format_.is_standard || is_usual) return symbols.clear();
    if (symbols.size() > max_states)
        cursor_.fail_at(at, "there are " + std::to_string(symbols.size()) + " symbols; expected at most " +
                                std::to_string(max_states));
    // In data of presence and absence, minus is one of two states. Elsewhere some programs list the gap as a state.
    if (symbols.size() > 2 && symbols.find('-') != std::string::npos) {
        cursor_.fail_at(at,
                        "'-' is one of the symbols, and may be a state or a gap; expected gap=- if it is a gap, and "
                        "another symbol otherwise");
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        auto const c = symbols[i];
        bool const is_there =
            symbols.find(c, i + 1) != std::string::npos ||
            (!format_.respects_case && is_cased(c) && symbols.find(other_case(c)) != std::string::npos);
        if (is_there)
            cursor_.fail_at(at, "the symbol " + in_quotes({&c, 1}) + " is there twice; expected one for each state" +
                                    (is_cased(c) ? ", or 'respectcase'" : ""));
    }
}

/// Reads pairs such as R={AG} or x=? in quotes.
void FormatReader::read_equate() {
    text_.expect('=', "after 'equate'");
    bool const is_single = cursor_.take('\'');
    if (!is_single && !cursor_.take('"')) cursor_.fail_expected("a quote");
    while (!cursor_.take(is_single ? '\'' : '"')) {
        auto const symbol = take_character();
        text_.expect('=', "and what the character stands for");
        auto const rest = cursor_.rest();
        bool const is_set = rest.starts_with('{') || rest.starts_with('(');
        if (!is_set) {
            definitions_.push_back({symbol, rest.substr(0, 1)});
            take_character();
            continue;
        }
        auto const end = rest.find(rest[0] == '{' ? '}' : ')');
        if (end == std::string_view::npos) cursor_.fail("this set of states does not end");
        definitions_.push_back({symbol, cursor_.take_text(end + 1)});
    }
}

Equate FormatReader::resolved(Definition const& definition) {
    auto const [symbol, text] = definition;
    if (text.size() == 1) return {symbol, text[0], true};
    auto const alphabet = format_.alphabet.value_or(standard_data);
    auto const set = sets_.parse(alphabet, text,
                                 [&](char c) { return format_.symbols.empty() ? c : meaning_of_symbol(format_, c); });
    if (set.wrong != nullptr)
        cursor_.fail_at(set.wrong, in_quotes({set.wrong, 1}) + " is no " + std::string(name(alphabet)) + " symbol");
    auto const letter = sets_.character(alphabet, set);
    if (letter == 0) {
        cursor_.fail_at(text.data(), "no character stands for the states " + in_quotes(text) + "; " +
                                         NexusSets::expected_instead(set));
    }
    return {symbol, letter, false};
}

char FormatReader::take_character() {
    auto const* const at = cursor_.here();
    auto const symbol = cursor_.take_text(1);
    if (symbol.empty() || !is_symbol(symbol[0]) || symbol[0] == ';') cursor_.fail_at(at, "expected a character");
    return symbol[0];
}

/// The symbol behind '=', perhaps in quotes.
char FormatReader::take_symbol() {
    text_.expect('=', "and a character");
    bool const is_quoted = cursor_.take('\'') || cursor_.take('"');
    auto const symbol = take_character();
    if (is_quoted && !cursor_.take('\'') && !cursor_.take('"')) cursor_.fail_expected("a quote");
    return symbol;
}

/// The value behind '=', in lower case: a word, or the text within quotes or parentheses. Empty if there is no '='.
std::string FormatReader::take_value() {
    if (!cursor_.take('=')) return "";
    auto const rest = cursor_.rest();
    auto const closing = rest.starts_with('(') ? ')' : rest.starts_with('"') ? '"' : '\'';
    if (!rest.starts_with('(') && !rest.starts_with(closing)) return text_.take_word();
    auto const end = rest.find(closing, 1);
    if (end == std::string_view::npos) cursor_.fail(std::string("this does not end; expected ") + closing);
    return lower(cursor_.take_text(end + 1));
}

}  // namespace regraft::msa
