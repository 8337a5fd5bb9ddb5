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
        auto const result = exponential_minus(v, hn::LoadU(sites, minus));
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
