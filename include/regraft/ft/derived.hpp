// Communicators made from one that survives, such as rows and columns of a grid. They fail with it, and are made again
// after it has shrunk.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Owns a communicator among members of the parent. Making one is a collective. It belongs into the body of
/// ft::resilient, for example into a std::optional that is filled once; elsewhere a death ends in an exception that
/// leaves main. A PE that notices a failure, on the parent or on any communicator derived from it, revokes all of them,
/// so that no PE waits for one that has gone to shrink. Communicator::shrink makes them again, in the order in which
/// they were made first, and throws ProcessFailure if a PE dies meanwhile.
class Derived {
public:
    /// Makes *derived from parent, which is native() of the renewed communicator, and returns what MPI returned.
    /// *derived is MPI_COMM_NULL on PEs that are not in it. It is called on all members alike, and again after each
    /// shrink. It may use communicators that were derived earlier. It sends no other messages and throws nothing.
    /// Deaths are survived in MPI_Comm_dup, MPI_Comm_split and MPI_Comm_split_type, but not in functions that make
    /// topologies (cart() needs none).
    using Make = std::function<int(MPI_Comm parent, MPI_Comm* derived)>;

    /// Throws MpiError, on all members alike, if the communicator cannot be made although no PE died. Precondition: the
    /// parent outlives it. Collective over the parent, uniform.
    Derived(Communicator& parent, Make make);
    Derived(Derived const&) = delete;
    Derived& operator=(Derived const&) = delete;
    /// Not collective, and allowed while an exception unwinds; but at the next shrink() all members must have the same
    /// communicators left.
    ~Derived();

    /// The communicator for MPI calls, whose return codes go through check() of the parent. MPI_COMM_NULL if this PE is
    /// not in it. Valid until the parent shrinks.
    MPI_Comm native() const { return comm_; }
    /// The members by rank. O(their number * members of the parent).
    std::vector<PeId> members() const;

private:
    friend class Communicator;
    void make();
    void release();

    Communicator& parent_;
    Make make_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The PEs that take part in a collective: all members of a communicator, or those of one derived from it. Refers to
/// both.
class Participants {
public:
    /// All members of the communicator. Implicit, so that collectives take a communicator as it is.
    Participants(Communicator& comm) : comm_(&comm) {}
    /// Precondition: this PE is in it.
    Participants(Communicator& parent, Derived const& derived) : comm_(&parent), derived_(&derived) {}

    /// The communicator that checks return codes.
    Communicator& parent() const { return *comm_; }
    /// The communicator on which the collective runs. Valid until the parent shrinks.
    MPI_Comm native() const { return derived_ != nullptr ? derived_->native() : comm_->native(); }

private:
    Communicator* comm_;
    Derived const* derived_ = nullptr;
};

/// A communicator of the PEs with the same colour; ranks are in the order of PeIds. colour returns this PE's colour
/// among the present members; MPI_UNDEFINED: this PE is in none. Collective over the parent, uniform.
Derived split(Communicator& parent, std::function<int()> colour);

/// A duplicate of the parent: messages on it do not meet those on the parent. Collective over the parent, uniform.
Derived dup(Communicator& parent);

/// The numbering of a grid in the order of MPI_Cart_create: the last dimension goes fastest. Pure.
struct Grid {
    std::vector<int> lengths;   // lengths along each dimension, at least 1
    std::vector<int> periodic;  // whether each dimension closes; as many as lengths

    /// The number of ranks in the grid; 1 without dimensions.
    int size() const;
    /// The coordinates of a rank, one per dimension. Precondition: 0 <= rank < size().
    std::vector<int> coordinates(int rank) const;
    /// The rank at these coordinates. In a dimension that closes, a coordinate counts modulo the length; outside of
    /// another one the rank is MPI_PROC_NULL. Precondition: one coordinate per dimension.
    int rank(std::span<int const> coordinates) const;
    /// The rank that is `steps` steps further along a dimension (back if negative); MPI_PROC_NULL if there is none.
    int neighbour(int rank, std::size_t dimension, int steps) const;
};

/// A communicator of the members that are in a grid, together with the grid. MPI knows nothing of the grid, because
/// MPI_Cart_create of Open MPI crashes survivors when a PE dies in it. So these functions replace calls that need a
/// topology, such as MPI_Cart_shift and MPI_Neighbor_alltoall. Collectives and messages work on native() as on any
/// other communicator.
class Cart : public Derived {
public:
    /// Returns the length of each dimension for a number of members; their product is at most that number.
    using Dims = std::function<std::vector<int>(std::size_t members)>;
    /// Does what cart() does.
    Cart(Communicator& parent, Dims dims, std::vector<int> periodic);

    /// The grid of the present members; its ranks are those in native(). Valid until the parent shrinks.
    Grid const& grid() const { return *grid_; }
    /// Whether this PE is in the grid. If not, native() is MPI_COMM_NULL.
    bool has_self() const { return native() != MPI_COMM_NULL; }
    /// This PE's coordinates, one per dimension. Precondition: has_self().
    std::vector<int> coordinates() const;
    /// The source and the destination of messages that travel `steps` steps along a dimension, as MPI_Cart_shift.
    /// Beyond an edge they are MPI_PROC_NULL, with which messages do nothing. Precondition: has_self().
    struct Shift {
        int source = MPI_PROC_NULL;       // rank in native()
        int destination = MPI_PROC_NULL;  // rank in native()
    };
    /// The shift along this dimension; negative steps go back.
    Shift shift(std::size_t dimension, int steps = 1) const;

private:
    Cart(Communicator& parent, std::shared_ptr<Grid> grid, Dims dims);
    int rank() const;
    std::shared_ptr<Grid> grid_;  // its lengths are set whenever the communicator is made
};

/// Makes a grid in the order of PeIds. dims returns the lengths of the dimensions for a number of members; members that
/// are left over are not in the grid. periodic says for each dimension whether it closes. Collective over the parent,
/// uniform.
Cart cart(Communicator& parent, Cart::Dims dims, std::vector<int> periodic);

}  // namespace regraft::ft
#pragma GCC visibility pop
