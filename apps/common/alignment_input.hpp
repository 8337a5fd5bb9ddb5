// Reads alignments in all supported formats.
#pragma once

#include <string>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::common {

struct AlignmentInput {
    msa::Alignment alignment;                    // without positions if it was read from columns of an .rgm file
    std::vector<msa::PartitionSpec> partitions;  // those stored in an .rgm file; empty: not given
};

/// Reads a text in any format of msa::parse_alignment, plain or packed by gzip, bzip2, xz or zstd, or an .rgm file; the
/// first bytes tell the format. "-" is standard input. Throws InputError; lines and columns are those of the unpacked
/// text.
AlignmentInput read_alignment(std::string const& path);

}  // namespace regraft::common
