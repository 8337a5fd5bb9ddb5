// Reads alignments that charsets of a partition file name, and puts them side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::phylo {

/// The paths of the alignments that charsets of --partitions name. Throws InputError if the file cannot be read.
std::vector<std::string> own_files(Options const& options);

/// What a partition file stands for whose charsets name alignments.
struct JoinedFiles {
    msa::Alignment alignment;
    std::vector<msa::PartitionSpec> partitions;
    std::vector<std::string> paths;  // of the alignments that charsets name
};
/// Reads them, and --msa for charsets that name none. None if no charset names an alignment. Throws InputError.
std::optional<JoinedFiles> read_own_files(Options const& options);

}  // namespace regraft::phylo
