// Difference rows from cells, parts of them, and what their columns have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The rows of an alignment as differences to the letters that are most frequent in each column. All characters but
/// the four letters that most cells have, upper or lower case, T or U, become runs. O(cells).
DifferenceRows to_differences(Alignment const& alignment);

/// All cells. O(cells) time and memory.
Alignment to_alignment(DifferenceRows const& rows);

/// Some rows, in this order.
DifferenceRows select_rows(DifferenceRows const& rows, std::span<std::size_t const> chosen);

/// The rows with these sites, in this order. Precondition: each is a site of the rows, and is there once. O(sites +
/// differences + runs), and also the cells of runs if the sites do not ascend.
DifferenceRows select_sites(DifferenceRows const& rows, std::span<std::uint64_t const> sites);

/// The sites, ascending, that have no state which all rows may have: those that are not constant. O(cells).
std::vector<std::uint64_t> variable_sites(Alignment const& alignment);
/// The same. O(sites + differences, and cells of runs whose character says something about the state).
std::vector<std::uint64_t> variable_sites(DifferenceRows const& rows);

/// The most frequent character of each column, in upper case. Characters that may be any state do not count, but '-'
/// does. Ties go to the first in ASCII, but '-' only wins if it is alone. A column where nothing counts has 'N' for
/// DNA, 'X' for amino acids, '?' for others. O(cells).
std::string consensus(Alignment const& alignment);
/// The same. O(sites + differences + runs).
std::string consensus(DifferenceRows const& rows);

}  // namespace regraft::msa
#pragma GCC visibility pop
