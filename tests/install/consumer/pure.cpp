// A program of another project, on libregraft.
#include <cstdio>

#include "regraft/core/exact_sum.hpp"

int main() {
    regraft::ExactSum sum;
    for (double term : {1e100, 1.0, -1e100}) sum.add(term);
    std::printf("%g\n", sum.value());
    return sum.value() == 1.0 ? 0 : 1;
}
