// What the user wants where the dead are missing.
#pragma once

#include <cstddef>
#include <string>

namespace regraft::shield {

enum class WithDead { leave_out, raise_error, end_job };
/// A receive from any source while members are dead: goes on, gets an empty message of each, or an error.
enum class AnySource { wait, obituary, error };
enum class Unsupported { end_job, raise_error, pass_on };

struct Policy {
    bool needs_root = true;                          // data come from a dead root
    bool skips_dead_root = true;                     // data go to a dead root
    WithDead sends = WithDead::leave_out;            // messages to the dead
    WithDead receives = WithDead::leave_out;         // messages from the dead
    AnySource any_source = AnySource::wait;          // messages from anybody
    bool fills_holes = true;                         // places of the dead in receive buffers
    std::byte hole{0};                               // what fills them
    bool always_confirms = false;                    // collectives, by a barrier
    Unsupported unsupported = Unsupported::end_job;  // what the shield does not carry out, after a death
    bool abort_ends_job = true;                      // MPI_Abort
    int min_survivors = 1;                           // fewer end the job
    int watchdog = 60;                               // seconds for a step of a repair; 0: any time
    int starvation = 10;                             // seconds, until who waits in vain gets an obituary; 0: never
    int holes_in_a_row = 1000;                       // from one source, which end the job; 0: never
    std::string report;                              // file; empty: none
};

/// From REGRAFT_SHIELD_NAME=VALUE in the environment. Throws InputError.
Policy policy_of_environment();

}  // namespace regraft::shield
