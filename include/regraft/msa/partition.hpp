// Partitions: which sites of an alignment share a model, in the partition file format of RAxML-NG.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::msa {

/// The sites first, first + step, ... below last, counted from 0. step >= 1, first < last.
struct SiteStride {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t step = 1;
    friend bool operator==(SiteStride const&, SiteStride const&) = default;
};

struct PartitionSpec {
    std::string model;  // as in the file, uninterpreted
    std::string name;
    std::vector<SiteStride> sites;  // disjoint, in the order of the file
    friend bool operator==(PartitionSpec const&, PartitionSpec const&) = default;
};

/// Reads lines such as `GTR+FC+G4m, gene1 = 1-2183, 3000-3100\3`: sites in the file count from 1 and the ends of a
/// range belong to it; `\3` takes every third. '#' starts a comment; blank lines are skipped.
///
/// Every site of num_sites is in exactly one partition, names are distinct, names and models printable UTF-8. Throws
/// InputError otherwise.
std::vector<PartitionSpec> read_partitions(std::filesystem::path const& path, std::uint64_t num_sites);

/// The same for text in memory; `file` is the name to use in messages.
std::vector<PartitionSpec> parse_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites);

/// The one partition of all sites. Precondition: num_sites > 0.
PartitionSpec whole_alignment(std::string model, std::uint64_t num_sites, std::string name = "all");

/// The sites of a partition, counted from 0, in increasing order.
std::vector<std::uint64_t> sites_of(PartitionSpec const& partition);

}  // namespace regraft::msa
