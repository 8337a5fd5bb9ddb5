#include "regraft/core/fixed_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "regraft/core/contracts.hpp"

namespace regraft {
namespace {

__extension__ using Wide = __int128;

/// Values are rounded by adding 3 * 2^51, which is correct up to 2^51.
constexpr int most_bits = 50;
double rounded(double x) {
    constexpr double shift = 0x1.8p52;
    return (x + shift) - shift;
}

}  // namespace

bool FixedScale::is_bound(double bound) {
    return std::isfinite(bound) && bound > 0 && std::exp2(std::ilogb(bound)) == bound;
}

FixedScale FixedScale::of(double bound, std::uint64_t total_weight) {
    REGRAFT_EXPECTS(is_bound(bound));
    auto const weight_bits = static_cast<int>(std::bit_width(total_weight));
    REGRAFT_EXPECTS(weight_bits <= 50);
    FixedScale scale;
    scale.bound = bound;
    scale.high_bits = std::min(most_bits, 62 - weight_bits) - std::ilogb(bound);
    scale.low_bits = std::min(most_bits, 62 - weight_bits);
    scale.high_factor = std::ldexp(1.0, scale.high_bits);
    scale.low_factor = std::ldexp(1.0, scale.low_bits);
    return scale;
}

void FixedSum::add(double value, std::uint32_t weight, FixedScale const& scale) {
    if (weight == 0) return;
    if (!(std::abs(value) <= scale.bound)) {
        ++num_strays;
        strays.add(value, weight);
        return;
    }
    auto const scaled = value * scale.high_factor;
    auto const coarse = rounded(scaled);
    high += static_cast<std::int64_t>(coarse) * weight;
    low += static_cast<std::int64_t>(rounded((scaled - coarse) * scale.low_factor)) * weight;
}

void FixedSum::add(FixedSum const& other) {
    high += other.high;
    low += other.low;
    num_strays += other.num_strays;
    if (other.num_strays > 0) strays.add(other.strays);
}

double FixedSum::value(FixedScale const& scale) const {
    auto const steps = Wide{high} * (Wide{1} << scale.low_bits) + low;
    auto const regular = std::ldexp(static_cast<double>(steps), -(scale.high_bits + scale.low_bits));
    return num_strays == 0 ? regular : regular + strays.value();
}

}  // namespace regraft
