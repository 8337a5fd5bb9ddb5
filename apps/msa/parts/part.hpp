// Parts of alignments: some rows, some sites, or what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "input/options.hpp"
#include "parts/opened.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/difference_rows.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::msa_cli {

/// Cells, or rows as differences, whichever the source gives without being expanded.
using Part = std::variant<msa::Alignment, msa::DifferenceRows>;

std::size_t num_rows(Part const& part);
std::size_t num_sites(Part const& part);

/// How often each character occurs. All four letters of difference rows count as the first of them.
msa::Histogram histogram_of(Part const& part);
/// What characters for sets of states stand for.
msa::SetCharacters sets_of(Part const& part);
/// What the characters stand for.
msa::CharacterKind kind_of(Part const& part);

/// The sites that the options request, in that order. Throws InputError for sites that are not there.
std::vector<std::uint64_t> chosen_sites(Opened const& source, ExtractOptions const& options);

/// Some rows and sites. Reads no more than them, and their neighbours in compressed form.
Part part_of(Opened const& source, std::span<std::size_t const> rows, std::span<std::uint64_t const> sites);

/// All rows of a source, by number.
std::vector<std::size_t> all_rows(Opened const& source);
/// All rows and sites.
Part whole_of(Opened const& source);

/// The same rows as differences.
msa::DifferenceRows differences_of(Part part);

/// The columns that are not constant.
Part variable_columns(Part const& part);
/// The consensus of all rows as the only row.
Part consensus(Part const& part);

/// The width of all names and a blank, so that the sequences of PHYLIP are aligned.
std::uint64_t name_width(std::span<std::string const> names);
/// The layout of a text with other rows than one whose layout is known; without descriptions of FASTA.
msa::TextLayout layout_for(std::optional<msa::TextLayout> const& stored, std::span<std::string const> names,
                           Look const& look);
/// The layout of a text of some rows of a source.
msa::TextLayout layout_for(Opened const& source, std::span<std::size_t const> rows, Look const& look);

/// Writes the text of a part. Throws InputError, with the file, if the format cannot hold a name of a taxon or a
/// character.
void write_text(Part part, msa::TextLayout const& layout, msa::TextSink const& sink, std::string const& file);

/// Throws InputError if rows are not DNA, for a format that holds nothing else. Letters of amino acids may all be
/// ambiguous bases, too; then what most of them are decides, in the part or in the whole source.
void check_is_dna(Opened const& source, Part const& part, std::string_view format);

/// Writes the text of a source in the requested look; its own text if none is requested.
void write_text(Opened const& source, Look const& look, msa::TextSink const& sink);

/// Throws InputError, with the file, unless FASTA, PHYLIP and others keep the name.
void check_name(std::string const& name, std::string const& file);
/// Throws InputError, with the file, if cells of a taxon are sets of states of NEXUS, for which there is no character.
void check_characters(std::string const& name, std::string_view cells, std::string const& file);

}  // namespace regraft::msa_cli
