#include "store/ballots.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace regraft::store {

Ballots::Ballots(Traffic& traffic, std::uint64_t vote) : mine_(vote) {
    for (std::size_t rank = 0; rank < traffic.out.size(); ++rank) {
        sent_.push_row(std::span(&vote, words));
        received_.push_row(std::vector<std::uint64_t>(words));
    }
    add_words(traffic, sent_, received_);
}

bool Ballots::agree(Traffic const& traffic) const {
    for (std::size_t rank = 0; rank < received_.size(); ++rank) {
        if (!traffic.blocks_in[rank].empty() && received_[rank].front() != mine_) return false;
    }
    return true;
}

bool all_send(std::span<exchange::Message const> messages, std::size_t num_members) {
    if (num_members == 1) return true;
    std::vector<char> sends(num_members);
    for (auto const& message : messages) sends[message.sender] = 1;
    return std::ranges::count(sends, 1) == static_cast<std::ptrdiff_t>(num_members);
}

}  // namespace regraft::store
