#include "placement/quadrature.hpp"

#include <cmath>

#include <boost/math/quadrature/tanh_sinh.hpp>

namespace regraft::placement {

double integrate_unit(std::function<double(UnitPoint)> const& f) {
    constexpr double tolerance = 1e-14;
    static boost::math::quadrature::tanh_sinh<double> integrator;  // its tables can be used by several integrals
    auto const at_point = [&](double x, double to_nearest_end) {
        auto const near = std::abs(to_nearest_end);
        return f(x < 0.5 ? UnitPoint{near, 1 - near} : UnitPoint{1 - near, near});
    };
    return integrator.integrate(at_point, 0.0, 1.0, tolerance);
}

}  // namespace regraft::placement
