// What the readers of partition files share: a cursor over text that knows where it is, and who owns which site.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msa/text.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa {

/// Reads a part of a text, or of a copy of the text in which only bytes that mean nothing differ.
class Cursor {
public:
    /// Where the text is that messages speak of, and what they call the end of what the cursor reads.
    struct Source {
        std::string_view text;  // without byte order mark
        std::string const& file;
        char const* begin;  // of the text, or of its copy
        std::string_view end_name;
    };
    /// Precondition: `rest` lies in the text, or in its copy.
    Cursor(Source const& source, std::string_view rest) : source_(source), rest_(rest) {}

    bool take(char c);
    /// The next `size` characters of rest(), trimmed, and consumed.
    std::string_view take_text(std::size_t size);
    /// `expected` is for messages, here and below.
    std::uint64_t take_number(std::string const& expected);
    bool at_end() const { return trim_left(rest_).empty(); }
    std::string_view rest() const { return trim_left(rest_); }
    char const* here() const { return rest().data(); }

    [[noreturn]] void fail(std::string const& message) const { fail_at(here(), message); }
    [[noreturn]] void fail_at(char const* at, std::string const& message) const;
    [[noreturn]] void fail_expected(std::string const& expected) const;
    /// Throws InputError unless the text is printable.
    void check_printable(std::string_view text, std::string const& what) const;

private:
    Source const& source_;
    std::string_view rest_;
};

/// The first of some separators that is not within the parameters of a model, as in `GTR{1,2}`.
std::size_t find_outside_braces(std::string_view text, std::string_view separators);

/// A range of sites, and where it is written.
struct WrittenRange {
    SiteStride sites;
    char const* at = nullptr;
};

/// Whether '.' is a number: that of the last site.
enum class Dot : std::uint8_t { means_nothing, is_last_site };

/// Consumes a range such as `1-898\3`. Throws InputError if it is not within the sites.
WrittenRange take_range(Cursor& cursor, std::uint64_t num_sites, Dot dot);

/// Knows which partition owns which site, so that overlaps and gaps are found.
class SiteOwners {
public:
    explicit SiteOwners(std::uint64_t num_sites);
    std::uint64_t num_sites() const { return owner_.size(); }
    /// Gives sites to the last of the partitions, and adds them to it. Throws InputError if one has an owner.
    void claim(WrittenRange const& range, std::span<PartitionSpec> partitions, Cursor const& cursor);
    /// Throws InputError if a site has no owner.
    void check_complete(std::string const& file) const;

private:
    std::vector<std::uint32_t> owner_;
};

/// Lines of RAxML-NG or RAxML 8.
std::vector<PartitionSpec> parse_raxml_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites);
/// Whether a text is NEXUS, by its first word.
bool is_nexus(std::string_view text);
/// model: of charsets for which the file has none; may be empty.
std::vector<PartitionSpec> parse_nexus_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites, std::string const& model);

}  // namespace regraft::msa
