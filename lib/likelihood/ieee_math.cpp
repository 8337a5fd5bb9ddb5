// Stands in until exp and log are written out.
#include "ieee_math.hpp"

#include <cmath>

namespace regraft::likelihood {

double exp(double x) {
    return std::exp(x);
}
double log(double x) {
    return std::log(x);
}

}  // namespace regraft::likelihood
