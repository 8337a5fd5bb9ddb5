// The functions that differ between an MPI with ULFM (ulfm.cpp) and one without (simulated.cpp). One of the two is
// linked.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "regraft/ft/failure_plan.hpp"

namespace regraft::ft::backend {

/// Whether victims of the failure plan really die, without other members knowing of it beforehand.
bool deaths_are_real();
bool is_process_failure(int error_class);
/// The same for an error code, which belongs to a class.
inline bool tells_process_failure(int code) {
    int error_class = code;
    MPI_Error_class(code, &error_class);
    return is_process_failure(error_class);
}
void revoke(MPI_Comm comm);
/// Whether this process has been told that the communicator was revoked. It only reads a flag; MPI learns of news in
/// calls that communicate.
bool is_revoked(MPI_Comm comm);
/// Replaces *bits by the AND over the living members. Works on revoked communicators. Collective, uniform.
void agree(MPI_Comm comm, int* bits);
/// Whether this process has been told of the death of a member.
bool knows_of_deaths(MPI_Comm comm);
/// Whether this member is known to be dead. O(members).
bool is_dead(MPI_Comm comm, int rank);
/// Lets receives from any source, which deaths have suspended, go on among the living.
void acknowledge(MPI_Comm comm);
/// Whether an error class says that a receive from any source is suspended, but not over.
bool is_suspended(int error_class);
/// A communicator of the living members of comm, in the same order; MPI_COMM_NULL if it did not succeed here. It must
/// not be used before an agreement on comm: others may still be in the call, which a message or a revoke would disturb.
/// leaving: ranks that leave although they are alive (simulation); they get MPI_COMM_NULL. spans_world: comm began with
/// all ranks of MPI_COMM_WORLD in their order. Collective over all living members, not uniform.
MPI_Comm shrink(MPI_Comm comm, bool spans_world, std::span<int const> leaving);
/// Kills this process, at once or a moment later.
void die(Moment moment);

// Agreements on more than a bit. If all numbers are equal, the AND of the numbers and the AND of their complements
// together have all bits set; if they differ, some bit is missing.
constexpr std::uint32_t hash_bits = 15;
constexpr std::uint32_t hash_mask = (1U << hash_bits) - 1;
constexpr std::uint32_t with_complement(std::uint64_t hash) {
    auto const low = static_cast<std::uint32_t>(hash) & hash_mask;
    return low | (~low & hash_mask) << hash_bits;
}
constexpr bool was_equal(std::uint32_t agreed) {
    return ((agreed | agreed >> hash_bits) & hash_mask) == hash_mask;
}

/// Whether `mine` is true on all members and all give the same hash, as far as 15 of its bits tell. Collective,
/// uniform, as agree.
inline bool agree_equal(MPI_Comm comm, bool mine, std::uint64_t hash) {
    int bits = mine ? static_cast<int>(with_complement(hash)) : 0;
    agree(comm, &bits);
    return was_equal(static_cast<std::uint32_t>(bits));
}

}  // namespace regraft::ft::backend
