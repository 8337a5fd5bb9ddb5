// exp and log from IEEE operations alone: the same bits on every machine, unlike the C library's.
#pragma once

namespace regraft::likelihood {

/// Relative error below 2^-50; 0 below -708, infinity above 709.
double exp(double x);
/// Relative error below 2^-50; -infinity for 0, NaN for what is less.
double log(double x);

}  // namespace regraft::likelihood
