// Elementary functions of many numbers.
#include <algorithm>
#include <array>
#include <span>

#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/kernels.hpp"

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

}  // namespace

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

}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
