// What one PE does for all: commands that compute nothing together, and still survive deaths.
#pragma once

#include <functional>

#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// All look, and when all have, the one that leads acts. Each does either once, but if the one that acted dies, the
/// next acts again. Looking should find whatever is wrong before anything is written. Throws SharedInputError or
/// SharedFailure on all if any of it throws. Collective, uniform; survives deaths. Without a communicator this process
/// does both, without MPI, and throws what they throw.
void do_by_one(ft::Communicator* comm, std::function<void()> const& look, std::function<void()> const& act);

}  // namespace regraft::phylo
