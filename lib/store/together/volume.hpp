// Sums of what an exchange moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace regraft::store {

/// How much each member sends to others and receives from them.
struct Volume {
    explicit Volume(std::size_t members) : sent(members), received(members) {}
    void add(std::size_t sender, std::size_t receiver, std::uint64_t amount) {
        if (sender == receiver) return;
        sent[sender] += amount;
        received[receiver] += amount;
        moved += amount;
    }
    void add(Volume const& other) {
        for (std::size_t i = 0; i < sent.size(); ++i) {
            sent[i] += other.sent[i];
            received[i] += other.received[i];
        }
        moved += other.moved;
    }
    std::uint64_t most_sent() const { return *std::max_element(sent.begin(), sent.end()); }
    std::uint64_t most_received() const { return *std::max_element(received.begin(), received.end()); }
    std::vector<std::uint64_t> sent, received;  // by position
    std::uint64_t moved = 0;
};

}  // namespace regraft::store
