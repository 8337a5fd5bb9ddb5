// Readers of sides that are CLVs.
#pragma once

#include <cstddef>

#include <hwy/cache_control.h>

#include "likelihood/kernels/shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The likelihoods of a CLV without a matrix.
template <class S>
class Plain {
public:
    Plain(S shape, Side const& side) : shape_(shape), clv_(side.clv) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = clv_ + shape_.place(block, 0, 0) + site; }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const* x = at_ + shape_.place(0, category, row);
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED { out[v][i] = hn::Load(sites, x + v * step + i * block_sites); });
        });
    }

private:
    S shape_;
    double const* clv_;
    double const* at_ = nullptr;
};

/// The product matrix * likelihoods.
template <class S>
class Product {
public:
    static constexpr int kind = 2;  // for with_products
    Product(S shape, Side const& side) : shape_(shape), clv_(side.clv), matrices_(side.matrices) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = clv_ + shape_.place(block, 0, 0) + site; }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const n = shape_.states();
        auto const* x = at_ + shape_.place(0, category, 0);
        auto const* column = matrices_ + category * n * shape_.stride() + row;
        Rows<vectors> likelihood;
        auto const load = [&](std::size_t j) INLINED {
            unrolled<vectors>([&](auto v) INLINED { likelihood[v] = hn::Load(sites, x + v * step + j * block_sites); });
        };
        load(0);
        unrolled<count>([&](auto i) INLINED {
            auto const entry = constant(column[i]);
            unrolled<vectors>([&](auto v) INLINED { out[v][i] = hn::Mul(entry, likelihood[v]); });
        });
        for (std::size_t j = 1; j < n; ++j) {
            column += shape_.stride();
            load(j);
            unrolled<count>([&](auto i) INLINED {
                auto const entry = constant(column[i]);
                unrolled<vectors>([&](auto v) INLINED { out[v][i] = fma(entry, likelihood[v], out[v][i]); });
            });
        }
    }
    /// Prefetches the likelihoods behind those of a category.
    HWY_INLINE void prefetch(std::size_t category) const {
        if (has_masks(shape_.states())) return;
        auto const* next = at_ + shape_.place(0, category + 1, 0);
        for (std::size_t j = 0; j < shape_.states(); ++j) hwy::Prefetch(next + j * block_sites);
    }

private:
    S shape_;
    double const* clv_;
    double const* matrices_;
    double const* at_ = nullptr;
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
