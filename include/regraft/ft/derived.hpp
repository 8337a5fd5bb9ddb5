// Communicators made from one that survives, such as rows and columns of a grid: they fail with it, and are made again
// after it has shrunk.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// Owns a communicator among members of the parent. To make one is a collective: it belongs into the body of
/// ft::resilient, for example into a std::optional that is filled once, or somebody's death leaves main. Whoever
/// notices a failure, on the parent or on any communicator derived from it, revokes all of them, so that nobody waits
/// for somebody who has gone to shrink. Communicator::shrink makes them again, in the order in which they were made
/// first, and throws ProcessFailure if somebody dies in that.
class Derived {
public:
    /// Makes *derived from parent, which is native() of the renewed communicator: returns what MPI returned. Called on
    /// all members alike, and again after each shrink; MPI_COMM_NULL on those that are not in it. May also use
    /// communicators that were derived before. It sends no other messages and throws nothing. Deaths are survived in
    /// MPI_Comm_dup, MPI_Comm_split and MPI_Comm_split_type, and not in the making of topologies (cart() needs none).
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

/// Numbers of a grid, in the order of MPI_Cart_create: the last dimension goes fastest. Pure.
struct Grid {
    std::vector<int> lengths;   // along each dimension, at least 1
    std::vector<int> periodic;  // whether it closes, in each dimension; as many as lengths

    /// How many ranks are in it; 1 without dimensions.
    int size() const;
    /// Where a rank is, in each dimension. Precondition: 0 <= rank < size().
    std::vector<int> coordinates(int rank) const;
    /// Who is there. In dimensions that close all coordinates count modulo the length; outside of others it is
    /// MPI_PROC_NULL. Precondition: a coordinate for each dimension.
    int rank(std::span<int const> coordinates) const;
    /// The rank that is so many steps further along a dimension, or back; MPI_PROC_NULL if there is none.
    int neighbour(int rank, std::size_t dimension, int steps) const;
};

/// A communicator of the members that are in a grid, and the grid beside it: MPI knows nothing of it, for
/// MPI_Cart_create of Open MPI crashes survivors when somebody dies in it. So calls that ask for a topology, as
/// MPI_Cart_shift and MPI_Neighbor_alltoall, are replaced by what is here. Collectives and messages work on native() as
/// on any other.
class Cart : public Derived {
public:
    using Dims = std::function<std::vector<int>(std::size_t members)>;
    Cart(Communicator& parent, Dims dims, std::vector<int> periodic);

    /// Of the present members, with their ranks in native(). Until the parent shrinks.
    Grid const& grid() const { return *grid_; }
    /// Whether this PE is in it. Of one that is not, native() is MPI_COMM_NULL.
    bool has_self() const { return native() != MPI_COMM_NULL; }
    /// Where this PE is, in each dimension. Precondition: has_self().
    std::vector<int> coordinates() const;
    /// As MPI_Cart_shift: from whom and to whom messages go that travel so many steps along a dimension. MPI_PROC_NULL
    /// beyond an edge, with which messages do nothing. Precondition: has_self().
    struct Shift {
        int source = MPI_PROC_NULL;
        int destination = MPI_PROC_NULL;
    };
    Shift shift(std::size_t dimension, int steps = 1) const;

private:
    Cart(Communicator& parent, std::shared_ptr<Grid> grid, Dims dims);
    int rank() const;
    std::shared_ptr<Grid> grid_;  // its lengths are set whenever the communicator is made
};

/// A grid in the order of PeIds. dims says how many members it has along each dimension if there are so many in all;
/// any that are left over are not in it. periodic: whether the grid closes, in each dimension. Collective over the
/// parent, uniform.
Cart cart(Communicator& parent, Cart::Dims dims, std::vector<int> periodic);

}  // namespace regraft::ft
