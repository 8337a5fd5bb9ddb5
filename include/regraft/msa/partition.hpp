// Partitions: which sites of an alignment share a model, read from partition files of RAxML and NEXUS.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The sites first, first + step, ... below last, counted from 0. step >= 1, first < last.
struct SiteStride {
    std::uint64_t first = 0;  // the first site
    std::uint64_t last = 0;   // no site is at or above it
    std::uint64_t step = 1;   // from a site to the next
    /// The number of sites.
    std::uint64_t size() const { return (last - first - 1) / step + 1; }
    /// Site i of them. Precondition: i < size().
    std::uint64_t operator[](std::uint64_t i) const { return first + i * step; }
    friend bool operator==(SiteStride const&, SiteStride const&) = default;
};

/// A partition as a partition file describes it.
struct PartitionSpec {
    std::string model;              // as in the file, or translated; not interpreted
    std::string name;               // distinct among the partitions
    std::vector<SiteStride> sites;  // disjoint, in the order of the file
    double length = 0;              // of its tree, as IQ-TREE writes it behind the name; 0 if the file does not say
    friend bool operator==(PartitionSpec const&, PartitionSpec const&) = default;
};

/// Whether a word of a file is a model, for readers of files in which it may be something else.
using IsModel = std::function<bool(std::string_view)>;

/// Sites of an alignment that partitions have.
struct SitesInFile {
    std::string path;  // as the partition file has it first; empty: the alignment for charsets without a file
    std::vector<std::uint64_t> sites;  // counted from 0, increasing, at least one
};

/// Partitions of sites in several alignments.
struct PartitionsOfFiles {
    std::vector<SitesInFile> files;         // in the order of their first sites in the partition file
    std::vector<PartitionSpec> partitions;  // of the sites of all files, one file behind the other
};

/// An alignment that a partition file names.
struct NamedAlignment {
    std::uint64_t num_sites = 0;
    std::string first_path;  // by which the partition file named it first, as a.fa and ./a.fa are the same file
};

/// Returns what is known of an alignment that a partition file names; none if there is no such file. Throws InputError.
using SitesOfFile = std::function<std::optional<NamedAlignment>(std::string const& path)>;

/// Reads a partition file in any of these formats:
///
/// RAxML-NG: lines such as `GTR+FC+G4m, gene1 = 1-2183, 3000-3100\3`. Sites in the file count from 1 and the ends of a
/// range belong to it; `\3` takes every third. '#' starts a comment; blank lines are skipped. Ranges may also be
/// separated by blanks, as in `.best_scheme` of IQ-TREE.
///
/// RAxML 8: the same with type words. They become models as RAxML 8 means them, with the rates over sites that it is
/// usually run with (GAMMA). The format is recognised by a word that RAxML-NG does not use so, such as DNA or WAGF:
///   DNA, DNAF, DNAX    GTR+FC+G4m (twice), GTR+FO+G4m
///   LG, LGF, LGX       LG+G4m, LG+FC+G4m, LG+FO+G4m; other matrices alike; JTTDCMUT is JTT-DCMUT
///   BIN, MULTI         BIN+FC+G4m, MULTI_GTR+FC+G4m; with X: +FO
///   AUTO, PROT, AA     as they are: models to be chosen
///
/// NEXUS, recognised by its first word: `#nexus begin sets; charset a = 1-100\3 201 .-.; charset b = ...; charpartition
/// mine = GTR+G4m:a, LG:b c; end;`, in upper or lower case. '.' is the last site, `all` and `*` the charset of all
/// sites, `remainder` those of no other charset; comments are in []; other commands, and blocks other than SETS,
/// ASSUMPTIONS, PAUP and MRBAYES, are skipped. If there is no model, it is `auto` for charsets with a type (`charset a
/// = DNA, 1-100`). IQ-TREE writes the length of a partition's tree behind its name, as in `GTR:a{1.5}`. The words of a
/// charpartition are names of its subsets, as in PAUP, if each is a number, its own charset, or no model. A block
/// MRBAYES may have `partition p = 2: a, b c;` and, if it has several, `set partition = p;`. Without a charpartition or
/// partition every charset is a partition. Those without a model have the given one.
///
/// Every site of num_sites is in exactly one partition, names are distinct, and names and models are printable UTF-8.
/// Throws InputError otherwise, or if a model is given that is not needed or needed but not given.
std::vector<PartitionSpec> read_partitions(std::filesystem::path const& path, std::uint64_t num_sites,
                                           std::string const& model = {}, IsModel const& is_model = {});

/// The alignments that charsets of NEXUS name, each once: in `charset a = genes.fa: 1-200`, or `charset b = more.fa:
/// *`, the sites are those of a file. Does not report errors: of a damaged text, those before the damage are returned.
std::vector<std::string> files_of_partitions(std::string_view text, std::string const& file);

/// Reads a partition file whose charsets may name alignments. num_sites: of the alignment for those that do not; 0:
/// there is none. A site has at most one partition; sites of alignments that are named may have none.
PartitionsOfFiles parse_partitions_of_files(std::string_view text, std::string const& file, SitesOfFile sites_of,
                                            std::uint64_t num_sites, std::string const& model = {},
                                            IsModel const& is_model = {});

/// The same as read_partitions for text in memory; `file` is used in messages.
std::vector<PartitionSpec> parse_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                            std::string const& model = {}, IsModel const& is_model = {});

/// The text of a partition file of RAxML-NG.
std::string to_text(std::span<PartitionSpec const> partitions);

/// The one partition of all sites. Precondition: num_sites > 0.
PartitionSpec whole_alignment(std::string model, std::uint64_t num_sites, std::string name = "all");

/// The number of sites of all strides together.
std::uint64_t num_sites(std::span<SiteStride const> sites);

/// The sites of a partition, counted from 0, in increasing order. 8 bytes for each site.
std::vector<std::uint64_t> sites_of(PartitionSpec const& partition);

/// The same for those of its sites that are first .. last - 1.
std::vector<std::uint64_t> sites_of(PartitionSpec const& partition, std::uint64_t first, std::uint64_t last);

/// Represents increasing sites as evenly spaced runs; each run is the longest possible from its first site on.
std::vector<SiteStride> strides_of(std::span<std::uint64_t const> sites);

}  // namespace regraft::msa
#pragma GCC visibility pop
