// A communicator of the program (the face), and the hidden one on which its collectives run (the lane).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "shield/lanes/pending_queue.hpp"
#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// The face is what the program holds. Its messages travel on it, and it is never revoked nor shrunk, so ranks and
/// sizes stay as they were. The lane's own communicator loses its dead members in repairs.
struct Lane {
    static constexpr int gone = -1;  // in place of a rank: there is none any more

    LaneId id{};
    Ledger ledger;
    PendingQueue pending;
    MPI_Comm face = MPI_COMM_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> founders;  // by rank
    std::vector<int> living;     // ranks of the living, by rank in comm: ascending
    std::vector<int> rank_of;    // rank in comm, by rank
    std::uint64_t sketch = 0;    // sketch of the living: bit p % 64 for each founder p
    std::vector<int> native;     // rank on the face, by rank; empty: the same
    int self = 0;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;  // the program's error handler, by our own reference to it; see
                                                   // share()
    // Fields of a child, which an operation of another lane makes:
    LaneId parent{};
    OperationNumber made_by = 0;
    bool safe = false;          // all members have left the calls that make it, so it may be revoked
    bool closed = false;        // freed by others: all members have come to free it
    bool lost_members = false;  // in the present repair

    std::size_t size() const { return founders.size(); }
    bool is_whole() const { return living.size() == founders.size(); }
    bool lives(int rank) const { return rank_of[static_cast<std::size_t>(rank)] != gone; }
    int position(int rank) const { return rank_of[static_cast<std::size_t>(rank)]; }
    /// The rank of a founder in comm. Precondition: a founder. O(size).
    int position(PeId founder) const;
    PeId member(int rank) const { return founders[static_cast<std::size_t>(rank)]; }
    /// The rank on the face of a rank, MPI_ANY_SOURCE or MPI_PROC_NULL; gone: the rank was dead when the face was made.
    int on_face(int rank) const { return rank < 0 || native.empty() ? rank : native[static_cast<std::size_t>(rank)]; }

    /// Sets living, rank_of and sketch. members: ranks, by rank in comm.
    void set_living(std::span<PeId const> members);
    void set_all_living();
    /// Sets the members of a child: these ranks of the lane it comes from, by rank. The dead among them have no rank on
    /// its face.
    void set_members(Lane const& origin, std::span<int const> ranks);
};

/// Tag for messages of rounds on the lane, where the program has no messages; any MPI has this tag. Collections use
/// tags below it.
constexpr int round_tag = (1 << 15) - 1;

/// Sets *shared to another reference to an error handler, which MPI_Errhandler_free gives back. The face keeps its own.
/// Returns MPI_SUCCESS, or an error if it is no handler of communicators.
int share(MPI_Comm face, MPI_Errhandler handler, MPI_Errhandler* shared);

/// The id of a child: the same on all its members, and of no other lane.
LaneId child_id(LaneId parent, OperationNumber made_by, std::uint64_t colour);

}  // namespace regraft::shield
