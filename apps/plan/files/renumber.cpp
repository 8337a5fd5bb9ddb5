#include "files/renumber.hpp"

#include <algorithm>
#include <cstddef>

namespace regraft::plan {
namespace {

std::vector<std::uint32_t> renumber_by_table(std::span<std::uint32_t> numbers, std::uint32_t largest) {
    std::vector<std::uint32_t> place(std::size_t{largest} + 1, 0);
    for (auto const number : numbers) place[number] = 1;
    std::vector<std::uint32_t> different;
    for (std::size_t number = 0; number < place.size(); ++number) {
        if (place[number] == 0) continue;
        place[number] = static_cast<std::uint32_t>(different.size());
        different.push_back(static_cast<std::uint32_t>(number));
    }
    for (auto& number : numbers) number = place[number];
    return different;
}

std::vector<std::uint32_t> renumber_by_search(std::span<std::uint32_t> numbers) {
    std::vector<std::uint32_t> different(numbers.begin(), numbers.end());
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    for (auto& number : numbers) {
        auto const found = std::lower_bound(different.begin(), different.end(), number);
        number = static_cast<std::uint32_t>(found - different.begin());
    }
    return different;
}

}  // namespace

std::vector<std::uint32_t> renumber(std::span<std::uint32_t> numbers) {
    if (numbers.empty()) return {};
    auto const largest = *std::max_element(numbers.begin(), numbers.end());
    constexpr std::size_t table_per_number = 4;
    return largest < table_per_number * numbers.size() ? renumber_by_table(numbers, largest)
                                                       : renumber_by_search(numbers);
}

}  // namespace regraft::plan
