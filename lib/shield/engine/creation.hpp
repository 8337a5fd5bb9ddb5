// Makes and frees the communicators of the program.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "shield/engine/shield.hpp"

namespace regraft::shield {

/// Duplicates a communicator. Size and ranks of the new face are those of the old one, its dead members included.
/// Returns MPI_SUCCESS or an error that is no death; in the latter case *face is MPI_COMM_NULL. Collective over the
/// members of the lane, uniform among survivors.
int duplicate(Shield& shield, Lane& lane, MPI_Comm* face);

/// Splits a communicator. The new face has the living members of one colour, in the order of their keys and then of
/// their ranks. With colour MPI_UNDEFINED *face is MPI_COMM_NULL. As duplicate.
int split(Shield& shield, Lane& lane, int colour, int key, MPI_Comm* face);

/// Makes a communicator natively. parent: the communicator of the lane.
using Make = std::function<int(MPI_Comm parent, MPI_Comm* made)>;

/// Makes a communicator of these members: their ranks in the lane, by their ranks in the new face. All call make for
/// the face and then for its lane; it makes them from the living members. colour distinguishes the communicators that
/// one operation makes, and is the same on the members of each. As duplicate.
int derive(Shield& shield, Lane& lane, std::uint64_t colour, std::vector<int> const& members, Make const& make,
           MPI_Comm* face);

/// Makes a communicator of these members, the dead among them included: their ranks in the lane, by their ranks in the
/// new face. Each process passes the members of its own communicator; a process that is in none gets MPI_COMM_NULL. As
/// duplicate.
int create(Shield& shield, Lane& lane, std::vector<int> const& members, MPI_Comm* face);

/// The same, but only the members call it, all with the same tag.
int create_group(Shield& shield, Lane& lane, std::vector<int> const& members, int tag, MPI_Comm* face);

/// Makes a face and a lane, or neither. What an interrupted call leaves behind cannot be freed. A process that is no
/// member takes part in both calls all the same.
int make_both(Shield& shield, MPI_Comm parent, Make const& make, Lane& child);

/// Returns when all living members have come to free the lane. Collective over the members of the lane.
void part(Shield& shield, Lane& lane);
/// Frees the lane and its face after part(), which calls functions of the program. Local.
void drop(Shield& shield, Lane& lane);
/// Calls part() and drop().
void release(Shield& shield, Lane& lane);

}  // namespace regraft::shield
