#include "likelihood/kernels/ieee_math.hpp"

#include <span>

#include "likelihood/kernels/kernels.hpp"

namespace regraft::likelihood {

double exp(double x) {
    kernels::exponentials(std::span(&x, 1));
    return x;
}

double log(double x) {
    kernels::logarithms(std::span(&x, 1));
    return x;
}

}  // namespace regraft::likelihood
