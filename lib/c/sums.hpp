// The handle behind regraft_sums.
#pragma once

#include <vector>

#include "c/status.hpp"
#include "regraft/core/exact_sum.hpp"

struct regraft_sums {
    explicit regraft_sums(std::uint64_t count) : sums(count) {}
    std::vector<regraft::ExactSum> sums;
};
