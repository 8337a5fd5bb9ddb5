// Reads alignments in all supported formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/vcf.hpp"

namespace regraft::common {

struct AlignmentInput {
    msa::Alignment alignment;                    // without positions if it was read from columns of an .rgm file
    std::vector<msa::PartitionSpec> partitions;  // those stored in an .rgm file; empty: not given
    std::uint64_t skipped = 0;                   // number of records of VCF that are no SNPs
};

/// Reads a text in any format of msa::parse_alignment, plain or packed by gzip, bzip2, xz or zstd, or an .rgm file; the
/// first bytes tell the format. not_snps: what is done with records of VCF that are no SNPs. "-" is standard input.
/// Throws InputError; lines and columns are those of the unpacked text.
AlignmentInput read_alignment(std::string const& path, msa::NotSnp not_snps = msa::NotSnp::refuse);

}  // namespace regraft::common
