// Work that one PE does for all, for commands that compute nothing together and still survive deaths.
#pragma once

#include <functional>

#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// Calls look on all members and, when all have looked, act on the leading one. Each is called once, but if the PE that
/// acted dies, the next one acts again. look should find all errors before anything is written. If either throws, all
/// members throw SharedInputError or SharedFailure. Survives deaths. Collective, uniform. Without a communicator this
/// process does both without MPI, and throws what they throw.
void do_by_one(ft::Communicator* comm, std::function<void()> const& look, std::function<void()> const& act);

}  // namespace regraft::phylo
