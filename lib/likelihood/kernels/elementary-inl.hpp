// Elementary functions from IEEE operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "likelihood/kernels/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// x = n ln 2 + r, with an integer n that is shifted, by Cody and Waite.
struct Reduced {
    Vector n;
    Vector r;
};
HWY_INLINE Reduced reduced(Vector x) {
    constexpr double ln2_high = 0x1.62e42fefa39efp-1;
    constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
    auto const n = shifted(hn::Mul(x, constant(std::numbers::log2e)));
    auto const r = fma(unshifted(n), constant(-ln2_high), x);
    return {n, fma(unshifted(n), constant(-ln2_low), r)};
}

/// exp(x) by Taylor's series to degree 13.
HWY_INLINE Vector exponential(Vector x) {
    constexpr double least = -708;
    constexpr double most = 709;
    auto const in_range = hn::Min(hn::Max(x, constant(least)), constant(most));
    auto const [n, r] = reduced(in_range);
    constexpr std::array<double, 14> factorial{1.0,       1.0,        2.0,         6.0,         24.0,
                                               120.0,     720.0,      5040.0,      40320.0,     362880.0,
                                               3628800.0, 39916800.0, 479001600.0, 6227020800.0};
    auto sum = constant(1 / factorial.back());
    for (std::size_t i = factorial.size() - 1; i-- > 0;) sum = fma(sum, r, constant(1 / factorial[i]));
    auto const power = hn::ShiftLeft<52>(hn::Add(shifted_integer(n), hn::Set(integers, 1023)));
    auto const result = hn::Mul(sum, hn::BitCast(sites, power));
    auto const infinite =
        hn::IfThenElse(hn::Gt(x, constant(most)), constant(std::numeric_limits<double>::infinity()), result);
    auto const bounded = hn::IfThenElseZero(hn::Not(hn::Lt(x, constant(least))), infinite);
    return hn::IfThenElse(hn::Eq(x, x), bounded, x);
}

/// exp(x) - minus, where minus is 0 or 1. Taylor's series to degree 16 is used where the difference would cancel.
HWY_INLINE Vector exponential_minus(Vector x, Vector minus) {
    constexpr double most = 0.5;
    constexpr std::array<double, 15> reciprocal{1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                                1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11,
                                                1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16};
    auto sum = constant(1);
    for (std::size_t i = reciprocal.size(); i-- > 0;) sum = fma(hn::Mul(sum, x), constant(reciprocal[i]), constant(1));
    auto const cancels = hn::And(hn::Le(hn::Abs(x), constant(most)), hn::Gt(minus, constant(0)));
    return hn::IfThenElse(cancels, hn::Mul(sum, x), hn::Sub(exponential(x), minus));
}

/// log(x) by the series of Ng's fdlibm in s = f / (2 + f), for x = 2^k (1 + f).
HWY_INLINE Vector logarithm(Vector x) {
    constexpr double ln2_high = 6.93147180369123816490e-01;
    constexpr double ln2_low = 1.90821492927058770002e-10;
    constexpr std::array<double, 7> l{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                      2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                      1.479819860511658591e-01};
    constexpr std::uint64_t root_half = 0x3fe6a09e00000000;  // upper bits of sqrt(1/2)
    constexpr std::uint64_t one = 0x3ff0000000000000;
    constexpr double least = std::numeric_limits<double>::min();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto const is_small = hn::Lt(x, constant(least));
    auto const normal = hn::IfThenElse(is_small, hn::Mul(x, constant(0x1p54)), x);
    auto const bits = hn::Add(hn::BitCast(unsigneds, normal), hn::Set(unsigneds, one - root_half));
    // k + 1023 as a double: its bits are the low bits of 2^52.
    auto const exponent = hn::Or(hn::ShiftRight<52>(bits), hn::BitCast(unsigneds, constant(0x1p52)));
    auto k = hn::Sub(hn::BitCast(sites, exponent), constant(0x1p52 + 1023));
    k = hn::Sub(k, hn::IfThenElseZero(is_small, constant(54)));
    auto const fraction = hn::And(bits, hn::Set(unsigneds, 0x000fffffffffffff));
    auto const f = hn::Sub(hn::BitCast(sites, hn::Add(fraction, hn::Set(unsigneds, root_half))), constant(1));
    auto const half_square = hn::Mul(constant(0.5), hn::Mul(f, f));
    auto const s = hn::Div(f, hn::Add(constant(2), f));
    auto const z = hn::Mul(s, s);
    auto const w = hn::Mul(z, z);
    auto const even = hn::Mul(w, fma(w, fma(w, constant(l[5]), constant(l[3])), constant(l[1])));
    auto const odd = hn::Mul(z, fma(w, fma(w, fma(w, constant(l[6]), constant(l[4])), constant(l[2])), constant(l[0])));
    auto const tail = hn::Add(hn::Mul(s, hn::Add(half_square, hn::Add(even, odd))), hn::Mul(k, constant(ln2_low)));
    auto const result = hn::Add(hn::Mul(k, constant(ln2_high)), hn::Sub(f, hn::Sub(half_square, tail)));
    auto const regular = hn::And(hn::Gt(x, constant(0)), hn::Lt(x, constant(infinity)));
    auto const not_above =
        hn::IfThenElse(hn::Eq(x, constant(0)), constant(-infinity), constant(std::numeric_limits<double>::quiet_NaN()));
    auto const special = hn::IfThenElse(hn::Eq(x, constant(infinity)), x, not_above);
    return hn::IfThenElse(regular, result, special);
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
