// The lanes of one process.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "shield/lanes/lane.hpp"
#include "shield/protocol/plan.hpp"

namespace regraft::shield {

/// The lanes of communicators that the program has, and children: those of communicators that calls in progress make.
class Lanes {
public:
    /// The lane of a communicator of the program; nullptr: the shield has not made the communicator. Valid until it is
    /// freed. O(1).
    Lane* find(MPI_Comm face) { return face == last_asked_ ? last_found_ : look_up(face); }
    /// The lanes that take part in repairs, ascending by their ids: all that other members have not freed.
    std::vector<Lane*> open() const;

    void add(std::unique_ptr<Lane> lane);
    /// Destroys a lane, whose communicators the caller frees.
    void forget(Lane const& lane);

    /// Adds a child. The operation after those that have returned on its parent makes it. Its id must be that of
    /// child_id().
    void add_child(std::unique_ptr<Lane> child);
    Lane* find_child(LaneId id);
    /// Makes a child a lane and returns it, with which the call that made it returns. If a repair has done so, returns
    /// the lane. nullptr: there is neither.
    Lane* take_child(LaneId id);

    // In a repair:

    /// Revokes the communicators of open lanes and of safe children, to wake the processes that wait there.
    void revoke() const;
    std::vector<LaneReport> reports() const;
    /// Makes lanes of the children whose creation any process knows, and frees the others. Closes the lanes that others
    /// have freed.
    void sort_out(Census const& census);

    /// Gives the faces the error handlers of the program back.
    void give_handlers_back() const;

private:
    Lane* look_up(MPI_Comm face);
    void forget_last();

    std::unordered_map<MPI_Comm, std::unique_ptr<Lane>> faces_;
    std::map<LaneId, Lane*> lanes_;
    std::map<LaneId, std::unique_ptr<Lane>> children_;
    MPI_Comm last_asked_ = MPI_COMM_NULL;
    Lane* last_found_ = nullptr;
};

}  // namespace regraft::shield
