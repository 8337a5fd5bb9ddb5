#include "codec/native/table_coder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "codec/entropy/fixed_log.hpp"

namespace regraft::codec {
namespace {

constexpr std::uint32_t usual_shape = 3;

TableCodes flat(std::uint32_t num_symbols, std::uint8_t code) {
    TableCodes codes;
    codes.fill(absent);
    std::fill_n(codes.begin(), num_symbols, code);
    return codes;
}

TableCodes first_codes(std::initializer_list<std::uint8_t> given) {
    TableCodes codes;
    codes.fill(absent);
    std::ranges::copy(given, codes.begin());
    return codes;
}

}  // namespace

ExpectedTables::ExpectedTables(TableLayout const& layout, Symbols const& symbols, std::uint32_t num_edges)
    : layout_(layout), kind_(symbols.kind()), residues_(symbols.residues()) {
    for (std::uint32_t shape = 0; shape < num_shapes; ++shape) numbers_[shape] = expected_numbers(shape, num_edges);
}

std::uint32_t ExpectedTables::nearest_shape(TableCodes const& codes) const {
    std::uint32_t best = 0;
    auto least = ~std::uint32_t{0};
    for (std::uint32_t shape = 0; shape < num_shapes; ++shape) {
        std::uint32_t distance = 0;
        for (std::uint32_t s = 0; s < most_symbols; ++s) {
            auto const difference = codes[s] - numbers_[shape][s];
            if (difference != 0)
                distance +=
                    8 + 3 * static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(std::abs(difference))));
        }
        if (distance >= least) continue;
        least = distance;
        best = shape;
    }
    return best;
}

bool ExpectedTables::is_of_numbers(std::uint32_t table) const {
    return (TableLayout::drop_count <= table && table < TableLayout::root_residue) ||
           (layout_.change_count <= table && table < layout_.residue_target);
}

TableCodes const& ExpectedTables::numbers_before(std::uint32_t table, std::span<TableCodes const> before) const {
    if (table == TableLayout::drop_count) return numbers_[usual_shape];
    return table == layout_.change_count ? before[TableLayout::root_residue - 1] : before[table - 1];
}

TableCodes ExpectedTables::of(std::uint32_t table, std::span<TableCodes const> before) const {
    if (table < TableLayout::dropped) {
        if (layout_.num_classes == 1) return first_codes({0, largest_code});
        return table == TableLayout::same_classes ? first_codes({31, 29}) : first_codes({25, 31});
    }
    if (table < TableLayout::drop_count)
        return table == TableLayout::dropped ? first_codes({28, 31, 0}) : first_codes({29, 30, 30});
    if (table == TableLayout::root_residue) return expected_frequencies(kind_, residues_);
    if (table < layout_.class_target) {
        auto codes = flat(layout_.num_classes, 24);
        codes[table - TableLayout::root_class] = largest_code;
        return codes;
    }
    if (table == layout_.class_target) return flat(layout_.num_classes, 28);
    if (table < layout_.change_count || table > layout_.direct) return before[table - 1];
    if (table == layout_.direct) return before[TableLayout::root_residue];
    auto const per_residue = (layout_.direct - layout_.residue_target) / layout_.num_residues;
    auto const i = table - layout_.residue_target;
    return i % per_residue == 0 ? expected_changes(kind_, residues_, i / per_residue) : before[table - 1];
}

namespace {

constexpr int cost_bits = 16;
constexpr std::uint64_t bit = std::uint64_t{1} << cost_bits;

/// log2 of weights, with cost_bits fractional bits.
constexpr std::array<std::uint32_t, largest_code + 1> make_log_weights() {
    std::array<std::uint32_t, largest_code + 1> table{};
    for (std::uint32_t code = 0; code < table.size(); ++code)
        table[code] = static_cast<std::uint32_t>(fixed_log2(weight_of_code(code)) >> (log_bits - cost_bits));
    return table;
}
constexpr auto log_weight = make_log_weights();

/// About what a code takes that differs by so much from the one that is expected.
constexpr std::array<std::uint32_t, largest_code + 1> make_difference_bits() {
    std::array<std::uint32_t, largest_code + 1> table{bit * 3 / 10};
    for (std::uint32_t d = 1; d < table.size(); ++d)
        table[d] = static_cast<std::uint32_t>(4 * bit + 3 * bit / 2 * (std::bit_width(d) - 1));
    return table;
}
constexpr auto difference_bits = make_difference_bits();

struct Fit {
    TableCodes codes;
    std::uint64_t bits = 0;  // with cost_bits fractional bits
};

std::uint64_t total_weight(TableCodes const& codes) {
    std::uint64_t sum = 0;
    for (auto const code : codes) sum += code == absent ? 0 : weight_of_code(code);
    return sum;
}

std::uint64_t log_of(std::uint64_t weight) {
    return fixed_log2(weight) >> (log_bits - cost_bits);
}

/// The size of symbols that occur as counted.
std::uint64_t bits_of(SymbolCounts const& counts, std::uint64_t num_symbols, TableCodes const& codes) {
    auto bits = num_symbols * log_of(total_weight(codes));
    for (std::uint32_t s = 0; s < most_symbols; ++s)
        if (counts[s] != 0) bits -= counts[s] * log_weight[codes[s]];
    return bits;
}

class Fitting {
public:
    Fitting(SymbolCounts const& counts, TableCodes const& base)
        : counts_(counts), base_(base), sum_(std::reduce(counts.begin(), counts.end())) {}

    /// Improves codes symbol by symbol.
    Fit from(TableCodes codes) const {
        auto weight = total_weight(codes);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::uint32_t s = 0; s < most_symbols; ++s) {
                if (base_[s] == absent) continue;
                auto const others = weight - weight_of_code(codes[s]);
                codes[s] = best_code(s, others, codes[s]);
                weight = others + weight_of_code(codes[s]);
            }
        }
        return {codes, bits(codes)};
    }
    std::uint64_t bits(TableCodes const& codes) const {
        auto sum = bits_of(counts_, sum_, codes) + bit;
        if (codes == base_) return sum;
        for (std::uint32_t s = 0; s < most_symbols; ++s)
            if (base_[s] != absent) sum += difference_bits[static_cast<std::size_t>(std::abs(codes[s] - base_[s]))];
        return sum;
    }

private:
    std::uint8_t best_code(std::uint32_t s, std::uint64_t others, std::uint8_t now) const {
        auto best = now;
        auto least = cost(s, others, now);
        auto const consider = [&](std::uint8_t code) {
            if (code == best) return;
            auto const bits = cost(s, others, code);
            if (bits >= least) return;
            least = bits;
            best = code;
        };
        consider(base_[s]);
        auto const ideal = ideal_code(s, others);
        consider(ideal);
        if (ideal > 0) consider(static_cast<std::uint8_t>(ideal - 1));
        if (ideal < largest_code) consider(static_cast<std::uint8_t>(ideal + 1));
        return best;
    }
    std::uint8_t ideal_code(std::uint32_t s, std::uint64_t others) const {
        if (counts_[s] == 0) return 0;
        if (counts_[s] == sum_) return largest_code;
        // weight / others = count / other counts
        auto const log = static_cast<std::int64_t>(log_of(std::max<std::uint64_t>(others, 1)) + log_of(counts_[s])) -
                         static_cast<std::int64_t>(log_of(sum_ - counts_[s]));
        return static_cast<std::uint8_t>(
            std::clamp<std::int64_t>((2 * log + std::int64_t{bit / 2}) / std::int64_t{bit} - 2, 0, largest_code));
    }
    std::uint64_t cost(std::uint32_t s, std::uint64_t others, std::uint8_t code) const {
        // A constant keeps the difference positive.
        return sum_ * (log_of(others + weight_of_code(code)) + 32 * bit) - counts_[s] * log_weight[code] +
               difference_bits[static_cast<std::size_t>(std::abs(code - base_[s]))];
    }

    SymbolCounts const& counts_;
    TableCodes const& base_;
    std::uint64_t sum_;
};

/// The best codes if those are expected.
Fit fit(SymbolCounts const& counts, TableCodes const& base) {
    Fitting const fitting(counts, base);
    auto best = fitting.from(base);
    auto const keep = [&](Fit const& other) {
        if (other.bits < best.bits) best = other;
    };
    keep({base, fitting.bits(base)});
    auto ideal = FrequencyTable(counts).codes();
    for (std::uint32_t s = 0; s < most_symbols; ++s)
        ideal[s] = base[s] == absent ? absent : ideal[s] == absent ? std::min<std::uint8_t>(base[s], 8) : ideal[s];
    keep(fitting.from(ideal));
    return best;
}

/// The best codes of a table of numbers.
Fit fit_numbers(SymbolCounts const& counts, ExpectedTables const& expected, TableCodes const& before) {
    auto const sum = std::reduce(counts.begin(), counts.end());
    Fit best{before, bits_of(counts, sum, before) + bit};
    std::array<std::uint64_t, ExpectedTables::num_shapes> bits{};
    for (std::uint32_t shape = 0; shape < bits.size(); ++shape)
        bits[shape] = bits_of(counts, sum, expected.numbers(shape));
    auto const shape = static_cast<std::uint32_t>(std::ranges::min_element(bits) - bits.begin());
    for (auto near = shape == 0 ? 0 : shape - 1; near <= std::min(shape + 1, ExpectedTables::num_shapes - 1); ++near) {
        auto other = fit(counts, expected.numbers(near));
        other.bits += 4 * bit;
        if (other.bits < best.bits) best = other;
    }
    return best;
}

}  // namespace

ChosenTables choose_tables(ExpectedTables const& expected, std::span<SymbolCounts const> counts, std::uint32_t last,
                           ChosenTables chosen) {
    for (auto t = static_cast<std::uint32_t>(chosen.codes.size()); t < last; ++t) {
        bool const is_used = std::ranges::any_of(counts[t], [](auto count) { return count != 0; });
        auto const of_numbers = expected.is_of_numbers(t);
        auto const base = of_numbers ? expected.numbers_before(t, chosen.codes) : expected.of(t, chosen.codes);
        if (!is_used) {
            chosen.codes.push_back(base);
            continue;
        }
        auto const best = of_numbers ? fit_numbers(counts[t], expected, base) : fit(counts[t], base);
        chosen.codes.push_back(best.codes);
        chosen.bits += best.bits >> (cost_bits - 8);
    }
    return chosen;
}

}  // namespace regraft::codec
