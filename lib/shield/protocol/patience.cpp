#include "shield/protocol/patience.hpp"

#include <algorithm>
#include <utility>

namespace regraft::shield {

void Patience::learn(std::chrono::milliseconds until_all_came, std::chrono::milliseconds rest) {
    constexpr std::chrono::milliseconds prompt{100};
    if (!std::exchange(is_over, false)) return;
    bool const waited_for_nobody = until_all_came < std::max(prompt, rest);
    most = waited_for_nobody ? std::max(most / 2, least) : std::min(2 * most, longest);
}

}  // namespace regraft::shield
