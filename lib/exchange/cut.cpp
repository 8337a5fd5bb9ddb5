#include "exchange/cut.hpp"

#include <bit>
#include <vector>

namespace regraft::exchange {

Effort effort_of(std::span<Message const> messages, std::size_t num_members, Limits const& limits) {
    std::vector<std::uint64_t> sent(num_members, 0), received(num_members, 0);
    Effort effort;
    auto const travels = [](Message const& m) { return m.sender != m.receiver && m.bytes != 0; };
    for (auto const& message : messages) {
        if (travels(message))
            effort.partners = std::max({effort.partners, ++sent[message.sender], ++received[message.receiver]});
    }
    effort.partners = std::bit_ceil(effort.partners);
    for (auto const& message : messages) {
        if (!travels(message)) continue;
        auto const cut = cut_of(message.bytes, message.pieces, effort.partners, limits);
        effort.calls = std::max(effort.calls, num_slices(message.bytes, message.pieces, cut));
    }
    return effort;
}

}  // namespace regraft::exchange
