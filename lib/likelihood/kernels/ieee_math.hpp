// exp and log from IEEE operations alone. Unlike those of the C library, they give the same bits on every machine.
// libregraft_search calls them, too, so they are visible outside of their library.
#pragma once

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// e^x with a relative error below 2^-50; 0 below -708, infinity above 709.
double exp(double x);
/// The natural logarithm with a relative error below 2^-50; -infinity for 0, NaN for negative numbers.
double log(double x);

}  // namespace regraft::likelihood
#pragma GCC visibility pop
