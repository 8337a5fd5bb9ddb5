// Transition matrices.
#include <cstddef>

#include "likelihood/kernels/kernels.hpp"
#include "likelihood/kernels/target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Computes a transition matrix. Lanes are rows.
void transition(Shape shape, double const* columns, double const* inverse, double const* factors, double diagonal,
                double* matrix) {
    using Rows = hn::CappedTag<double, 4>;
    constexpr Rows rows;
    auto const n = shape.states;
    auto const stride = shape.stride();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < stride; i += hn::MaxLanes(rows)) {
            auto sum = hn::Zero(rows);
            if (j - i < hn::MaxLanes(rows)) {
                auto const is_diagonal = hn::Eq(hn::Iota(rows, 0), hn::Set(rows, static_cast<double>(j - i)));
                sum = hn::IfThenElseZero(is_diagonal, hn::Set(rows, diagonal));
            }
            for (std::size_t k = 0; k < n; ++k) {
                auto const factor = hn::Set(rows, factors[k] * inverse[k * n + j]);
                sum = hn::Add(sum, hn::Mul(factor, hn::LoadU(rows, columns + k * stride + i)));
            }
            hn::StoreU(hn::Max(sum, hn::Zero(rows)), rows, matrix + j * stride + i);
        }
    }
}

}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
