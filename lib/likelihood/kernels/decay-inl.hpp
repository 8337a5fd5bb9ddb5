// Exponentials for x <= 0, in fewer operations than for any x. Each is a polynomial that interpolates at Chebyshev's
// points; rounding excepted, its relative error is below 2^-55.
#pragma once

#include <array>
#include <cstddef>

#include "likelihood/kernels/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The sum of c[i] x^i.
template <std::size_t count>
HWY_INLINE Vector polynomial(std::array<double, count> const& c, Vector x) {
    auto sum = constant(c.back());
    for (std::size_t i = count - 1; i-- > 0;) sum = fma(sum, x, constant(c[i]));
    return sum;
}

/// exp(x) - 1 for -1/8 <= x <= 0.
HWY_INLINE Vector tiny_decay_minus_1(Vector x) {
    constexpr std::array<double, 8> c{1.0,
                                      0.4999999999999951,
                                      0.16666666666584581,
                                      0.04166666661408113,
                                      0.008333331677954874,
                                      0.0013888605609956477,
                                      0.00019814359866226683,
                                      2.3463784375394916e-05};
    return hn::Mul(polynomial(c, x), x);
}

/// exp(x) - 1 for -1 <= x <= 0.
HWY_INLINE Vector short_decay_minus_1(Vector x) {
    constexpr std::array<double, 12> c{1.0,
                                       0.4999999999999964,
                                       0.1666666666664944,
                                       0.041666666663443576,
                                       0.008333333302138762,
                                       0.0013888887104824001,
                                       0.0001984120502317959,
                                       2.4800032289946006e-05,
                                       2.753231109497008e-06,
                                       2.7289403227036547e-07,
                                       2.3200975871202737e-08,
                                       1.3221480811326931e-09};
    return hn::Mul(polynomial(c, x), x);
}

/// exp(x) for x <= 0, at least exp(-708).
HWY_INLINE Vector decay(Vector x) {
    constexpr double least = -708;
    constexpr std::array<double, 12> c{1.0,
                                       1.0,
                                       0.5000000000000019,
                                       0.1666666666666668,
                                       0.0416666666664881,
                                       0.008333333333319601,
                                       0.0013888888952314775,
                                       0.00019841269890047113,
                                       2.4801485482328494e-05,
                                       2.755724091857897e-06,
                                       2.763263963904103e-07,
                                       2.5110037605963777e-08};
    auto const [n, r] = reduced(hn::Max(x, constant(least)));
    // The lowest bits of n, shifted, are the integer, which is added to the exponent.
    auto const power = hn::ShiftLeft<52>(hn::BitCast(integers, n));
    return hn::BitCast(sites, hn::Add(hn::BitCast(integers, polynomial(c, r)), power));
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
