// The private exchange layer. It moves bytes between all pairs of members: directly from and to the caller's memory if
// pieces are large, and through a small buffer otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "exchange/cut.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/transport.hpp"

namespace regraft::exchange {

/// Row i: the pieces that go to member i, or come from it. Both sides of a pair have the same pieces: equal in number,
/// sizes and order.
using Outgoing = CsrView<std::span<std::byte const>>;
using Incoming = CsrView<std::span<std::byte>>;

/// The limits for a transport: a collective call for each piece costs more than a message for each.
Limits limits_of(ft::Transport transport);

/// Sends out to the others and receives in from them; the row of this member is copied. Buffers: at most an eighth of
/// what is moved if all pairs move the same amount. messages: the same on all members, with every pair once. Without
/// them the members first ask each other how much there is, and rounds go around a ring. Collective, not uniform.
void all_to_all(ft::Communicator& comm, Outgoing out, Incoming in, ft::Transport transport,
                std::optional<std::span<Message const>> messages = {}, std::optional<Limits> const& limits = {});

class Parcels;

/// An exchange under way by point-to-point messages; messages as above. The memory of all pieces must live until it is
/// over. The destructor waits for that. Collective, not uniform.
class Pending {
public:
    Pending(ft::Communicator& comm, Outgoing out, Incoming in, std::optional<std::span<Message const>> messages = {},
            std::optional<Limits> const& limits = {});
    Pending(Pending&&) noexcept;
    Pending& operator=(Pending&&) = delete;
    ~Pending();

    /// Returns when everything has arrived and left. Throws ProcessFailure; then nothing is under way any more.
    /// Precondition: the communicator was not renewed meanwhile.
    void wait();

private:
    std::unique_ptr<Parcels> parcels_;
};

/// Gathers every member's items on all members, one row per rank. Rows carry checksums: a row that differs from what
/// its member sent counts as a failure. Collective, not uniform.
Csr<std::uint64_t> all_gather(ft::Communicator& comm, std::span<std::uint64_t const> mine);

}  // namespace regraft::exchange
