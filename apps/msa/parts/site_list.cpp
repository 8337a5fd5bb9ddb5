#include "parts/site_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "common/input.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// An item of the list as it is written: first-last\step.
struct Item {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t step = 1;
};

std::optional<std::uint64_t> number(std::string_view text) {
    text = trimmed(text);
    std::uint64_t result = 0;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
    return result;
}

std::optional<Item> parse_item(std::string_view text) {
    Item item;
    auto const backslash = text.find('\\');
    if (backslash != std::string_view::npos) {
        auto const step = number(text.substr(backslash + 1));
        if (!step || *step == 0) return std::nullopt;
        item.step = *step;
        text = text.substr(0, backslash);
    }
    auto const dash = text.find('-');
    if (dash == std::string_view::npos && backslash != std::string_view::npos) return std::nullopt;
    auto const first = number(text.substr(0, dash));
    auto const last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    item.first = *first;
    item.last = *last;
    return item;
}

}  // namespace

std::vector<std::uint64_t> parse_sites(std::string_view list, std::uint64_t num_sites, std::string const& option) {
    auto const fail = [&](std::string_view item, std::string const& message) {
        throw InputError(fmt::format("{}: '{}' {}", option, escaped(trimmed(item)), message));
    };
    std::vector<std::uint64_t> sites;
    std::vector<char> seen(num_sites, 0);
    for (std::size_t begin = 0; begin <= list.size();) {
        auto const end = std::min(list.find(',', begin), list.size());
        auto const text = list.substr(begin, end - begin);
        begin = end + 1;
        auto const item = parse_item(text);
        if (!item)
            fail(text, "is neither a site nor a range of sites, expected something like 300, 100-250 or 1-900\\3");
        if (item->first == 0) fail(text, "begins with site 0, but sites count from 1");
        if (item->first > item->last) fail(text, "ends before it begins");
        if (item->last > num_sites) fail(text, fmt::format("goes beyond the last site, which is {}", num_sites));
        for (auto site = item->first; site <= item->last; site += std::min(item->step, num_sites)) {
            if (seen[site - 1] != 0)
                fail(text, fmt::format("has site {} a second time, expected every site once", site));
            seen[site - 1] = 1;
            sites.push_back(site - 1);
        }
    }
    return sites;
}

}  // namespace regraft::msa_cli
