// Log-likelihoods at an edge.
#include <cstddef>
#include <numbers>

#include "likelihood/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/kernels/loglh.cpp"
#include <hwy/foreach_target.h>  // includes this file again for every instruction set
//
#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/scalers-inl.hpp"
#include "likelihood/kernels/sides-inl.hpp"
#include "likelihood/kernels/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

template <class S, class Near, class Far>
void add_loglh_of(S shape, Near near, Far far, Side const& near_side, Side const& far_side, Root const& root,
                  Weights weights, Accumulator& sum, double* per_site, Blocks blocks) {
    constexpr double ln2_256 = 256 * std::numbers::ln2;
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near_side, far_side, root.invariant, block);
        near.move_to(block, site);
        far.move_to(block, site);
        Rows<vectors> likelihood;
        likelihood.fill(constant(0));
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto const* frequency = root.frequencies + c * shape.states();
            Rows<vectors> in_category;
            in_category.fill(constant(0));
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> a;
                Group<count> b;
                near.get(c, row, a);
                far.get(c, row, b);
                unrolled<vectors>([&](auto v) INLINED {
                    unrolled<count>([&](auto i) INLINED {
                        in_category[v] = fma(hn::Mul(constant(frequency[row + i]), a[v][i]), b[v][i], in_category[v]);
                    });
                });
            });
            unrolled<vectors>([&](auto v) INLINED {
                if (!scale.is_one()) in_category[v] = hn::Mul(in_category[v], scale.factor(c, site + v * step));
                likelihood[v] = fma(constant(root.weights[c]), in_category[v], likelihood[v]);
            });
        }
        unrolled<vectors>([&](auto v) INLINED {
            auto const first = block * block_sites + site + v * step;
            if (root.invariant != nullptr) {
                likelihood[v] = hn::Add(likelihood[v], hn::LoadU(sites, root.invariant + first));
            }
            auto value = logarithm(likelihood[v]);
            if (!scale.is_one()) value = fma(scale.scaler(site + v * step), constant(-ln2_256), value);
            sum.add(value, hn::LoadU(integers, weights + first));
            if (per_site != nullptr) hn::StoreU(value, sites, per_site + first);
        });
    });
}

void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    Accumulator accumulator(scale, sum);
    with_known(shape, [&](auto known) {
        with_product(known, far, [&](auto far_reader) {
            auto const add = [&](auto near_reader) {
                add_loglh_of(known, near_reader, far_reader, near, far, root, weights, accumulator, per_site, blocks);
            };
            if (near.classes == nullptr) return add(Plain(known, near));
            add(RowOfClass(known, near));
        });
    });
    accumulator.finish();
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace regraft::likelihood::kernels {
namespace {
HWY_EXPORT(add_loglh);
}  // namespace

void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(add_loglh)(shape, near, far, root, weights, scale, sum, per_site, blocks);
}

}  // namespace regraft::likelihood::kernels

#endif
