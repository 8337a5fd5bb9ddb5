// The user's choices where the dead are missing.
#pragma once

#include <cstddef>
#include <string>

namespace regraft::shield {

enum class WithDead { leave_out, raise_error, end_job };
/// What a receive from any source does while members are dead: it goes on, gets an empty message of each, or gets an
/// error.
enum class AnySource { wait, obituary, error };
enum class Unsupported { end_job, raise_error, pass_on };

struct Policy {
    bool needs_root = true;                          // whether the job ends where data come from a dead root
    bool skips_dead_root = true;                     // whether a collective is skipped where data go to a dead root
    WithDead sends = WithDead::leave_out;            // messages to the dead
    WithDead receives = WithDead::leave_out;         // messages from the dead
    AnySource any_source = AnySource::wait;          // messages from any source
    bool fills_holes = true;                         // whether places of the dead in receive buffers are filled
    std::byte hole{0};                               // the byte that fills them
    bool always_confirms = false;                    // whether every collective is confirmed by a barrier
    Unsupported unsupported = Unsupported::end_job;  // for calls that the shield does not carry out, after a death
    bool abort_ends_job = true;                      // whether MPI_Abort ends the job
    int min_survivors = 1;                           // with fewer, the job ends
    int watchdog = 60;                               // seconds for a step of a repair; 0: any time
    int starvation = 10;                             // seconds until a call that waits in vain gets an obituary; 0:
                                                     // never
    int holes_in_a_row = 1000;                       // number from one source that ends the job; 0: never
    std::string report;                              // file name; empty: none
};

/// Reads the policy from REGRAFT_SHIELD_NAME=VALUE in the environment. Throws InputError.
Policy policy_of_environment();

}  // namespace regraft::shield
