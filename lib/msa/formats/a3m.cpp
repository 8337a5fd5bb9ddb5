// A3M, the format of HH-suite and ColabFold: FASTA whose rows have residues of their own between the columns, in lower
// case. Where A2M fills the rows without them with '.', A3M leaves that out.
#include <algorithm>

#include "msa/formats/readers.hpp"

namespace regraft::msa {
namespace {

/// A text may become so many times as large, and a mebibyte is always allowed.
constexpr std::uint64_t most_growth = 64;
constexpr std::uint64_t always_allowed = std::uint64_t{1} << 20;

bool is_inserted(char c) {
    return ('a' <= c && c <= 'z') || c == '.';
}

std::string_view row_of(std::span<char const> cells, std::span<std::size_t const> row_ends, std::size_t row) {
    auto const begin = row == 0 ? 0 : row_ends[row - 1];
    return {cells.data() + begin, row_ends[row] - begin};
}

/// The number of inserted cells from the begin of `cells` on.
std::size_t count_inserted(std::string_view cells) {
    return static_cast<std::size_t>(std::ranges::find_if_not(cells, is_inserted) - cells.begin());
}

/// For each column and for the end of a row, the largest number of cells that any row has inserted in front of it.
std::vector<std::size_t> widths(std::span<char const> cells, std::span<std::size_t const> row_ends) {
    std::vector<std::size_t> widest(row_ends[0] + 1);
    for (std::size_t row = 0; row < row_ends.size(); ++row) {
        auto rest = row_of(cells, row_ends, row);
        for (auto& width : widest) {
            auto const size = count_inserted(rest);
            width = std::max(width, size);
            rest.remove_prefix(std::min(size + 1, rest.size()));
        }
    }
    return widest;
}

/// Appends a row, and the places of its cells, with '.' behind what is inserted.
void append_filled(std::string_view row, std::span<std::size_t const> widest, CellPositions const& before,
                   std::vector<char>& cells, CellPositions& after) {
    auto runs = before.runs();
    std::size_t run = 0;
    LineColumn end;
    auto const take = [&](std::size_t count) {
        cells.insert(cells.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count));
        row.remove_prefix(count);
        while (count > 0) {
            auto& [begin, left] = runs[run];
            auto const size = std::min<std::uint64_t>(count, left);
            after.append_run(begin, size);
            begin.column += size;
            left -= size;
            end = begin;
            count -= size;
            if (left == 0) ++run;
        }
    };
    for (auto const width : widest) {
        auto const size = count_inserted(row);
        take(size);
        if (size < width) {
            cells.insert(cells.end(), width - size, '.');
            after.append_unwritten(end.line == 0 ? runs[0].begin : end, width - size);
        }
        if (!row.empty()) take(1);
    }
}

}  // namespace

bool is_a3m(std::span<char const> cells, std::span<std::size_t const> row_ends) {
    if (row_ends[0] == 0) return false;
    for (std::size_t row = 0; row < row_ends.size(); ++row) {
        auto const text = row_of(cells, row_ends, row);
        auto const inserted = static_cast<std::size_t>(std::ranges::count_if(text, is_inserted));
        if (text.size() - inserted != row_ends[0]) return false;
    }
    return true;
}

void fill_a3m(Alignment& alignment, std::span<std::size_t const> row_ends) {
    auto const widest = widths(alignment.cells, row_ends);
    std::uint64_t num_sites = row_ends[0];
    for (auto const width : widest) num_sites += width;
    auto const num_rows = row_ends.size();
    if (num_sites > (always_allowed + most_growth * alignment.cells.size()) / num_rows)
        throw InputError({alignment.file}, "is A3M of " + std::to_string(num_rows) +
                                               " rows, and with all residues in lower case they have " +
                                               std::to_string(num_sites) +
                                               " columns; expected fewer: without lower-case letters it is FASTA of " +
                                               std::to_string(row_ends[0]) + " columns");
    std::vector<char> cells;
    cells.reserve(num_rows * num_sites);
    std::vector<CellPositions> positions(num_rows);
    for (std::size_t row = 0; row < num_rows; ++row)
        append_filled(row_of(alignment.cells, row_ends, row), widest, alignment.positions[row], cells, positions[row]);
    alignment.cells = std::move(cells);
    alignment.positions = std::move(positions);
    alignment.is_verbatim = false;
}

}  // namespace regraft::msa
