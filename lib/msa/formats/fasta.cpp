#include <algorithm>

#include "msa/formats/readers.hpp"

namespace regraft::msa {
namespace {

bool have_equal_lengths(std::span<std::size_t const> row_ends) {
    std::size_t row = 0;
    return std::ranges::all_of(row_ends, [&](std::size_t end) { return end == ++row * row_ends[0]; });
}

/// Says which taxon is the first that has another number of sites than the first one.
InputError wrong_length(NameList const& names, std::span<std::size_t const> row_ends, std::string const& file) {
    auto const error = [&](std::size_t taxon, std::string const& message) {
        auto const& line = names.line(taxon);
        return InputError(position(file, line, trim_left(line.text).data()),
                          "taxon " + in_quotes(names[taxon]) + " has " + message);
    };
    if (row_ends[0] == 0) return error(0, "no sites");
    std::size_t taxon = 1;
    while (row_ends[taxon] - row_ends[taxon - 1] == row_ends[0]) ++taxon;
    auto const length = row_ends[taxon] - row_ends[taxon - 1];
    if (length == 0) return error(taxon, "no sites");
    return error(taxon, std::to_string(length) + " sites, but " + in_quotes(names[0]) + " on line " +
                            std::to_string(names.line(0).number) + " has " + std::to_string(row_ends[0]));
}

/// Refuses PIR, which looks like FASTA, but whose titles would be read as cells.
void refuse_pir(Line const& first, std::string const& file) {
    auto const text = trim_left(first.text);
    if (!begins_pir(text)) return;
    throw InputError(position(file, first, text.data()),
                     "is PIR, in which a title follows each name and '*' ends each sequence; expected FASTA, which "
                     R"(sed 's/^>..;/>/;/^>/{n;d;};s/\*$//' makes)");
}

/// The most digits of the numbers up to 99 that a line has, with blanks between them; 0 if it has something else.
std::size_t digits_of_qualities(std::string_view line) {
    std::size_t most = 0;
    for (auto rest = trim(line); !rest.empty(); rest = trim_left(rest)) {
        auto const word = first_word(rest);
        bool const is_number = word.size() <= 2 && std::ranges::all_of(word, is_digit);
        if (!is_number || (word.size() == 2 && word[0] == '0')) return 0;
        most = std::max(most, word.size());
        rest.remove_prefix(word.size());
    }
    return most;
}

/// Refuses qualities of bases, which would be read as states 0 to 9, by the first row. Binary and multistate data may
/// have blanks between single digits.
void refuse_qualities(std::span<Line const> lines, std::string const& file) {
    auto const is_name = [](Line const& line) { return trim_left(line.text).starts_with('>'); };
    auto const behind_name = lines.subspan(1);
    auto const row =
        behind_name.first(static_cast<std::size_t>(std::ranges::find_if(behind_name, is_name) - behind_name.begin()));
    if (row.empty() || trim(row[0].text).find_first_of(" \t") == std::string_view::npos) return;
    std::size_t most = 0;
    for (auto const& line : row) {
        auto const digits = digits_of_qualities(line.text);
        if (digits == 0) return;
        most = std::max(most, digits);
    }
    if (most < 2) return;
    throw InputError(position(file, row[0], trim_left(row[0].text).data()),
                     "has numbers of the qualities of bases (.qual), expected sequences, which are in another file");
}

}  // namespace

Alignment parse_fasta(std::span<Line const> lines, std::string const& file, FastaNames wanted) {
    refuse_pir(lines.front(), file);
    refuse_qualities(lines, file);
    Alignment alignment{.file = file, .names = {}, .cells = {}};
    NameList names(file);
    std::vector<std::size_t> row_ends;
    for (auto const& line : lines) {
        auto const text = trim_left(line.text);
        if (text[0] == '>') {
            if (names.size() != 0) row_ends.push_back(alignment.cells.size());
            auto const whole = trim(text.substr(1));
            auto const name = wanted == FastaNames::whole_line ? whole : first_word(whole);
            names.add(name, line, name.data());
            alignment.positions.emplace_back();
        } else {
            append_cells(alignment.cells, alignment.positions.back(), text, line, file);
        }
    }
    row_ends.push_back(alignment.cells.size());
    bool const are_equal = have_equal_lengths(row_ends);
    bool const is_filled = !are_equal && is_a3m(alignment.cells, row_ends);
    if (!are_equal && !is_filled) throw wrong_length(names, row_ends, file);
    alignment.names = names.take();
    if (is_filled) fill_a3m(alignment, row_ends);
    return alignment;
}

}  // namespace regraft::msa
