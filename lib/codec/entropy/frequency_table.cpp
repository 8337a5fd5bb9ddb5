#include "codec/entropy/frequency_table.hpp"

#include <algorithm>

#include "codec/entropy/fixed_log.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

constexpr std::uint64_t one_bit = std::uint64_t{1} << log_bits;

}  // namespace

std::uint8_t code_of_count(std::uint64_t count, std::uint64_t largest) {
    auto const below = (2 * (fixed_log2(largest) - fixed_log2(count)) + one_bit / 2) >> log_bits;
    return static_cast<std::uint8_t>(largest_code - std::min<std::uint64_t>(below, largest_code));
}

FrequencyTable::FrequencyTable() {
    code_.fill(absent);
    set_shares();
}

FrequencyTable::FrequencyTable(SymbolCounts const& counts) {
    auto const largest = std::ranges::max(counts);
    for (std::uint32_t s = 0; s < most_symbols; ++s)
        code_[s] = counts[s] == 0 ? absent : code_of_count(counts[s], largest);
    set_shares();
}

FrequencyTable::FrequencyTable(TableCodes const& codes) : code_(codes) {
    set_shares();
}

void FrequencyTable::set_shares() {
    constexpr std::uint64_t all = 1U << symbol_bits;
    std::uint64_t total = 0;
    for (auto const code : code_) total += code == absent ? 0 : weight_of_code(code);
    std::array<std::uint64_t, most_symbols> size{};
    if (total == 0) size[0] = all;
    std::uint64_t given = 0;
    for (std::uint32_t s = 0; s < most_symbols && total != 0; ++s) {
        if (code_[s] != absent) size[s] = std::max<std::uint64_t>(1, weight_of_code(code_[s]) * all / total);
        given += size[s];
    }
    // The rest from rounding goes to the most frequent symbol, where it matters least.
    if (total != 0) *std::ranges::max_element(size) += all - given;
    std::uint64_t end = 0;
    for (std::uint32_t s = 0; s < most_symbols; ++s) {
        end += size[s];
        last_[s] = static_cast<std::int16_t>(static_cast<std::int32_t>(end) - 1);
    }
}

std::uint32_t FrequencyTable::cost(std::uint32_t symbol) const {
    return symbol_bits * 256 - static_cast<std::uint32_t>(fixed_log2(share(symbol).size) >> (log_bits - 8));
}

std::uint64_t FrequencyTable::cost(SymbolCounts const& counts) const {
    std::uint64_t sum = 0;
    for (std::uint32_t s = 0; s < most_symbols; ++s)
        if (counts[s] != 0) sum += counts[s] * cost(s);
    return sum;
}

}  // namespace regraft::codec
