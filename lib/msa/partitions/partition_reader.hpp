// Parts of the readers of partition files: ranges of sites, and the owner of each site.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msa/text/cursor.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa {

/// The position of the first separator that is not within the parameters of a model, as in `GTR{1,2}`.
std::size_t find_outside_braces(std::string_view text, std::string_view separators);

/// A range of sites, and its position in the text.
struct WrittenRange {
    SiteStride sites;
    char const* at = nullptr;
    bool is_remainder = false;  // only those of its sites that no other range has
};

/// Whether '.' stands for the number of the last site.
enum class Dot : std::uint8_t { means_nothing, is_last_site };

/// Consumes a range such as `1-898\3`. Throws InputError if it is not within the sites.
WrittenRange take_range(Cursor& cursor, std::uint64_t num_sites, Dot dot);

/// The name of a site in messages; `site` counts from 0.
using NameOfSite = std::function<std::string(std::uint64_t site)>;

/// Keeps the partition that owns each site, so that overlaps and gaps are found.
class SiteOwners {
public:
    /// advice: the end of the message about a site with two owners.
    explicit SiteOwners(std::uint64_t num_sites, std::string advice = "", NameOfSite name_of = {});
    std::uint64_t num_sites() const { return owner_.size(); }
    /// Gives the sites of a range, or of a remainder those without an owner, to the last of the partitions, and adds
    /// them to it. Throws InputError if a site has an owner, or if no site is left for a remainder.
    void claim(WrittenRange const& range, std::span<PartitionSpec> partitions, Cursor const& cursor);
    /// Throws InputError if one of the first `count` sites has no owner.
    void check_complete(std::string const& file, std::uint64_t count) const;
    /// The sites of first .. last - 1 that have an owner, or those that have none.
    std::vector<std::uint64_t> owned(std::uint64_t first, std::uint64_t last) const;
    std::vector<std::uint64_t> free(std::uint64_t first, std::uint64_t last) const;

private:
    std::vector<std::uint32_t> owner_;
    std::string advice_;
    NameOfSite name_of_;
};

/// Parses lines of RAxML-NG or RAxML 8.
std::vector<PartitionSpec> parse_raxml_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites);
/// model: that of charsets for which the file has none; may be empty. is_model, sites_of: may be empty. Without
/// sites_of, charsets with alignments of their own are refused.
PartitionsOfFiles parse_nexus_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                         std::string const& model, IsModel const& is_model, SitesOfFile sites_of);
/// The same as files_of_partitions. Precondition: the text is NEXUS.
std::vector<std::string> files_of_charsets(std::string_view text, std::string const& file);

}  // namespace regraft::msa
