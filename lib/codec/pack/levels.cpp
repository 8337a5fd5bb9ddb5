#include "codec/pack/levels.hpp"

#include <array>

#include "regraft/codec/pack.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

constexpr std::array<Level, best_level> levels{{
    {Effort::fast, 0, 0, 1, 0, 3},
    {Effort::fast, 5, 1, 1, 0, 3},
    {Effort::fast, 5, 2, 1, 1 << 12, 3},
    {Effort::fast, 10, 2, 1, 1 << 12, 12},
    {Effort::fast, 10, 10, 1, 1 << 12, 12},
    {Effort::normal, 10, 10, 1, 1 << 12, 19},
    {Effort::best, 10, 10, 2, 1 << 14, 19},
    {Effort::best, 20, 20, 4, 1 << 16, 19},
    {Effort::best, 20, 20, 32, 1 << 18, 19},
}};

}  // namespace

Level const& level(std::uint32_t number) {
    REGRAFT_EXPECTS(fastest_level <= number && number <= best_level);
    return levels[number - fastest_level];
}

}  // namespace regraft::codec
