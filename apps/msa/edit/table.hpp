// Tables that people and programs read: lines of fields between tabs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

/// A line of a table, which is not empty.
struct TableLine {
    std::vector<std::string> fields;
    TextPosition where;
};

/// The lines of a file, without those that are empty. A line has this many fields at least, and no more than `most`:
/// the last one may have tabs. "-" is standard input. Throws InputError.
std::vector<TableLine> read_table(std::string const& path, std::size_t least, std::size_t most,
                                  std::string const& expected);

}  // namespace regraft::msa_cli
