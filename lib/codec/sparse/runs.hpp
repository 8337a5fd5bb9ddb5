// The runs of rows as bytes (docs/alignments/file-format.md, sparse coding). Each row is predicted by the two rows
// before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/difference_rows.hpp"

namespace regraft::codec {

/// Codes the runs of some rows, in the order given.
std::vector<std::byte> encode_runs(msa::DifferenceRows const& rows, std::span<std::uint32_t const> order);

/// Decodes the runs of the first `wanted` of num_rows rows. The letters and reference of `rows` are set. Throws
/// InputError if there are more than `most` runs, or if they do not fit the alignment.
Csr<msa::CharacterRun> decode_runs(msa::DifferenceRows const& rows, std::span<std::byte const> bytes,
                                   std::size_t num_rows, std::uint64_t most, std::size_t wanted);

}  // namespace regraft::codec
