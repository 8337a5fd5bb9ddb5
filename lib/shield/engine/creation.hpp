// Communicators that the program makes and frees.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "shield/engine/shield.hpp"

namespace regraft::shield {

/// Size and ranks of the new face are those of the old one, its dead members included. MPI_SUCCESS or an error that is
/// no death; then *face is MPI_COMM_NULL. Collective over the members of the lane, uniform among survivors.
int duplicate(Shield& shield, Lane& lane, MPI_Comm* face);

/// The new face has the living members of one colour, in the order of their keys and then of their ranks.
/// MPI_UNDEFINED: none, and *face is MPI_COMM_NULL. As duplicate.
int split(Shield& shield, Lane& lane, int colour, int key, MPI_Comm* face);

/// Makes a communicator natively. parent: the lane's.
using Make = std::function<int(MPI_Comm parent, MPI_Comm* made)>;

/// The new face has these members: their ranks in the lane, by their ranks in the new face. make is called by all, for
/// the face and then for its lane, and makes them of those who live. colour: tells the communicators apart that one
/// operation makes, and is the same on the members of each. As duplicate.
int derive(Shield& shield, Lane& lane, std::uint64_t colour, std::vector<int> const& members, Make const& make,
           MPI_Comm* face);

/// The new face has these members, the dead among them included: their ranks in the lane, by their ranks in the new
/// face. Each process says in which it is, and who is in none gets MPI_COMM_NULL. As duplicate.
int create(Shield& shield, Lane& lane, std::vector<int> const& members, MPI_Comm* face);

/// The same, but only the members call it, all with the same tag.
int create_group(Shield& shield, Lane& lane, std::vector<int> const& members, int tag, MPI_Comm* face);

/// A face and a lane, or neither. What an interrupted call leaves behind is nothing that could be freed. Who is no
/// member takes part in both calls all the same.
int make_both(Shield& shield, MPI_Comm parent, Make const& make, Lane& child);

/// Returns when all members who live have come to free the lane. Collective over the members of the lane.
void part(Shield& shield, Lane& lane);
/// Afterwards: frees the lane and its face, which calls functions of the program. Local.
void drop(Shield& shield, Lane& lane);
/// Both.
void release(Shield& shield, Lane& lane);

}  // namespace regraft::shield
