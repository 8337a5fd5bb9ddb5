// Alignments in the format of Clustal, which many aligners write.
#include <algorithm>
#include <array>

#include "msa/formats/blocks.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view kalign = "Kalign";
/// The first words of texts in this format.
constexpr std::array<std::string_view, 6> programs{"CLUSTAL", "MUSCLE", "PROBCONS", "MSAPROBS", kalign, "MAFFT"};
/// The marks below a block: how much alike the cells of a column are.
constexpr std::string_view marks = "*:. \t\r\v\f";

/// Whether rows have a description between their names and cells.
enum class Descriptions : bool { none, some };

/// The rest of the line without a description: its last word, or its last two if the last one is a number.
std::string_view without_description(std::string_view rest) {
    auto const is_blank_or_digit = [](char c) { return is_blank(c) || is_digit(c); };
    auto end = rest.size();
    while (end > 0 && is_blank_or_digit(rest[end - 1])) --end;
    auto begin = end;
    while (begin > 0 && !is_blank(rest[begin - 1])) --begin;
    return rest.substr(begin);
}

/// Reads a line of a row: its name, cells, and perhaps how many residues the row has so far.
void add_row(BlockRows& rows, Line const& line, Descriptions descriptions, std::string const& file) {
    auto const name = first_word(line.text);
    auto rest = trim_left(line.text.substr(name.size()));
    if (descriptions == Descriptions::some) rest = without_description(rest);
    auto const cells = first_word(rest);
    auto const count = trim(rest.substr(cells.size()));
    if (cells.empty())
        throw InputError(position(file, line, rest.data()), "taxon " + in_quotes(name) + " has no cells on this line");
    if (!std::ranges::all_of(count, is_digit))
        throw InputError(position(file, line, count.data()),
                         "expected a number of residues or the end of the line, found " + in_quotes(count));
    rows.add(name, cells, line);
}

}  // namespace

Alignment parse_clustal(std::span<Line const> lines, std::string const& file) {
    BlockRows rows(file);
    auto const descriptions =
        first_word(lines.front().text).starts_with(kalign) ? Descriptions::some : Descriptions::none;
    for (auto const& line : lines.subspan(1)) {
        if (!is_blank(line.text[0])) {
            add_row(rows, line, descriptions, file);
        } else if (auto const bad = line.text.find_first_not_of(marks);
                   bad != std::string_view::npos || rows.is_empty()) {
            auto const at = bad == std::string_view::npos ? 0 : bad;
            throw InputError(
                position(file, line, line.text.data() + at),
                "expected a name at the begin of the line, or marks ('*', ':', '.') below a block, found " +
                    in_quotes(first_word(trim_left(line.text.substr(at)))));
        }
    }
    return rows.take(lines.back());
}

bool is_clustal(Line const& first) {
    auto const word = first_word(first.text);
    return std::ranges::any_of(programs, [&](auto const& program) { return word.starts_with(program); });
}

}  // namespace regraft::msa
