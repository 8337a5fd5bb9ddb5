// Exact sums over sites.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "likelihood/kernels/vectors-inl.hpp"
#include "regraft/core/fixed_sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// Parts of a FixedSum, one per lane.
class Accumulator {
public:
    Accumulator(FixedScale const& scale, FixedSum& sum)
        : sum_(&sum),
          bound_(constant(scale.bound)),
          high_factor_(constant(scale.high_factor)),
          low_factor_(constant(scale.low_factor)),
          high_(hn::Zero(integers)),
          low_(hn::Zero(integers)) {}

    HWY_INLINE void add(Vector value, hn::Vec<Integers> weight) {
        auto const regular = hn::Le(hn::Abs(value), bound_);
        if (!hn::AllTrue(sites, regular)) {
            add_strays(value, weight, regular);
            value = hn::IfThenElseZero(regular, value);
        }
        auto const scaled = hn::Mul(value, high_factor_);
        auto const coarse = shifted(scaled);
        auto const rest = hn::Sub(scaled, unshifted(coarse));
        high_ = hn::Add(high_, weighted(shifted_integer(coarse), weight));
        low_ = hn::Add(low_, weighted(shifted_integer(shifted(hn::Mul(rest, low_factor_))), weight));
    }

    void finish() const {
        alignas(64) std::array<std::int64_t, step> high;
        alignas(64) std::array<std::int64_t, step> low;
        hn::Store(high_, integers, high.data());
        hn::Store(low_, integers, low.data());
        for (std::size_t i = 0; i < step; ++i) {
            sum_->high += high[i];
            sum_->low += low[i];
        }
    }

private:
    /// The low 64 bits of the product; weights have 32 bits.
    static HWY_INLINE hn::Vec<Integers> weighted(hn::Vec<Integers> x, hn::Vec<Integers> weight) {
#if HWY_TARGET == HWY_SCALAR
        return hn::Set(integers, hn::GetLane(x) * hn::GetLane(weight));
#else
        constexpr hn::Repartition<std::uint32_t, Sites> halves;
        auto const bits = hn::BitCast(unsigneds, x);
        auto const w = hn::BitCast(halves, weight);
        auto const low = hn::MulEven(hn::BitCast(halves, bits), w);
        auto const high = hn::MulEven(hn::BitCast(halves, hn::ShiftRight<32>(bits)), w);
        return hn::BitCast(integers, hn::Add(low, hn::ShiftLeft<32>(high)));
#endif
    }

    HWY_NOINLINE void add_strays(Vector value, hn::Vec<Integers> weight, Mask regular) const {
        alignas(64) std::array<double, step> values;
        alignas(64) std::array<std::int64_t, step> weights;
        alignas(64) std::array<double, step> is_regular;
        hn::Store(value, sites, values.data());
        hn::Store(weight, integers, weights.data());
        hn::Store(hn::IfThenElseZero(regular, constant(1)), sites, is_regular.data());
        for (std::size_t i = 0; i < step; ++i) {
            if (is_regular[i] != 0 || weights[i] == 0) continue;
            ++sum_->num_strays;
            sum_->strays.add(values[i], static_cast<std::uint32_t>(weights[i]));
        }
    }

    FixedSum* sum_;
    Vector bound_;
    Vector high_factor_;
    Vector low_factor_;
    hn::Vec<Integers> high_;
    hn::Vec<Integers> low_;
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
