// Sub-alignments: which sites and taxa, and reading only them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "options.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::msa_cli {

/// Both in the order in which they are wanted, without repetitions.
struct Selection {
    std::vector<std::uint64_t> sites;
    std::vector<std::size_t> rows;
};

/// What the options ask for of a file. Throws InputError for sites and taxa that it does not have.
Selection select(codec::RgmFile const& file, ExtractOptions const& options);

/// The cells of a selection. Reads and decodes only blocks that contain any of the sites, each once. Memory: the result
/// and some thousand sites of all taxa.
msa::Alignment cut(codec::RgmFile const& file, Selection const& selection);

/// How a text of some rows of a file should look.
msa::TextLayout layout_for(codec::RgmFile const& file, std::span<std::size_t const> rows, Look const& look);

/// The text of an alignment. Throws InputError if the format cannot hold a name of a taxon.
std::string write_text(msa::Alignment const& alignment, msa::TextLayout const& layout);

}  // namespace regraft::msa_cli
