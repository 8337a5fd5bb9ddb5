// The handle behind regraft_sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "c/status.hpp"
#include "regraft/core/exact_sum.hpp"
#include "regraft/core/fixed_sum.hpp"

/// Exact sums, or sums on a grid.
struct regraft_sums {
    explicit regraft_sums(std::uint64_t count) : exact(count) {}
    regraft_sums(std::uint64_t count, regraft::FixedScale const& of_all) : scale(of_all), fixed(count) {}

    std::uint64_t size() const { return scale ? fixed.size() : exact.size(); }
    void add(std::uint64_t index, double x) {
        if (scale) {
            fixed[index].add(x, 1, *scale);
        } else {
            exact[index].add(x);
        }
    }
    double value(std::uint64_t index) const { return scale ? fixed[index].value(*scale) : exact[index].value(); }
    void clear() {
        std::fill(exact.begin(), exact.end(), regraft::ExactSum());
        std::fill(fixed.begin(), fixed.end(), regraft::FixedSum());
    }

    std::optional<regraft::FixedScale> scale;
    std::vector<regraft::ExactSum> exact;  // without a scale
    std::vector<regraft::FixedSum> fixed;  // with one
};
