// Log-likelihoods and their derivatives at any length of an edge, and what they are made of.
#include <array>
#include <cstddef>
#include <span>

#include "likelihood/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/kernels/derivatives.cpp"
#include <hwy/foreach_target.h>  // includes this file again for every instruction set
//
#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/scalers-inl.hpp"
#include "likelihood/kernels/sides-inl.hpp"
#include "likelihood/kernels/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

template <class S, class Left, class Right>
void make_table_of(S shape, Left left, Right right, Side const& near, Side const& far, double const* invariant,
                   double* table, Blocks blocks) {
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near, far, invariant, block);
        left.move_to(block, site);
        right.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            Rows<vectors> factor;
            unrolled<vectors>(
                [&](auto v) INLINED { factor[v] = scale.is_one() ? constant(1) : scale.factor(c, site + v * step); });
            multiply(shape, left, right, c, table + shape.place(block, c, 0) + site,
                     [&](auto v, Vector x) INLINED { return hn::Mul(x, factor[v]); });
        }
    });
}

void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    with_known(shape, [&](auto known) {
        with_products(known, near, far,
                      [&](auto a, auto b) { make_table_of(known, a, b, near, far, invariant, table, blocks); });
    });
}

void make_products(Shape shape, Side const& near, Side const& far, double const* invariant, double* table,
                   Blocks blocks) {
    with_known(shape, [&](auto known) {
        with_product(known, far, [&](auto b) {
            auto const make = [&](auto a) { make_table_of(known, a, b, near, far, invariant, table, blocks); };
            if (near.classes == nullptr) return make(Plain(known, near));
            make(RowOfClass(known, near));
        });
    });
}

/// A likelihood that is impossible, or impossible within a very short time, is 0 or, by rounding, below. It must not
/// make the sum over all sites NaN.
constexpr double least_likelihood = 0x1p-600;

template <class S>
void add_derivatives_of(S shape, double const* table, double const* terms, double const* invariant, Weights weights,
                        std::array<Accumulator, 3>& sums, Blocks blocks) {
    auto const per_order = shape.categories() * shape.states();
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        Group<3> total;
        total.fill({constant(0), constant(0), constant(0)});
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto const* x = table + shape.place(block, c, 0) + site;
            auto const* term = terms + c * shape.states();
            Group<3> in_category;
            in_category.fill({constant(0), constant(0), constant(0)});
            for (std::size_t k = 0; k < shape.states(); ++k) {
                Rows<vectors> likelihood;
                unrolled<vectors>([&](auto v)
                                      INLINED { likelihood[v] = hn::Load(sites, x + v * step + k * block_sites); });
                unrolled<3>([&](auto order) INLINED {
                    auto const factor = constant(term[order * per_order + k]);
                    unrolled<vectors>([&](auto v) INLINED {
                        in_category[v][order] = fma(factor, likelihood[v], in_category[v][order]);
                    });
                });
            }
            unrolled<vectors>([&](auto v) INLINED {
                unrolled<3>([&](auto order)
                                INLINED { total[v][order] = hn::Add(total[v][order], in_category[v][order]); });
            });
        }
        unrolled<vectors>([&](auto v) INLINED {
            auto const first = block * block_sites + site + v * step;
            auto& [likelihood, first_sum, second_sum] = total[v];
            if (invariant != nullptr) likelihood = hn::Add(likelihood, hn::LoadU(sites, invariant + first));
            likelihood = hn::Max(likelihood, constant(least_likelihood));
            auto const weight = hn::LoadU(integers, weights + first);
            auto const reciprocal = hn::Div(constant(1), likelihood);
            auto const slope = hn::Mul(first_sum, reciprocal);
            auto const curvature = hn::Sub(hn::Mul(second_sum, reciprocal), hn::Mul(slope, slope));
            sums[0].add(logarithm(likelihood), weight);
            sums[1].add(slope, weight);
            sums[2].add(curvature, weight);
        });
    });
}

void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    std::array accumulators{Accumulator(scales[0], sums[0]), Accumulator(scales[1], sums[1]),
                            Accumulator(scales[2], sums[2])};
    with_known(shape,
               [&](auto known) { add_derivatives_of(known, table, terms, invariant, weights, accumulators, blocks); });
    for (auto const& accumulator : accumulators) accumulator.finish();
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace regraft::likelihood::kernels {
namespace {
HWY_EXPORT(make_table);
HWY_EXPORT(make_products);
HWY_EXPORT(add_derivatives);
}  // namespace

void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(make_table)(shape, near, far, invariant, table, blocks);
}
void make_products(Shape shape, Side const& near, Side const& far, double const* invariant, double* table,
                   Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(make_products)(shape, near, far, invariant, table, blocks);
}
void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(add_derivatives)(shape, table, terms, invariant, weights, scales, sums, blocks);
}

}  // namespace regraft::likelihood::kernels

#endif
