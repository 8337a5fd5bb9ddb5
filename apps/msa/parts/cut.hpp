// Cuts cells of some rows and sites out of alignments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/codec/rgm.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::msa_cli {

/// Reads and decodes only blocks that contain any of the sites, each once. Memory: the result and some thousand sites
/// of all taxa.
msa::Alignment cut_blocks(codec::RgmFile const& file, std::span<std::size_t const> rows,
                          std::span<std::uint64_t const> sites);

msa::Alignment cut_cells(msa::Alignment const& alignment, std::span<std::size_t const> rows,
                         std::span<std::uint64_t const> sites);

}  // namespace regraft::msa_cli
