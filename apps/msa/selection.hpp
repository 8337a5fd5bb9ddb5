// Sub-alignments: selects sites and taxa, and reads only these.
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

/// Sites and taxa in the requested order, without repetitions.
struct Selection {
    std::vector<std::uint64_t> sites;
    std::vector<std::size_t> rows;
};

/// The sites and taxa of a file that the options request. Throws InputError for sites and taxa that it does not have.
Selection select(codec::RgmFile const& file, ExtractOptions const& options);

/// The cells of a selection. Reads and decodes only blocks that contain any of the sites, each once. Memory: the result
/// and some thousand sites of all taxa.
msa::Alignment cut(codec::RgmFile const& file, Selection const& selection);

/// The layout of a text of some rows of a file.
msa::TextLayout layout_for(codec::RgmFile const& file, std::span<std::size_t const> rows, Look const& look);

/// The text of an alignment. Throws InputError if the format cannot hold a name of a taxon.
std::string write_text(msa::Alignment const& alignment, msa::TextLayout const& layout);

}  // namespace regraft::msa_cli
