// Vectors of the numbers of as many sites as fit, and loops that keep them in registers.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "likelihood/kernels/kernels.hpp"
#include "likelihood/kernels/target-inl.hpp"

/// For lambdas: if one is called as a function, arrays of vectors that it captures move to memory.
#undef INLINED
#define INLINED HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The vectors: they have as many sites of a block as fit.
using Sites = hn::CappedTag<double, block_sites>;
using Vector = hn::Vec<Sites>;
using Integers = hn::RebindToSigned<Sites>;
using Unsigned = hn::RebindToUnsigned<Sites>;
using Mask = hn::Mask<Sites>;
constexpr Sites sites;
constexpr Integers integers;
constexpr Unsigned unsigneds;
constexpr std::size_t step = hn::MaxLanes(sites);

/// a * b + c, rounded once.
HWY_INLINE Vector fma(Vector a, Vector b, Vector c) {
#if HWY_NATIVE_FMA
    return hn::MulAdd(a, b, c);
#else
    alignas(64) std::array<double, step> x;
    alignas(64) std::array<double, step> y;
    alignas(64) std::array<double, step> z;
    hn::Store(a, sites, x.data());
    hn::Store(b, sites, y.data());
    hn::Store(c, sites, z.data());
    for (std::size_t i = 0; i < step; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return hn::Load(sites, z.data());
#endif
}

HWY_INLINE Vector constant(double x) {
    return hn::Set(sites, x);
}

/// Adding this rounds x to an integer, for |x| < 2^51: its bits are those of the shift plus the integer.
constexpr double rounding_shift = 0x1.8p52;
HWY_INLINE Vector shifted(Vector x) {
    return hn::Add(x, constant(rounding_shift));
}
HWY_INLINE Vector unshifted(Vector x) {
    return hn::Sub(x, constant(rounding_shift));
}
HWY_INLINE hn::Vec<Integers> shifted_integer(Vector x) {
    return hn::Sub(hn::BitCast(integers, x), hn::BitCast(integers, constant(rounding_shift)));
}

template <class Function, std::size_t... i>
HWY_INLINE void call_each(Function f, std::index_sequence<i...>) {
    (f(std::integral_constant<std::size_t, i>()), ...);
}

/// Calls f(0), f(1), ... with constants, so that arrays of vectors stay in registers.
template <std::size_t count, class Function>
HWY_INLINE void unrolled(Function f) {
    call_each(f, std::make_index_sequence<count>());
}

template <std::size_t count>
using Rows = std::array<Vector, count>;

/// Number of vectors that are computed at once within a block, so that each load of a matrix serves all of them.
constexpr std::size_t vectors = step < block_sites ? 2 : 1;
template <std::size_t count>
using Group = std::array<Rows<count>, vectors>;

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
