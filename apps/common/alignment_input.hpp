// Reads alignments in all supported formats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/text_layout.hpp"
#include "regraft/msa/vcf.hpp"

namespace regraft::common {

/// What the names of taxa in FASTA are: the first word behind '>', the whole line, or the whole line with '_' for its
/// blanks.
enum class Names : std::uint8_t { first, whole, joined };

/// Puts '_' for the blanks within the name lines of a FASTA text; other texts stay as they are. Whether there were any.
bool join_names(std::string& text);

/// The names of an alignment in a .rgm file. layout: that of its text, which has what follows the first words.
std::vector<std::string> names_of(std::span<std::string const> first_words,
                                  std::optional<msa::TextLayout> const& layout, Names names);

/// How an alignment is read.
struct Reading {
    Names names = Names::first;
    msa::NotSnp not_snps = msa::NotSnp::refuse;  // what is done with records of VCF that are no SNPs
};

struct AlignmentInput {
    msa::Alignment alignment;                    // without positions if it was read from columns of an .rgm file
    std::vector<msa::PartitionSpec> partitions;  // those stored in an .rgm file; empty: not given
    std::uint64_t skipped = 0;                   // number of records of VCF that are no SNPs
};

/// Reads a text in any format of msa::parse_alignment, plain or packed by gzip, bzip2, xz or zstd, or an .rgm file; the
/// first bytes tell the format. "-" is standard input. Throws InputError; lines and columns are those of the unpacked
/// text.
AlignmentInput read_alignment(std::string const& path, Reading const& reading = {});

}  // namespace regraft::common
