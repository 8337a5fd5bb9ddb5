// Rows in blocks, as Stockholm, Clustal and interleaved NEXUS have them: each line begins with a name, and each block
// has the same names in the same order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msa/formats/readers.hpp"

namespace regraft::msa {

/// The names of the rows in blocks. The first block says which there are.
class BlockNames {
public:
    explicit BlockNames(std::string const& file) : file_(file), names_(file) {}
    /// The row of a line with this name, which is a new one as long as the first name does not come again. Throws
    /// InputError if the block before has another name there.
    std::size_t row_of(std::string_view name, Line const& line, char const* at);
    NameList& list() { return names_; }
    NameList const& list() const { return names_; }
    /// Whether the last line was that of the last row.
    bool is_at_end_of_block() const { return row_ + 1 == names_.size(); }

private:
    std::string const& file_;
    NameList names_;
    std::size_t row_ = 0;
    bool is_in_later_block_ = false;
};

/// The alignment of lines that begin with a name.
class BlockRows {
public:
    explicit BlockRows(std::string const& file) : file_(file), names_(file) {}
    bool is_empty() const { return rows_.empty(); }
    /// Appends the cells of a line to the row of its name. Throws InputError if it is then not as long as the first
    /// one.
    void add(std::string_view name, std::string_view cells, Line const& line);
    /// Throws InputError if the last block lacks rows, or if there are no rows or no cells; `end`: the last line.
    Alignment take(Line const& end);

private:
    std::string const& file_;
    BlockNames names_;
    std::vector<std::vector<char>> rows_;
    std::vector<CellPositions> positions_;  // per row
};

}  // namespace regraft::msa
