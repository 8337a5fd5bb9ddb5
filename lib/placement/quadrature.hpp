// Integrals of smooth functions over the unit interval.
#pragma once

#include <functional>

namespace regraft::placement {

/// A point of the unit interval and its distance from 1, both with full relative precision.
struct UnitPoint {
    double at = 0;
    double to_end = 0;
};

/// The integral of f from 0 to 1, even if f or its derivatives have singularities at the ends. tanh-sinh rule (Takahasi
/// and Mori 1974) of Boost.Math; the number of points is doubled until the result changes by no more than a few
/// roundings. Thread-safe.
double integrate_unit(std::function<double(UnitPoint)> const& f);

}  // namespace regraft::placement
