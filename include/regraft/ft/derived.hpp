// Communicators made from one that survives, such as rows and columns of a grid: they fail with it, and are made again
// after it has shrunk.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// Owns a communicator among members of the parent. Whoever notices a failure, on the parent or on any communicator
/// derived from it, revokes all of them, so that nobody waits for somebody who has gone to shrink. Communicator::shrink
/// makes them again, in the order in which they were made first, and throws ProcessFailure if somebody dies in that.
class Derived {
public:
    /// Makes *derived from parent, which is native() of the renewed communicator: returns what MPI returned. Called on
    /// all members alike, and again after each shrink; MPI_COMM_NULL on those that are not in it. May also use
    /// communicators that were derived before. It sends no other messages and throws nothing.
    using Make = std::function<int(MPI_Comm parent, MPI_Comm* derived)>;

    /// Throws MpiError, on all alike, if it cannot be made although nobody died. Precondition: the parent outlives it.
    /// Collective over the parent, uniform.
    Derived(Communicator& parent, Make make);
    Derived(Derived const&) = delete;
    Derived& operator=(Derived const&) = delete;
    /// Not collective, also while an exception unwinds; but at the next shrink() all members have the same ones left.
    ~Derived();

    /// For MPI calls whose return code goes through check() of the parent. MPI_COMM_NULL if this PE is not in it.
    /// Valid until the parent shrinks.
    MPI_Comm native() const { return comm_; }
    /// Its members by rank. O(their number * members of the parent).
    std::vector<PeId> members() const;

private:
    friend class Communicator;
    void make();
    void release();

    Communicator& parent_;
    Make make_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Who takes part in a collective: all members of a communicator, or those of one derived from it. Refers to both.
class Participants {
public:
    Participants(Communicator& comm) : comm_(&comm) {}
    /// Precondition: this PE is in it.
    Participants(Communicator& parent, Derived const& derived) : comm_(&parent), derived_(&derived) {}

    /// The one that checks return codes.
    Communicator& parent() const { return *comm_; }
    MPI_Comm native() const { return derived_ != nullptr ? derived_->native() : comm_->native(); }

private:
    Communicator* comm_;
    Derived const* derived_ = nullptr;
};

/// Those whose colour is the same, ranks in the order of PeIds. colour says which this PE's is among the present
/// members, MPI_UNDEFINED: none. Collective over the parent, uniform.
Derived split(Communicator& parent, std::function<int()> colour);

/// All members once more: messages on it do not meet those on the parent. Collective over the parent, uniform.
Derived dup(Communicator& parent);

/// A grid in the order of PeIds. dims says how many members it has along each dimension if there are so many in all;
/// who is left over is not in it. periodic: whether the grid closes, in each dimension. Collective over the parent,
/// uniform.
Derived cart(Communicator& parent, std::function<std::vector<int>(std::size_t)> dims, std::vector<int> periodic);

}  // namespace regraft::ft
