// The commands on files of trees: support, consensus, rfdist, concordance.
#pragma once

#include "regraft/ft/communicator.hpp"
#include "trees/tree_options.hpp"

namespace regraft::phylo {

/// Runs the command on one rank, which prints the result. Throws SharedInputError or SharedFailure. comm: null without
/// MPI; then InputError or OutputError is thrown. Survives deaths. Collective, uniform.
void run(ft::Communicator* comm, TreeOptions const& options);

}  // namespace regraft::phylo
