#include "regraft/search/effort.hpp"

#include <algorithm>

#include "regraft/core/contracts.hpp"

namespace regraft::search {
namespace {

constexpr double clear = 0.02;         // difficulty below which searches from all starts end alike
constexpr double easy = 0.2;           // difficulty below which two searches that end alike have found the best tree
constexpr double expected_gain = 0.5;  // gain in log-likelihood that pays for another start

/// The number of starts that pay in any case. Where data are hard, several searches may end alike below the best tree.
/// Never fewer than a normal effort makes, unless the data are clear.
std::size_t least_starts(double difficulty, std::uint32_t num_tips) {
    if (difficulty < clear) return 1;
    return std::max<std::size_t>(difficulty < easy ? 2 : 3, default_starts(Effort::normal, num_tips));
}

}  // namespace

double patience(Effort effort, bool is_first) {
    constexpr double usual = 0.6;
    switch (effort) {
        case Effort::fast:
            return 0;
        case Effort::normal:
        case Effort::automatic:
            return is_first ? 1.0 / 32 : usual;
        case Effort::thorough:
            return is_first ? usual : 4 * usual;
    }
    return 0;
}

Care far_care(Effort effort) {
    return effort == Effort::fast ? fast_care : much_care;
}

Saves saves(Effort effort) {
    return effort == Effort::fast ? Saves::computation : Saves::reductions;
}

std::uint32_t default_starts(Effort effort, std::uint32_t num_tips) {
    if (num_tips < 5) return 1;
    switch (effort) {
        case Effort::fast:
            return 1;
        case Effort::normal:
            return num_tips < 20 ? 1 : num_tips < 100 ? 2 : 3;
        case Effort::thorough:
        case Effort::automatic:
            return 10;
    }
    return 1;
}

bool another_start_pays(std::span<double const> loglh, double difficulty, std::uint32_t num_tips) {
    REGRAFT_EXPECTS(!loglh.empty());
    if (loglh.size() < least_starts(difficulty, num_tips)) return true;
    if (loglh.size() < 2) return false;
    auto best = std::max(loglh[0], loglh[1]);
    auto second = std::min(loglh[0], loglh[1]);
    for (auto const other : loglh.subspan(2)) {
        second = std::max(second, std::min(best, other));
        best = std::max(best, other);
    }
    return (best - second) / static_cast<double>(loglh.size() + 1) > expected_gain;
}

}  // namespace regraft::search
