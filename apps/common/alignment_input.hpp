// Alignments in all the forms that users have them in.
#pragma once

#include <string>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::common {

struct AlignmentInput {
    msa::Alignment alignment;                    // with no positions if it was read from columns of an .rgm file
    std::vector<msa::PartitionSpec> partitions;  // stored in an .rgm file; none: not given
};

/// Reads FASTA, PHYLIP or NEXUS, as it is or packed by gzip, or an .rgm file: the first bytes tell. "-" is standard
/// input. Throws InputError; lines and columns are those of the unpacked text.
AlignmentInput read_alignment(std::string const& path);

}  // namespace regraft::common
