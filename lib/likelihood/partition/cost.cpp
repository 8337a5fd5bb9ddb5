#include "regraft/likelihood/cost.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

/// The cost of any model: logarithms, exact sums.
constexpr std::uint64_t of_any = 12;

/// The cost that each category adds. It grows more slowly than the square of the number of states where few sites
/// differ or memory is the limit, and faster where CLVs leave the cache.
struct Measured {
    std::uint64_t num_states;
    std::uint64_t of_category;
};
constexpr std::array measured{Measured{2, 8},    Measured{4, 11},   Measured{7, 30},
                              Measured{20, 110}, Measured{32, 340}, Measured{64, 1200}};

}  // namespace

std::uint64_t cost_per_pattern(std::uint32_t num_states, std::uint32_t num_categories) {
    REGRAFT_EXPECTS(num_states >= 2 && num_states <= 64 && num_categories > 0);
    auto const above = std::ranges::lower_bound(measured, num_states, {}, &Measured::num_states);
    auto of_category = above->of_category;
    if (above->num_states != num_states) {
        auto const below = std::prev(above);
        of_category = below->of_category + (above->of_category - below->of_category) *
                                               (num_states - below->num_states) /
                                               (above->num_states - below->num_states);
    }
    return of_any + num_categories * of_category;
}

}  // namespace regraft::likelihood
