// Kulisch's long accumulator with delayed carries (see also Neal 2015, "Fast exact summation using small and large
// superaccumulators").
#include "regraft/core/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace regraft {
namespace {

constexpr int bias = 1074;                       // digit 0 starts at 2^-1074, the least subnormal
constexpr std::uint32_t max_pending = 1U << 29;  // each addition changes a limb by less than 2^33
constexpr std::size_t plus_inf = ExactSum::num_digits;
constexpr std::size_t minus_inf = plus_inf + 1;
constexpr std::size_t nan = plus_inf + 2;
constexpr std::uint64_t low_half = 0xffffffffULL;

}  // namespace

void ExactSum::add(double x, std::uint32_t weight) {
    auto const bits = std::bit_cast<std::uint64_t>(x);
    auto const exponent = static_cast<int>((bits >> 52) & 0x7ff);
    auto const fraction = bits & ((1ULL << 52) - 1);
    bool const negative = (bits >> 63) != 0;
    if (weight == 0) return;
    if (exponent == 0x7ff) {
        ++limbs_[fraction != 0 ? nan : (negative ? minus_inf : plus_inf)];
        return;
    }
    // |x| = mantissa * 2^(position - 1074); a subnormal has the position of the least normal number.
    auto const mantissa = exponent == 0 ? fraction : fraction | (1ULL << 52);
    auto const position = static_cast<std::size_t>(exponent == 0 ? 0 : exponent - 1);
    auto const digit = position / 32;
    auto const shift = position % 32;

    // 53 + 32 + 31 bits fit into four digits.
    __extension__ using Wide = unsigned __int128;
    auto const product = (Wide{mantissa} * weight) << shift;
    for (std::size_t i = 0; i < 4; ++i) {
        auto const part = static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> (32 * i)) & low_half);
        limbs_[digit + i] += negative ? -part : part;
    }
    if (++pending_ == max_pending) normalize();
}

void ExactSum::add(ExactSum const& other) {
    ExactSum canonical = other;
    canonical.normalize();
    normalize();
    for (std::size_t i = 0; i < num_limbs; ++i) limbs_[i] += canonical.limbs_[i];
    normalize();
}

void ExactSum::normalize() {
    for (std::size_t i = 0; i + 1 < num_digits; ++i) {
        auto const carry = limbs_[i] >> 32;  // the arithmetic shift rounds down, so the digit left behind is in [0,
                                             // 2^32)
        limbs_[i] -= carry * (std::int64_t{1} << 32);
        limbs_[i + 1] += carry;
    }
    pending_ = 0;
}

double ExactSum::value() const {
    bool const up = limbs_[plus_inf] != 0;
    bool const down = limbs_[minus_inf] != 0;
    if (limbs_[nan] != 0 || (up && down)) return std::numeric_limits<double>::quiet_NaN();
    if (up || down) return up ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();

    ExactSum magnitude = *this;
    magnitude.normalize();
    bool const negative = magnitude.limbs_[num_digits - 1] < 0;
    if (negative) {
        for (auto& limb : magnitude.limbs_) limb = -limb;
        magnitude.normalize();
    }
    auto const& digit = magnitude.limbs_;
    std::size_t top = num_digits;
    while (top > 0 && digit[top - 1] == 0) --top;
    if (top == 0) return 0.0;

    // The leading 64 or more bits are in one word; of the bits below it matters only whether any is set (sticky).
    __extension__ using Wide = unsigned __int128;
    Wide leading = 0;
    std::size_t const lowest = top >= 4 ? top - 3 : 0;
    for (std::size_t i = top; i > lowest; --i) leading = (leading << 32) | static_cast<std::uint64_t>(digit[i - 1]);
    bool sticky = false;
    for (std::size_t i = 0; i < lowest; ++i) sticky = sticky || digit[i] != 0;

    // Keep 53 bits, or fewer where the result is subnormal: never below 2^-1074.
    auto const high = static_cast<std::uint64_t>(leading >> 64);
    int const width =
        high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(leading));
    int const drop = width > 53 ? width - 53 : 0;
    auto kept = static_cast<std::uint64_t>(leading >> drop);
    if (drop > 0) {
        auto const rest = leading & ((Wide{1} << drop) - 1);
        auto const half = Wide{1} << (drop - 1);
        if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
    }
    double const result = std::ldexp(static_cast<double>(kept), drop + static_cast<int>(32 * lowest) - bias);
    return negative ? -result : result;
}

}  // namespace regraft
