// The contributions of the two sides of a node or an edge, and their product.
#pragma once

#include <cstddef>
#include <type_traits>

#include "likelihood/kernels/clv_readers-inl.hpp"
#include "likelihood/kernels/code_readers-inl.hpp"
#include "likelihood/kernels/site_readers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The product of a side of any kind, which is chosen at run time, so that general loops are compiled once.
template <class S>
class AnyProduct {
public:
    static constexpr int kind = 3;  // for with_products
    AnyProduct(S shape, Side const& side)
        : has_masks_(side.masks != nullptr),
          has_classes_(side.classes != nullptr),
          masks_(shape, side),
          classes_(shape, side),
          clv_(shape, side) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        if (has_masks_) return masks_.move_to(block, site);
        if (has_classes_) return classes_.move_to(block, site);
        clv_.move_to(block, site);
    }
    HWY_INLINE void prefetch(std::size_t category) const {
        if (!has_masks_ && !has_classes_) clv_.prefetch(category);
    }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        if (has_masks_) return masks_.get(category, row, out);
        if (has_classes_) return classes_.get(category, row, out);
        clv_.get(category, row, out);
    }

private:
    bool has_masks_;
    bool has_classes_;
    MaskProduct<S> masks_;
    RowOfClass<S> classes_;
    Product<S> clv_;
};

/// The likelihoods at an inner node, which are those of the sites or of their classes.
template <class S>
class AnyLikelihoods {
public:
    AnyLikelihoods(S shape, Side const& side)
        : has_classes_(side.classes != nullptr), classes_(shape, side), clv_(shape, side) {}
    HWY_INLINE void begin(std::size_t) const {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        if (has_classes_) return classes_.move_to(block, site);
        clv_.move_to(block, site);
    }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        if (has_classes_) return classes_.get(category, row, out);
        clv_.get(category, row, out);
    }

private:
    bool has_classes_;
    RowOfClass<S> classes_;
    Plain<S> clv_;
};

/// Calls f with a reader of the side, of the kind that the side needs.
template <class S, class Function>
HWY_INLINE void with_product(S shape, Side const& side, Function f) {
    if constexpr (!S::is_known) return f(AnyProduct<S>(shape, side));
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
