// The readers of alignment formats, and the parts that they share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "msa/text/text.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::msa {

/// Rows are written one after the other, or block after block of their sites.
enum class Layout { sequential, interleaved };

/// Names of taxa in the order of the file, each with its line.
class NameList {
public:
    explicit NameList(std::string const& file) : file_(file) {}
    /// Throws InputError if the name is empty or was there before. `at` is its position, or where it should be.
    void add(std::string_view name, Line const& line, char const* at);
    std::size_t size() const { return names_.size(); }
    std::string const& operator[](std::size_t taxon) const { return names_[taxon]; }
    Line const& line(std::size_t taxon) const { return lines_[taxon]; }
    std::vector<std::string> take() { return std::move(names_); }

private:
    std::string const& file_;
    std::vector<std::string> names_;
    std::vector<Line> lines_;
    std::unordered_map<std::string, std::size_t> taxon_of_;
};

/// Appends the characters of `text`, a part of `line`, without blanks, and their positions. Throws InputError for a
/// character that cannot be shown.
void append_cells(std::vector<char>& cells, CellPositions& positions, std::string_view text, Line const& line,
                  std::string const& file);

/// Reads FASTA, also A2M, or A3M.
Alignment parse_fasta(std::span<Line const> lines, std::string const& file, FastaNames wanted);

/// Whether rows of different lengths, which end at row_ends in the cells, can be those of A3M: no letter of the first
/// one is lower case, and the others have as many cells that are no letters in lower case.
bool is_a3m(std::span<char const> cells, std::span<std::size_t const> row_ends);
/// Fills such rows with '.' where others have letters in lower case that they do not have. Throws InputError if the
/// result would be much larger than the text.
void fill_a3m(Alignment& alignment, std::span<std::size_t const> row_ends);

/// Precondition of both: is_stockholm or is_clustal(lines[0]).
Alignment parse_stockholm(std::span<Line const> lines, std::string const& file);
Alignment parse_clustal(std::span<Line const> lines, std::string const& file);
Alignment parse_phylip(std::span<Line const> lines, std::string const& file);
/// Whether a text is in this format, by its first line that is not blank.
bool is_stockholm(Line const& first);
bool is_clustal(Line const& first);

/// Precondition: is_nexus(text).
Alignment parse_nexus(std::string_view text, std::string const& file);

}  // namespace regraft::msa
