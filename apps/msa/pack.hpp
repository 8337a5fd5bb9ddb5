// Turns the text of an alignment into the bytes of an .rgm file.
#pragma once

#include <string>

#include "input/options.hpp"
#include "input/progress.hpp"
#include "input/source.hpp"
#include "regraft/codec/pack.hpp"
#include "regraft/msa/placement_tree.hpp"

namespace regraft::msa_cli {

/// What the options mean for codec::pack. It reads the files that they name when it needs them.
codec::PackOptions pack_options(CompressOptions const& options);

/// Packs a source as the options say and, unless these say otherwise, unpacks the result again and compares. Throws
/// InputError as codec::pack does, and std::logic_error if the comparison fails.
codec::Packed pack(Source source, std::string const& name, CompressOptions const& options, Progress& progress);

/// Compresses rows along a tree. Unless `verify` is false, unpacks the result again and compares. Throws InputError
/// with `name` if the rows are too much alike, and std::logic_error if the comparison fails.
std::string packed_rows(msa::DifferenceText const& rows, msa::PlacementTree const& tree, std::string const& name,
                        bool verify);

}  // namespace regraft::msa_cli
