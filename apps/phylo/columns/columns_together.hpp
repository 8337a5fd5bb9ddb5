// Reads the columns of an .rgm file together: each rank decodes a share of them, and none keeps more than its share.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "columns/rgm_columns.hpp"
#include "input/input.hpp"
#include "options/options.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The dataset, which is the same as if each member had read the whole alignment, and the blocks of my_part.
struct SharedInput {
    Dataset dataset;
    std::vector<std::byte> blocks;
};

/// Each member decodes an even part of the sites twice: to count characters, and to find the patterns of its part. All
/// members then learn the digests of all patterns; patterns with equal digests count as equal. Last, each member
/// decodes the columns of an even part of the patterns. It also compares an even part of the content of the file with
/// its hash.
///
/// Memory: 32 bytes for each different column of each member's part, a few numbers per taxon and partition, and this
/// member's blocks. Returns none, on all members, if the alignment has errors or members see different files: then each
/// has to read all of it. Bad input throws SharedInputError. Collective, uniform.
std::optional<SharedInput> read_together(ft::Communicator& comm, Options const& options, RgmColumns const& columns);

}  // namespace regraft::phylo
