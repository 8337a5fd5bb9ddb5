// Elementary functions of many numbers.
#include <algorithm>
#include <array>
#include <span>

#include "likelihood/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/kernels/elementary.cpp"
#include <hwy/foreach_target.h>  // includes this file again for every instruction set
//
#include "likelihood/kernels/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// exp(x) - minus, where minus is 0 or 1. Taylor's series to degree 16 is used where the difference would cancel.
HWY_INLINE Vector exponential(Vector x, Vector minus) {
    constexpr double most = 0.5;
    constexpr std::array<double, 15> reciprocal{1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                                1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11,
                                                1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16};
    auto sum = constant(1);
    for (std::size_t i = reciprocal.size(); i-- > 0;) sum = fma(hn::Mul(sum, x), constant(reciprocal[i]), constant(1));
    auto const cancels = hn::And(hn::Le(hn::Abs(x), constant(most)), hn::Gt(minus, constant(0)));
    return hn::IfThenElse(cancels, hn::Mul(sum, x), hn::Sub(exponential(x), minus));
}

template <class Function>
void for_vectors(std::span<double> x, Function function) {
    alignas(64) std::array<double, step> part;
    for (std::size_t i = 0; i < x.size(); i += step) {
        auto const count = std::min(step, x.size() - i);
        part.fill(1);
        std::copy_n(&x[i], count, part.begin());
        hn::Store(function(hn::Load(sites, part.data())), sites, part.data());
        std::copy_n(part.begin(), count, &x[i]);
    }
}

void exponentials(std::span<double> x) {
    for_vectors(x, [](auto v) HWY_ATTR { return exponential(v); });
}
void exponentials_minus(std::span<double> x, double const* minus) {
    for_vectors(x, [&](auto v) HWY_ATTR {
        auto const result = exponential(v, hn::LoadU(sites, minus));
        minus += step;
        return result;
    });
}
void logarithms(std::span<double> x) {
    for_vectors(x, [](auto v) HWY_ATTR { return logarithm(v); });
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace regraft::likelihood::kernels {
namespace {
HWY_EXPORT(exponentials);
HWY_EXPORT(exponentials_minus);
HWY_EXPORT(logarithms);
}  // namespace

void exponentials(std::span<double> x) {
    HWY_DYNAMIC_DISPATCH(exponentials)(x);
}
void exponentials_minus(std::span<double> x, double const* minus) {
    HWY_DYNAMIC_DISPATCH(exponentials_minus)(x, minus);
}
void logarithms(std::span<double> x) {
    HWY_DYNAMIC_DISPATCH(logarithms)(x);
}

}  // namespace regraft::likelihood::kernels

#endif
