#include "codec/native/prior.hpp"

#include <algorithm>
#include <string_view>

#include "codec/entropy/fixed_log.hpp"
#include "codec/native/native_model.hpp"
#include "codec/native/prior_tables.hpp"

namespace regraft::codec {
namespace {

/// Codes of what the tables do not say.
constexpr std::uint8_t rare_code = 12;    // frequency of a residue that is no letter of the prior
constexpr std::uint8_t rare_change = 16;  // change to it
constexpr std::uint8_t same_code = 28;    // change from it

Prior const* prior_of(Residues kind) {
    return kind == Residues::nucleotides ? &nucleotides : kind == Residues::amino_acids ? &amino_acids : nullptr;
}

/// The position among the letters of the prior; npos: it is none of them.
std::size_t place(Prior const& prior, Residues kind, std::uint8_t residue) {
    auto const letter = static_cast<char>(residue);
    return prior.letters.find(kind == Residues::nucleotides && letter == 'U' ? 'T' : letter);
}

constexpr std::uint8_t code_of_digit(char digit) {
    return static_cast<std::uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/// Codes per residue: those of the digits for letters of the prior, otherwise `rare`.
TableCodes codes_of(Residues kind, std::span<std::uint8_t const> residues, std::string_view digits, std::uint8_t rare) {
    TableCodes codes;
    codes.fill(absent);
    for (std::size_t r = 0; r < residues.size(); ++r) {
        auto const at = place(*prior_of(kind), kind, residues[r]);
        codes[r] = at == std::string_view::npos ? rare : code_of_digit(digits[at]);
    }
    return codes;
}

TableCodes all_equal(std::size_t num_symbols, std::uint8_t code) {
    TableCodes codes;
    codes.fill(absent);
    std::fill_n(codes.begin(), num_symbols, code);
    return codes;
}

}  // namespace

Residues kind_of(std::span<std::uint8_t const> residues) {
    auto const are_letters = [](Residues kind, std::span<std::uint8_t const> some) {
        return std::ranges::all_of(
            some, [&](auto residue) { return place(*prior_of(kind), kind, residue) != std::string_view::npos; });
    };
    auto const most_frequent = [&](std::size_t count) { return residues.first(std::min(residues.size(), count)); };
    if (are_letters(Residues::nucleotides, most_frequent(4))) return Residues::nucleotides;
    return are_letters(Residues::amino_acids, most_frequent(10)) ? Residues::amino_acids : Residues::others;
}

std::array<std::uint8_t, 256> expected_residues(Residues kind) {
    std::array<std::uint8_t, 256> order{};
    auto end = order.begin();
    if (auto const* const prior = prior_of(kind); prior != nullptr) end = std::ranges::copy(prior->letters, end).out;
    for (std::uint32_t c = 0; c < order.size(); ++c)
        if (std::find(order.begin(), end, c) == end) *end++ = static_cast<std::uint8_t>(c);
    return order;
}

TableCodes expected_frequencies(Residues kind, std::span<std::uint8_t const> residues) {
    if (kind == Residues::others) return all_equal(residues.size(), largest_code);
    return codes_of(kind, residues, prior_of(kind)->frequencies, rare_code);
}

TableCodes expected_changes(Residues kind, std::span<std::uint8_t const> residues, std::uint32_t from) {
    auto codes = all_equal(residues.size(), same_code);
    if (kind != Residues::others) {
        auto const at = place(*prior_of(kind), kind, residues[from]);
        if (at != std::string_view::npos) codes = codes_of(kind, residues, prior_of(kind)->changes[at], rare_change);
    }
    codes[from] = 0;
    return codes;
}

TableCodes expected_numbers(std::uint32_t shape, std::uint32_t most) {
    // A number is at least x with the probability 2^-(rate x); rates fall from 4 by 2^-(3/4).
    auto const rate = fixed_power(std::uint64_t{3 * shape} << (log_bits - 2)) >> (power_bits - log_bits - 2);
    auto const last = symbol_of(most);
    std::array<std::uint64_t, most_symbols> mass{};
    for (std::uint32_t s = 0; s <= last; ++s) {
        auto const [least, raw_bits] = number_ranges[s];
        auto const behind = std::uint64_t{least} + (std::uint64_t{1} << raw_bits);
        mass[s] = fixed_power(rate * least) - fixed_power(rate * behind);
    }
    auto const largest = std::ranges::max(mass);
    TableCodes codes;
    codes.fill(absent);
    for (std::uint32_t s = 0; s <= last; ++s) codes[s] = mass[s] == 0 ? 0 : code_of_count(mass[s], largest);
    codes[most_symbols - 1] = 0;
    return codes;
}

}  // namespace regraft::codec
