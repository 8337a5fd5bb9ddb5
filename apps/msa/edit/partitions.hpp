// Partition files that commands read, cut and write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/msa/partition.hpp"

namespace regraft::msa_cli {

/// The model of partitions for which a partition file has none.
inline constexpr char const* no_model = "auto";

/// Reads a partition file in any format. Charsets of NEXUS need no models: theirs is `auto`. Throws InputError.
std::vector<msa::PartitionSpec> read_partition_file(std::string const& path, std::uint64_t num_sites);
/// The same for one whose charsets name alignments.
msa::PartitionsOfFiles read_partitions_of_files(std::string const& path, msa::SitesOfFile const& sites_of);

/// The text of a partition file: in NEXUS if its name ends with .nex, .nexus or .nxs, otherwise as RAxML-NG has it.
std::string partition_text(std::span<msa::PartitionSpec const> partitions, std::string const& path);

/// The partitions of an alignment of which only some sites are left, which ascend. Those without sites are left out.
std::vector<msa::PartitionSpec> cut_partitions(std::span<msa::PartitionSpec const> partitions,
                                               std::span<std::uint64_t const> kept);

/// Sites as extract --sites takes them: 1-10,55.
std::string site_list(std::span<std::uint64_t const> sites);

}  // namespace regraft::msa_cli
