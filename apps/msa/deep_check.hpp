// Reads a compressed file in every way in which it can be read, and compares.
#pragma once

#include "regraft/codec/rgm.hpp"

namespace regraft::msa_cli {

/// Requires that the file says the same if it is read as a whole, block by block (a sparse one: row by row, and some
/// groups of sites), and as a text. Throws InputError. Time: a few times that of unpacking. Memory: of a sparse file,
/// its differences and some MiB; else a few times the alignment.
void check_deeply(codec::RgmFile const& file);

}  // namespace regraft::msa_cli
