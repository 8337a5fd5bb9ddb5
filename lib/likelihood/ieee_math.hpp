// exp and log from IEEE operations alone: the same bits on every machine.
#pragma once

namespace regraft::likelihood {

double exp(double x);
double log(double x);

}  // namespace regraft::likelihood
