#include "placement/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace regraft::placement {
namespace {

constexpr double largest_x = 4.0;  // beyond, points are closer to the ends than 1e-37

/// The integrand after the substitution at = 1 / (1 + exp(-pi sinh x)).
double transformed(std::function<double(UnitPoint)> const& f, double x) {
    auto const e = std::exp(-std::numbers::pi * std::abs(std::sinh(x)));
    auto const near = e / (1 + e);  // the distance from the nearer end
    auto const point = x < 0 ? UnitPoint{near, 1 - near} : UnitPoint{1 - near, near};
    return f(point) * std::numbers::pi * std::cosh(x) * near * (1 - near);
}

}  // namespace

double integrate_unit(std::function<double(UnitPoint)> const& f) {
    constexpr int most_levels = 14;
    constexpr double tolerance = 1e-15;
    auto step = 0.5;
    auto sum = 0.0;
    for (auto i = -8; i <= 8; ++i) sum += transformed(f, i * step);
    auto integral = sum * step;
    for (auto level = 0; level < most_levels; ++level) {
        step /= 2;
        auto const last = static_cast<int>(largest_x / step);
        for (auto i = 1 - last; i < last; i += 2) sum += transformed(f, i * step);
        auto const before = integral;
        integral = sum * step;
        if (std::abs(integral - before) <= tolerance * std::abs(integral)) break;
    }
    return integral;
}

}  // namespace regraft::placement
