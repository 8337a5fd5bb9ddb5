#include "regraft/msa/maple.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "msa/differences/letters.hpp"
#include "msa/differences/line_reader.hpp"
#include "msa/text/text.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {
namespace {

/// Text that is made at once, in bytes.
constexpr std::size_t written_at_once = std::size_t{4} << 20;

char lower_case(char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether neighbouring cells with this character are one line.
bool is_run(char character) {
    return lower_case(character) == 'n' || character == '-';
}

bool is_letter(char c) {
    return 'a' <= lower_case(c) && lower_case(c) <= 'z';
}

/// Whether it is the line of a difference.
bool is_difference(std::string_view line) {
    return line.size() > 2 && is_symbol(line[0]) && line[1] == '\t' && is_digit(line[2]);
}

class MapleReader {
public:
    MapleReader(TextSource const& source, std::string const& file) : lines_(source), file_(file) {}

    DifferenceText read() {
        std::string_view line;
        bool more = next_line(line);
        if (!more || !line.starts_with('>')) fail(1, "expected '>' and the name of the reference");
        layout_.format = TextFormat::maple;
        layout_.descriptions.emplace_back(line.substr(1));
        more = read_reference(line);
        while (more) {
            take_name(line);
            while ((more = next_line(line)) && !line.starts_with('>')) take_difference(line);
            rows_.differences.end_row();
            rows_.runs.end_row();
        }
        if (rows_.names.empty()) fail(1, "expected rows behind the reference");
        layout_.ends_with_newline = lines_.ends_with_newline();
        return {std::move(rows_), std::move(layout_)};
    }

private:
    [[noreturn]] void fail(std::size_t column, std::string const& message) const {
        throw InputError({file_, number_, column}, message);
    }

    /// The next line that is not blank, without its end.
    bool next_line(std::string_view& line) {
        do {
            if (!lines_.next(line)) return false;
            ++number_;
            if (number_ == 1) line = without_byte_order_mark(line);
            bool const has_return = line.ends_with('\r');
            if (number_ == 1) layout_.carriage_returns = has_return;
            if (has_return) line.remove_suffix(1);
        } while (trim_left(line).empty());
        return true;
    }

    /// Reads the reference. `line` becomes the one behind it; returns whether there is one.
    bool read_reference(std::string_view& line) {
        std::string cells;
        std::size_t num_lines = 0;
        bool more = false;
        choose_letters("acgt");
        while ((more = next_line(line)) && !line.starts_with('>')) {
            if (num_lines++ == 0) layout_.line_width = line.size();
            for (std::size_t i = 0; i < line.size(); ++i) {
                if (letter_of_[byte(line[i])] == no_letter && lower_case(line[i]) != 'u')
                    fail(i + 1, in_quotes(first_character(line.substr(i))) +
                                    " is no base of the reference; expected A, C, G and T, or U, alone");
            }
            cells += line;
            if (cells.size() > most_difference_sites)
                fail(1,
                     "the reference is too long; expected at most " + std::to_string(most_difference_sites) + " bases");
        }
        if (cells.empty()) fail(1, "the reference has no bases");
        if (num_lines == 1) layout_.line_width = 0;
        bool const is_rna = cells.find_first_of("uU") != std::string::npos;
        knows_last_letter_ = is_rna || cells.find_first_of("tT") != std::string::npos;
        bool const is_lower = std::ranges::any_of(cells, [](char c) { return 'a' <= c && c <= 'z'; });
        choose_letters(is_lower ? (is_rna ? "acgu" : "acgt") : (is_rna ? "ACGU" : "ACGT"));
        is_lower_ = is_lower;
        rows_.reference.reserve(cells.size());
        for (char const c : cells) rows_.reference.push_back(letter_of_[byte(c)]);
        return more;
    }

    void choose_letters(std::string_view letters) {
        letter_of_.fill(no_letter);
        for (std::uint8_t letter = 0; letter < no_letter; ++letter) {
            rows_.letters[letter] = letters[letter];
            for (char const c : {letters[letter], static_cast<char>(letters[letter] ^ 0x20)})
                letter_of_[byte(c)] = letter;
        }
        // T and U are the same base.
        for (char const c : {'t', 'T', 'u', 'U'}) letter_of_[byte(c)] = no_letter - 1;
    }

    void take_name(std::string_view line) {
        auto const rest = trim_left(line.substr(1));
        auto const name = first_word(rest);
        auto const column = static_cast<std::size_t>(rest.data() - line.data()) + 1;
        if (name.empty()) fail(column, "a taxon's name is missing");
        if (auto const bad = find_unprintable(name); !bad.empty())
            fail(column + static_cast<std::size_t>(bad.data() - name.data()),
                 in_quotes(bad) + " cannot be part of a taxon's name; expected printable UTF-8");
        auto const [entry, is_new] = line_of_.try_emplace(std::string(name), number_);
        if (!is_new) fail(column, "taxon " + in_quotes(name) + " is already on line " + std::to_string(entry->second));
        rows_.names.emplace_back(name);
        end_ = 0;
    }

    /// Takes a number from the text, which follows a blank. `what` is for messages.
    std::uint64_t take_number(std::string_view line, std::string_view& rest, std::string const& what) const {
        rest = trim_left(rest);
        std::uint64_t number = 0;
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        auto const column = static_cast<std::size_t>(rest.data() - line.data()) + 1;
        if (error != std::errc{} || number == 0)
            fail(column, "expected " + what + ", found " +
                             (rest.empty() ? "the end of the line" : in_quotes(first_word(rest))));
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return number;
    }

    void take_difference(std::string_view line) {
        auto rest = line.substr(first_character(line).size());
        if (rest.empty() || !is_blank(rest[0]))
            fail(1, "expected a character, a tab and a site, or '>' and a name, found " + in_quotes(first_word(line)));
        auto const first = take_number(line, rest, "a site, counted from 1");
        auto const size = trim_left(rest).empty() ? 1 : take_number(line, rest, "a number of sites");
        rest = trim_left(rest);
        if (!rest.empty())
            fail(static_cast<std::size_t>(rest.data() - line.data()) + 1,
                 "expected the end of the line, found " + in_quotes(first_word(rest)));
        if (first <= end_)
            fail(1, "site " + std::to_string(first) + " comes behind site " + std::to_string(end_) +
                        "; expected that sites ascend");
        if (first > rows_.num_sites() || size > rows_.num_sites() - first + 1)
            fail(1, "goes beyond the reference, which has " + std::to_string(rows_.num_sites()) + " sites");
        end_ = first + size - 1;
        add(line[0], static_cast<std::uint32_t>(first - 1), static_cast<std::uint32_t>(size));
    }

    void add(char character, std::uint32_t first, std::uint32_t size) {
        if (auto const letter = letter_of_[byte(character)]; letter != no_letter) {
            if (letter == no_letter - 1 && !std::exchange(knows_last_letter_, true))
                rows_.letters[letter] = static_cast<char>((lower_case(character) ^ (is_lower_ ? 0 : 0x20)));
            for (auto site = first; site < first + size; ++site) {
                if (letter != rows_.reference[site]) rows_.differences.push_value({site, letter});
            }
            return;
        }
        if (state_mask(Alphabet::dna, character) == 0)
            fail(1, in_quotes({&character, 1}) + " is no " + std::string(name(Alphabet::dna)) + " symbol");
        if (is_letter(character))
            character = is_lower_ ? lower_case(character) : static_cast<char>(lower_case(character) ^ 0x20);
        auto const begin_of_row = rows_.runs.offsets.back();
        if (rows_.runs.values.size() > begin_of_row) {
            auto& before = rows_.runs.values.back();
            if (before.last() == first && before.character == character) {
                before.size += size;
                return;
            }
        }
        rows_.runs.push_value({first, size, character});
    }

    static std::size_t byte(char c) { return static_cast<unsigned char>(c); }

    LineReader lines_;
    std::string const& file_;
    std::uint64_t number_ = 0;  // of the line, from 1
    DifferenceRows rows_;
    TextLayout layout_;
    bool is_lower_ = true;
    bool knows_last_letter_ = true;  // whether T or U was there yet
    std::uint64_t end_ = 0;          // the last site, counted from 1, of the row that was given
    std::array<std::uint8_t, 256> letter_of_{};
    std::unordered_map<std::string, std::uint64_t> line_of_;  // by name
};

void append_line(std::string& text, char character, std::uint32_t site, std::string_view line_end) {
    text.append(1, character).append(1, '\t').append(std::to_string(site + 1)).append(line_end);
}

void append_run(std::string& text, CharacterRun const& run, std::string_view line_end) {
    if (is_run(run.character)) {
        text.append(1, run.character).append(1, '\t').append(std::to_string(run.first + 1)).append(1, '\t');
        text.append(std::to_string(run.size)).append(line_end);
        return;
    }
    for (auto site = run.first; site < run.last(); ++site) append_line(text, run.character, site, line_end);
}

void append_row(std::string& text, DifferenceRows const& rows, std::size_t row, std::string_view line_end) {
    text.append(">").append(rows.names[row]).append(line_end);
    auto runs = rows.runs[row];
    for (auto const& difference : rows.differences[row]) {
        for (; !runs.empty() && runs[0].first < difference.site(); runs = runs.subspan(1))
            append_run(text, runs[0], line_end);
        append_line(text, rows.letters[difference.letter()], difference.site(), line_end);
    }
    for (auto const& run : runs) append_run(text, run, line_end);
}

}  // namespace

std::optional<bool> is_maple(std::string_view head) {
    head = without_byte_order_mark(head);
    if (head.empty()) return std::nullopt;
    if (head[0] != '>') return false;
    std::size_t num_names = 0;
    bool has_reference = false;
    for (auto end = head.find('\n'); end != std::string_view::npos; end = head.find('\n')) {
        auto line = head.substr(0, end);
        head.remove_prefix(end + 1);
        if (trim_left(line).empty()) continue;
        if (line[0] == '>') {
            if (++num_names == 2 && !has_reference) return false;
        } else if (num_names > 1) {
            return is_difference(line);
        } else if (!std::ranges::all_of(trim(line), is_letter)) {
            return false;
        } else {
            has_reference = true;
        }
    }
    if (num_names > 1 && is_difference(head)) return true;
    return std::nullopt;
}

DifferenceText read_maple(TextSource const& source, std::string const& file) {
    return MapleReader(source, file).read();
}

void write_maple(DifferenceRows const& rows, TextLayout const& layout, TextSink const& sink) {
    REGRAFT_EXPECTS(layout.format == TextFormat::maple && layout.descriptions.size() == 1);
    std::string_view const line_end = layout.carriage_returns ? "\r\n" : "\n";
    std::string text = ">" + layout.descriptions[0];
    text += line_end;
    auto const reference = rows.reference_text();
    auto const width = layout.line_width == 0 ? reference.size() : layout.line_width;
    for (std::size_t begin = 0; begin < reference.size(); begin += width)
        text.append(reference, begin, width).append(line_end);
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        append_row(text, rows, row, line_end);
        bool const is_last = row + 1 == rows.num_taxa();
        if (is_last && !layout.ends_with_newline) text.resize(text.size() - line_end.size());
        if (!is_last && text.size() < written_at_once) continue;
        sink(text);
        text.clear();
    }
}

namespace {

/// Makes one row for in_lower_case.
class LoweredRow {
public:
    LoweredRow(DifferenceRows const& rows, std::string const& file) : rows_(rows), file_(file) {}

    void add(std::size_t row) {
        for (auto const& difference : rows_.differences[row]) differences.push_back(difference);
        for (auto const& run : rows_.runs[row]) add_run(run, rows_.names[row]);
        std::sort(differences.begin(), differences.end(), [](auto a, auto b) { return a.site() < b.site(); });
    }

    std::vector<SiteLetter> differences;
    std::vector<CharacterRun> runs;

private:
    /// Adds a run, or differences if its character becomes one of the letters.
    void add_run(CharacterRun run, std::string const& name) {
        auto const states = state_mask(Alphabet::dna, run.character);
        if (states == 0)
            throw InputError({file_}, "taxon " + in_quotes(name) + ", site " + std::to_string(run.first + 1) + ": " +
                                          in_quotes({&run.character, 1}) + " is no " +
                                          std::string(regraft::msa::name(Alphabet::dna)) +
                                          " symbol, expected those of DNA alone");
        if (std::has_single_bit(states)) {
            auto const letter = static_cast<std::uint32_t>(std::countr_zero(states));  // A, C, G, T
            for (auto site = run.first; site < run.last(); ++site) {
                if (letter != rows_.reference[site]) differences.emplace_back(site, letter);
            }
            return;
        }
        if (run.character != '-')
            run.character = states == undetermined(Alphabet::dna) ? 'n' : lower_case(run.character);
        bool const continues =
            !runs.empty() && runs.back().last() == run.first && runs.back().character == run.character;
        if (continues) {
            runs.back().size += run.size;
        } else {
            runs.push_back(run);
        }
    }

    DifferenceRows const& rows_;
    std::string const& file_;
};

}  // namespace

DifferenceRows in_lower_case(DifferenceRows rows, std::string const& file) {
    Csr<SiteLetter> differences;
    Csr<CharacterRun> runs;
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        LoweredRow lowered(rows, file);
        lowered.add(row);
        differences.push_row(lowered.differences);
        runs.push_row(lowered.runs);
    }
    rows.differences = std::move(differences);
    rows.runs = std::move(runs);
    for (char& letter : rows.letters) letter = lower_case(letter);
    return rows;
}

}  // namespace regraft::msa
