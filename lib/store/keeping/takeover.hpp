// Taking over what jobs before have kept: all members choose the same generation, and each opens its part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/keeping/keeping.hpp"

namespace regraft::store {

/// A generation that was chosen.
struct Chosen {
    Choice choice{};
    std::vector<std::size_t> heirs{};  // by manifest: the position of the member that takes it over
};

/// What is wrong with blocks of a manifest whose files are there.
struct Unusable {
    std::vector<BlockRange> blocks{};
    std::string reason{};  // empty if there are none
};

/// How a store takes over what it has chosen.
struct Inheritance {
    /// Is called with each choice; it may throw on all members.
    std::function<void(Choice const&)> look;
    /// Is called with each manifest that this PE takes over. May throw InputError.
    std::function<Unusable(Found const&, Kept)> inherit;
    /// What was taken over does not count: another choice is made.
    std::function<void()> forget;
};

/// Chooses a generation, and has each member take over its part. What cannot be used on any member counts as absent
/// from then on in the survey. Nothing if nothing was kept; throws DiskError if there are only files of a store of the
/// other kind. Collective, not uniform, but uniform if it throws DiskError or returns nothing.
std::optional<Chosen> choose_and_take_over(ft::Communicator& comm, Keeping const& keeping, Survey& survey,
                                           Inheritance const& how);

/// What all members of the generation have in common, from a member that has taken over a part of it. Collective, not
/// uniform.
Common tell_common(ft::Communicator& comm, Chosen const& chosen, Common const& mine);

/// How many blocks of a version are lost, for messages: "7 blocks of version 2 WHAT, the first is block 3".
std::string lost_text(std::span<BlockRange const> lost, std::uint64_t version, std::string const& what);

}  // namespace regraft::store
