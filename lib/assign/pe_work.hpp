// Loose pieces of work, gathered into the rows of an assignment.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/assign/assignment.hpp"

namespace regraft::assign {

/// Work that a PE gets.
struct PeWork {
    PeId pe{};
    Work work;
};

/// Rows 0 .. num_rows - 1 in the order that Assignment promises. Pieces without sites are dropped, and pieces that
/// touch are joined. Precondition: pieces are disjoint and each pe is below num_rows. O(pieces log pieces).
Assignment rows_of(std::vector<PeWork> pieces, std::uint32_t num_rows);

/// Adds work to the row that is being built, and joins it with the last piece if they touch. Precondition: work is not
/// empty and comes after that piece.
void append(Assignment& rows, Work const& work);

}  // namespace regraft::assign
