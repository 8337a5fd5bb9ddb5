// The two transports behind all_to_all. They leave out the row of this member.
#pragma once

#include <optional>
#include <span>

#include "exchange/exchange.hpp"

namespace regraft::exchange {

/// inside: reached before each MPI call that moves bytes.
void by_collectives(ft::Communicator& comm, ft::FailPoint& inside, Outgoing out, Incoming in,
                    std::optional<std::span<Message const>> messages, Limits const& limits);
void by_rounds(ft::Communicator& comm, ft::FailPoint& inside, Outgoing out, Incoming in,
               std::optional<std::span<Message const>> messages, Limits const& limits);

}  // namespace regraft::exchange
