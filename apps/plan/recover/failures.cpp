#include "recover/failures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "common/input.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::plan {

using namespace common;

namespace {

struct Interval {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // is part of it
};

std::optional<std::uint32_t> parse_number(std::string_view text, std::uint32_t count) {
    std::uint32_t number = 0;
    auto const* const end = text.data() + text.size();
    auto const [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number >= count) return std::nullopt;
    return number;
}

std::optional<Interval> parse_interval(std::string_view text, std::uint32_t count) {
    auto const dash = text.find('-');
    auto const first = parse_number(text.substr(0, dash), count);
    auto const last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1), count);
    if (!first || !last || *first > *last) return std::nullopt;
    return Interval{*first, *last};
}

}  // namespace

std::vector<std::uint32_t> parse_list(std::string_view text, std::uint32_t count, std::string_view option,
                                      std::string_view what) {
    std::vector<Interval> intervals;
    for (std::size_t begin = 0; begin <= text.size();) {
        auto const end = std::min(text.find(',', begin), text.size());
        auto const item = text.substr(begin, end - begin);
        auto const interval = parse_interval(item, count);
        if (!interval) {
            throw regraft::InputError(
                fmt::format("{}: '{}' is not a {} or a range of them, expected numbers from 0 to {}, as in 3,7,10-20",
                            option, escaped(item), what, count - 1));
        }
        intervals.push_back(*interval);
        begin = end + 1;
    }
    std::sort(intervals.begin(), intervals.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<std::uint32_t> numbers;
    for (auto const [first, last] : intervals) {
        auto next = numbers.empty() ? first : std::max(first, numbers.back() + 1);
        for (; next <= last; ++next) numbers.push_back(next);
    }
    return numbers;
}

std::uint32_t num_nodes(std::uint32_t num_ranks, std::uint32_t node_size) {
    return num_ranks / node_size + (num_ranks % node_size != 0 ? 1 : 0);
}

std::vector<PeId> ranks_of_nodes(std::span<std::uint32_t const> nodes, std::uint32_t node_size,
                                 std::uint32_t num_ranks) {
    std::vector<PeId> ranks;
    for (auto const node : nodes) {
        auto const first = std::uint64_t{node} * node_size;
        auto const last = std::min<std::uint64_t>(first + node_size, num_ranks);
        for (auto rank = first; rank < last; ++rank) ranks.push_back(PeId{static_cast<std::uint32_t>(rank)});
    }
    return ranks;
}

std::vector<std::uint32_t> draw(std::uint32_t count, double rate, std::uint64_t seed) {
    REGRAFT_EXPECTS(0 <= rate && rate <= 1);
    auto const wanted = static_cast<std::size_t>(std::llround(rate * count));
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    Random random(seed);
    for (std::size_t i = 0; i < wanted; ++i) std::swap(numbers[i], numbers[i + random.below(count - i)]);
    numbers.resize(wanted);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace regraft::plan
