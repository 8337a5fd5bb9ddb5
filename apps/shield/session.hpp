// The shield of this process, what its user wants, and what was done.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "shield/shield.hpp"

namespace regraft::shield {

/// What to do where the dead are missing. From the environment: REGRAFT_SHIELD_...
struct Policy {
    bool fills_holes = true;       // HOLES=zero|keep: places of the dead in receive buffers
    bool needs_root = true;        // ROOT_DEAD_FROM=abort|hole: data come from a dead root
    bool skips_dead_root = true;   // ROOT_DEAD_TO=skip|abort: data go to a dead root
    bool always_confirms = false;  // COMMIT=forward|confirm
    std::string report;            // REPORT=FILE
};

/// Of this process.
struct Counts {
    std::uint64_t calls = 0;             // that went by the shield
    std::uint64_t skipped_roots = 0;     // collectives whose root is dead
    std::uint64_t skipped_sends = 0;     // to the dead
    std::uint64_t skipped_receives = 0;  // from the dead
};

struct Session {
    Policy policy;
    Counts counts;
    std::unique_ptr<Shield> shield;  // none: before MPI_Init, after MPI_Finalize, or without ULFM
};
extern Session the_session;
inline Session& session() {
    return the_session;
}

/// The lane of a communicator of the program; nullptr: the shield has nothing to do with it.
inline Lane* lane_of(MPI_Comm comm) {
    auto const& shield = session().shield;
    return shield == nullptr ? nullptr : shield->find(comm);
}
/// Calls the program's error handler if code is an error, and returns code.
int complain(Lane& lane, int code);
/// Says why on standard error, and ends this process, as all others do that find the same.
[[noreturn]] void refuse(char const* call, std::string const& why);

/// What a collective does whose root is dead: counts it, or ends the process.
void without_root(char const* call, int root, bool needs_its_data);

}  // namespace regraft::shield
