// Keeps where the cells of an alignment's row are in the text they were read from, for messages.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/format_bytes.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// A place in a text; both count from 1, columns in bytes.
struct LineColumn {
    std::uint64_t line = 0;    // 0: no place
    std::uint64_t column = 0;  // 0: no place
    friend bool operator==(LineColumn const&, LineColumn const&) = default;
};

/// Cells that are neighbours on a line.
struct CellRun {
    LineColumn begin;         // the place of the first cell
    std::uint64_t count = 0;  // number of cells, at least 1
};

/// The places of a row's cells, as runs of neighbours on a line. A run takes about three bytes, whatever its length.
class CellPositions {
public:
    /// Appends `count` cells: the first is at `begin`, behind all earlier ones, and the others follow it on its line.
    /// Precondition: count is at least 1, here and below.
    void append_run(LineColumn begin, std::uint64_t count);
    /// Appends cells that the text does not have. It could have them at this place, which is behind all earlier cells.
    void append_unwritten(LineColumn place, std::uint64_t count);
    /// The place of a cell. O(runs). Precondition: cell < number of cells appended.
    LineColumn at(std::uint64_t cell) const;
    /// All runs that are written, in the order in which they were appended.
    std::vector<CellRun> runs() const;

private:
    void append(LineColumn begin, std::uint64_t count);

    // Per run three numbers: lines down, columns right, number of cells; if that is 0, the number of unwritten cells.
    FormatWriter steps_;
    LineColumn end_;  // behind the last run
};

}  // namespace regraft::msa
#pragma GCC visibility pop
