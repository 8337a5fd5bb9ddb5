// What a member is in: which function of which object. It travels with what members compare anyway, so that collectives
// of different stores, snapshots and mini-checkpoints on one communicator do not match silently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::store {

/// The functions of which calls with each other can be told apart.
enum class Function : std::uint32_t {
    submit = 1,
    load,
    scrub,
    repair,
    save,
    commit,
    commit_identical,
    restore,
    update
};

/// The identity of an object that is made now: its number among those that were made on this communicator since it was
/// renewed. It is the same on all members that have made the object since then. In the upper 32 bits. Not collective.
std::uint64_t made_identity(ft::Communicator& comm);

/// The identity of what was just agreed on: the same on all members, because they agree in the same order. Identities
/// of one communicator differ, also in the few bits that an agreement compares. In the upper 32 bits. Not collective.
std::uint64_t next_identity(ft::Communicator& comm);

/// The identity for functions that belong to no object.
inline constexpr std::uint64_t no_object = 0;

/// A call of a function of an object.
constexpr std::uint64_t call(Function function, std::uint64_t identity) {
    return identity | static_cast<std::uint32_t>(function);
}

/// Throws ft::Divergence on all members if the objects of these identities, one of each member, differ. If only some
/// members have made an object anew after a failure, nothing tells which it is, and it may be any. The lower 32 bits do
/// not count. Collective, not uniform, but uniform if it throws.
void expect_same_object(ft::Communicator& comm, std::span<std::uint64_t const> identities);

/// The same for calls, which begin the gathered rows; the functions count, too.
void expect_same_call(ft::Communicator& comm, CsrView<std::uint64_t> rows);

/// Whether `mine` is true on all members, and they pass the same `alike` in the same call: one agreement. Uniform.
[[nodiscard]] bool agree_alike(ft::Communicator& comm, std::uint64_t call, bool mine, std::uint64_t alike);

/// The same. If not, it gathers the calls, and throws ft::Divergence on all members if they differ. Uniform.
[[nodiscard]] bool agree_in_call(ft::Communicator& comm, std::uint64_t call, bool mine, std::uint64_t alike = 0);

}  // namespace regraft::store
