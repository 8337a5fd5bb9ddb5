// Communicators that the program makes and frees.
#pragma once

#include <mpi.h>

#include "shield/shield.hpp"

namespace regraft::shield {

/// Size and ranks of the new face are those of the old one, its dead members included. MPI_SUCCESS or an error that is
/// no death; then *face is MPI_COMM_NULL. Collective over the members of the lane, uniform among survivors.
int duplicate(Shield& shield, Lane& lane, MPI_Comm* face);

/// The new face has the living members of one colour, in the order of their keys and then of their ranks.
/// MPI_UNDEFINED: none, and *face is MPI_COMM_NULL. As duplicate.
int split(Shield& shield, Lane& lane, int colour, int key, MPI_Comm* face);

/// Frees the lane and its face. Collective over the members of the lane.
void release(Shield& shield, Lane& lane);

}  // namespace regraft::shield
