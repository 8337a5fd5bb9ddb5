// Reads the columns of an .rgm file together: each rank decodes a share of them, and none keeps more than its share.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "input/input.hpp"
#include "input/options.hpp"
#include "input/rgm_columns.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The dataset, which is the same as if each member had read the whole alignment, and the blocks of my_part.
struct SharedInput {
    Dataset dataset;
    std::vector<std::byte> blocks;
};

/// Every member decodes an even part of the sites twice, for the numbers of characters and for its patterns, of which
/// all learn the digests, and an even part of the content to compare its hash. Then it decodes the columns of its part
/// of the patterns. Patterns are equal if their digests are. Memory: 32 bytes for each different column of each
/// member's part, a few numbers per taxon and partition, and this member's blocks. None, on all members, if the
/// alignment has errors, or if members see different files, for which each has to read all of it. Bad input throws
/// SharedInputError. Collective, uniform.
std::optional<SharedInput> read_together(ft::Communicator& comm, Options const& options, RgmColumns const& columns);

}  // namespace regraft::phylo
