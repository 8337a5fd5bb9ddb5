// Turns the text of an alignment into the bytes of an .rgm file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "progress.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/msa/placement_tree.hpp"
#include "source.hpp"

namespace regraft::msa_cli {

struct Packed {
    std::string bytes;
    codec::Kind kind = codec::Kind::native;
    std::uint64_t taxa = 0;
    std::uint64_t sites = 0;
};

/// Compresses a source as the options say and, unless these say otherwise, unpacks the result again and compares.
/// Throws InputError with `name` for a text that is no alignment, and std::logic_error if the comparison fails.
///
/// Memory: the text, the alignment, and a small multiple of it during the tree search and the coding of columns. If the
/// source has no text: a small multiple of the differences.
Packed pack(Source source, std::string const& name, CompressOptions const& options, Progress& progress);

/// Compresses rows along a tree. Unless `verify` is false, unpacks the result again and compares. Throws InputError
/// with `name` if the rows are too much alike, and std::logic_error if the comparison fails.
std::string packed_rows(msa::DifferenceText const& rows, msa::PlacementTree const& tree, std::string const& name,
                        bool verify);

/// When the options have rows compressed instead of the text.
Rows wanted_rows(CompressOptions const& options);

}  // namespace regraft::msa_cli
