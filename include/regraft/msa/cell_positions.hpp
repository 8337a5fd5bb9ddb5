// Keeps where the cells of an alignment's row are in the text they were read from, for messages.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace regraft::msa {

/// A place in a text; both count from 1, columns in bytes.
struct LineColumn {
    std::uint64_t line = 0;
    std::uint64_t column = 0;
    friend bool operator==(LineColumn const&, LineColumn const&) = default;
};

/// Cells that are neighbours on a line.
struct CellRun {
    LineColumn begin;
    std::uint64_t count = 0;
};

/// The places of a row's cells, as runs of neighbours on a line. A run takes about three bytes, whatever its length.
class CellPositions {
public:
    /// Appends `count` cells: the first is at `begin`, behind all earlier ones, and the others follow it on its line.
    void append_run(LineColumn begin, std::uint64_t count);
    /// The place of a cell. O(runs). Precondition: cell < number of cells appended.
    LineColumn at(std::uint64_t cell) const;
    /// All runs in the order in which they were appended.
    std::vector<CellRun> runs() const;

private:
    std::vector<std::uint8_t> steps_;  // per run three numbers: lines down, columns right, number of cells
    LineColumn end_;                   // behind the last run
};

}  // namespace regraft::msa
#pragma GCC visibility pop
