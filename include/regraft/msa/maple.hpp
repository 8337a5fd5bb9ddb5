// MAPLE: genomes as their differences to a reference (De Maio et al. 2023).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regraft/msa/difference_rows.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

// The text begins as FASTA with one record, the reference. Then comes for each row a line of '>' and its name, and a
// line for each difference, by site: the character, a tab, the site, counted from 1. Runs of 'n' and '-' have a second
// tab and their number of sites behind that. The reference is no row.

/// Whether a text is in this format, by its first lines up to the first difference. None: they are not complete.
std::optional<bool> is_maple(std::string_view head);

/// Reads such a text in one pass. Upper and lower case are the same; the rows have the case of the reference. The
/// reference has the four letters of DNA or RNA alone. The layout has its name as the only description. O(text) time
/// and memory. Throws InputError with `file`, line and column.
DifferenceText read_maple(TextSource const& source, std::string const& file);

/// Writes such a text, in the case of the rows: a line for each cell that differs, but for runs of 'n' and '-'.
/// Precondition: the layout is of this format.
void write_maple(DifferenceRows const& rows, TextLayout const& layout, TextSink const& sink);

/// The rows as MAPLE has them: in lower case, with 'n' for all characters that may be any base but '-'. Throws
/// InputError with the file and the name of a row that has another character than those of DNA.
DifferenceRows in_lower_case(DifferenceRows rows, std::string const& file = {});

}  // namespace regraft::msa
#pragma GCC visibility pop
