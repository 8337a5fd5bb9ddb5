// Readers of sides whose sites have masks or classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "likelihood/kernels/shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The masks or classes of a vector's sites, widened.
template <class Code>
HWY_INLINE hn::Vec<Integers> widened(Code const* codes) {
    alignas(64) std::array<std::int64_t, step> wide;
    for (std::size_t i = 0; i < step; ++i) wide[i] = codes[i];
    return hn::Load(integers, wide.data());
}

/// The product matrix * tip for few states: it equals the product with likelihoods of 0 and 1.
template <class S>
class MaskProduct {
public:
    static constexpr int kind = 0;  // for with_products
    MaskProduct(S shape, Side const& side) : shape_(shape), masks_(side.masks), matrices_(side.matrices) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        unrolled<vectors>([&](auto v) INLINED {
            auto const masks = widened(masks_ + block * block_sites + site + v * step);
            unrolled<most_states_by_mask>([&](auto j) INLINED {
                auto const is_in = hn::TestBit(masks, hn::Set(integers, std::int64_t{1} << j));
                likelihood_[v][j] = hn::IfThenElseZero(hn::RebindMask(sites, is_in), constant(1));
            });
        });
    }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const n = shape_.states();
        auto const* column = matrices_ + category * n * shape_.stride() + row;
        unrolled<count>([&](auto i) INLINED {
            auto const entry = constant(column[i]);
            unrolled<vectors>([&](auto v) INLINED { out[v][i] = hn::Mul(entry, likelihood_[v][0]); });
        });
        unrolled<most_states_by_mask - 1>([&](auto before) INLINED {
            constexpr auto j = before + 1;
            if (j >= n) return;
            column += shape_.stride();
            unrolled<count>([&](auto i) INLINED {
                auto const entry = constant(column[i]);
                unrolled<vectors>([&](auto v) INLINED { out[v][i] = fma(entry, likelihood_[v][j], out[v][i]); });
            });
        });
    }

private:
    S shape_;
    std::uint8_t const* masks_;
    double const* matrices_;
    Group<most_states_by_mask> likelihood_{};
};

/// Rows of classes, looked up by the class of a site.
template <class S>
class RowOfClass {
public:
    static constexpr int kind = 1;  // for with_products
    RowOfClass(S shape, Side const& side)
        : shape_(shape), classes_(side.classes), rows_(side.rows), num_classes_(side.num_classes) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = classes_ + block * block_sites + site; }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const* rows = rows_ + category * num_classes_ * shape_.stride() + row;
        unrolled<vectors>([&](auto v) INLINED { look_up(rows, at_ + v * step, out[v]); });
    }

private:
    template <std::size_t count>
    HWY_INLINE void look_up(double const* rows, std::uint32_t const* classes, Rows<count>& out) const {
#if HWY_MAX_BYTES >= 32
        if constexpr (count >= 4) {
            unrolled<(count + 3) / 4>([&](auto part) INLINED {
                constexpr auto first = 4 * part;
                auto const four = transposed(rows + first, classes);
                unrolled<std::min<std::size_t>(4, count - first)>([&](auto i) INLINED { out[first + i] = four[i]; });
            });
            return;
        }
#endif
        auto const stride = hn::Set(integers, static_cast<std::int64_t>(shape_.stride()));
        auto const place = hn::Mul(widened(classes), stride);
        unrolled<count>([&](auto i) INLINED { out[i] = hn::GatherIndex(sites, rows + i, place); });
    }

#if HWY_MAX_BYTES >= 32
    /// Four states for four sites, from four neighbouring numbers of each class.
    HWY_INLINE Rows<4> transposed(double const* rows, std::uint32_t const* classes) const {
        auto const of_site = [&](std::size_t i) INLINED { return rows + classes[i] * shape_.stride(); };
        Rows<4> x;
        unrolled<4>([&](auto i) INLINED {
            if constexpr (step == 4) {
                x[i] = hn::LoadU(sites, of_site(i));
            } else {
                constexpr hn::Half<Sites> half;
                x[i] = hn::Combine(sites, hn::LoadU(half, of_site(i + 4)), hn::LoadU(half, of_site(i)));
            }
        });
        auto const low01 = hn::InterleaveLower(sites, x[0], x[1]);
        auto const high01 = hn::InterleaveUpper(sites, x[0], x[1]);
        auto const low23 = hn::InterleaveLower(sites, x[2], x[3]);
        auto const high23 = hn::InterleaveUpper(sites, x[2], x[3]);
        return {hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low23), low01),
                hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high23), high01),
                hn::OddEvenBlocks(low23, hn::SwapAdjacentBlocks(low01)),
                hn::OddEvenBlocks(high23, hn::SwapAdjacentBlocks(high01))};
    }
#endif

    S shape_;
    std::uint32_t const* classes_;
    double const* rows_;
    std::size_t num_classes_;
    std::uint32_t const* at_ = nullptr;
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
