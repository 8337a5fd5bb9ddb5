#include "msa/partitions/partition_reader.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace regraft::msa {
namespace {

std::string usual_name(std::uint64_t site) {
    return "site " + std::to_string(site + 1);
}

constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();

std::uint64_t take_site(Cursor& cursor, std::uint64_t num_sites, Dot dot, std::string const& expected) {
    auto const* const at = cursor.here();
    if (dot == Dot::is_last_site && cursor.take('.')) return num_sites;
    auto const site = cursor.take_number(expected);
    if (site == 0 || site > num_sites) {
        cursor.fail_at(at, "site " + std::to_string(site) + " does not exist: the alignment has the sites 1-" +
                               std::to_string(num_sites));
    }
    return site;
}

}  // namespace

std::size_t find_outside_braces(std::string_view text, std::string_view separators) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{' || text[i] == '(') ++depth;
        if ((text[i] == '}' || text[i] == ')') && depth > 0) --depth;
        if (depth == 0 && separators.find(text[i]) != std::string_view::npos) return i;
    }
    return std::string_view::npos;
}

WrittenRange take_range(Cursor& cursor, std::uint64_t num_sites, Dot dot) {
    WrittenRange range{.sites = {}, .at = cursor.here()};
    auto& sites = range.sites;
    sites.first = take_site(cursor, num_sites, dot, "a site or a range of sites, such as 1-898") - 1;
    sites.last = sites.first + 1;
    if (cursor.take('-')) sites.last = take_site(cursor, num_sites, dot, "the last site of the range");
    if (sites.last <= sites.first) cursor.fail_at(range.at, "the range ends before it begins");
    if (cursor.take('\\')) {
        auto const* const at_step = cursor.here();
        sites.step = cursor.take_number("a stride, such as \\3");
        if (sites.step == 0) cursor.fail_at(at_step, "the stride must be at least 1");
    }
    return range;
}

SiteOwners::SiteOwners(std::uint64_t num_sites, std::string advice, NameOfSite name_of)
    : owner_(num_sites, nobody), advice_(std::move(advice)), name_of_(name_of ? std::move(name_of) : usual_name) {}

void SiteOwners::claim(WrittenRange const& range, std::span<PartitionSpec> partitions, Cursor const& cursor) {
    auto const self = static_cast<std::uint32_t>(partitions.size() - 1);
    auto const& [first, last, step] = range.sites;
    if (range.is_remainder) {
        auto const left = free(first, last);
        if (left.empty())
            cursor.fail_at(range.at, "no sites are left for a remainder; expected sites that no other has");
        for (auto const site : left) owner_[site] = self;
        std::ranges::copy(strides_of(left), std::back_inserter(partitions.back().sites));
        return;
    }
    for (auto site = first; site < last; site += std::min(step, last - site)) {
        if (owner_[site] != nobody) {
            cursor.fail_at(range.at, name_of_(site) + " already belongs to partition " +
                                         in_quotes(partitions[owner_[site]].name) + advice_);
        }
        owner_[site] = self;
    }
    partitions.back().sites.push_back(range.sites);
}

void SiteOwners::check_complete(std::string const& file, std::uint64_t count) const {
    auto const left = free(0, count);
    if (left.empty()) return;
    throw InputError({file}, name_of_(left.front()) + " belongs to no partition (" + std::to_string(left.size()) +
                                 " of " + std::to_string(count) + " sites do not)");
}

std::vector<std::uint64_t> SiteOwners::owned(std::uint64_t first, std::uint64_t last) const {
    std::vector<std::uint64_t> sites;
    for (auto site = first; site < last; ++site) {
        if (owner_[site] != nobody) sites.push_back(site);
    }
    return sites;
}

std::vector<std::uint64_t> SiteOwners::free(std::uint64_t first, std::uint64_t last) const {
    std::vector<std::uint64_t> sites;
    for (auto site = first; site < last; ++site) {
        if (owner_[site] == nobody) sites.push_back(site);
    }
    return sites;
}

}  // namespace regraft::msa
