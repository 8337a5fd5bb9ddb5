// The contributions of the two sides of a node or an edge, and their product.
#if defined(REGRAFT_LIKELIHOOD_SIDES_INL) == defined(HWY_TARGET_TOGGLE)  // once per instruction set
#ifdef REGRAFT_LIKELIHOOD_SIDES_INL
#undef REGRAFT_LIKELIHOOD_SIDES_INL
#else
#define REGRAFT_LIKELIHOOD_SIDES_INL
#endif

#include <cstddef>
#include <type_traits>

#include "likelihood/kernels/clv_readers-inl.hpp"
#include "likelihood/kernels/code_readers-inl.hpp"
#include "likelihood/kernels/site_readers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// Calls f with a reader of the side, of the kind that the side needs.
template <class S, class Function>
HWY_INLINE void with_product(S shape, Side const& side, Function f) {
    if constexpr (S::may_have_masks) {
        if (side.masks != nullptr) return f(MaskProduct<S>(shape, side));
    }
    if (side.classes != nullptr) return f(RowOfClass<S>(shape, side));
    f(Product<S>(shape, side));
}

/// Calls f with readers of both sides, in one order only, which halves the code: their product commutes, so both orders
/// give the same bits.
template <class S, class Function>
HWY_INLINE void with_products(S shape, Side const& left, Side const& right, Function f) {
    with_product(shape, left, [&](auto a) {
        with_product(shape, right, [&](auto b) {
            if constexpr (std::decay_t<decltype(a)>::kind <= std::decay_t<decltype(b)>::kind) {
                f(a, b);
            } else {
                f(b, a);
            }
        });
    });
}

/// Writes f(v, x) for all states of a category and all vectors v of the group, where x is the product of the two sides.
template <class S, class Left, class Right, class Function>
HWY_INLINE void multiply(S shape, Left& left, Right& right, std::size_t category, double* out, Function f) {
    left.begin(category);
    right.begin(category);
    left.prefetch(category);
    right.prefetch(category);
    shape.for_rows([&](std::size_t row, auto count) INLINED {
        Group<count> a;
        Group<count> b;
        right.get(category, row, b);  // first, because it needs at least as many registers as the left one
        left.get(category, row, a);
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED {
                auto const x = f(v, hn::Mul(a[v][i], b[v][i]));
                hn::Store(x, sites, out + v * step + (row + i) * block_sites);
            });
        });
    });
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
