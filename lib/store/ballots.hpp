// Votes that travel with blocks.
#pragma once

#include <cstdint>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"
#include "store/traffic.hpp"

namespace regraft::store {

/// The votes of one exchange, which have to live until it is over. In an agreement the silence of the dead counts as
/// consent, and who is against may die before it. But whoever has got his blocks has got his vote as well, and votes
/// for him.
class Ballots {
public:
    static constexpr std::uint64_t words = 1;  // that go with the blocks of a member

    /// Adds a piece to each row of the traffic that is not empty.
    Ballots(Traffic& traffic, std::uint64_t vote);
    /// Whether all that have arrived are votes like mine.
    bool agree(Traffic const& traffic) const;

private:
    std::uint64_t mine_;
    Csr<std::uint64_t> sent_, received_;  // rows by member
};

/// Whether every member has somebody else to vote for it.
bool all_send(std::span<exchange::Message const> messages, std::size_t num_members);

}  // namespace regraft::store
