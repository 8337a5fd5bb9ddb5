// A process under the shield in the modelled MPI: carries out the steps of the protocol's state machines, and those of
// a small program.
#pragma once

#include <utility>

#include "support/shield/shield_program.hpp"
#include "support/shield/shield_repair.hpp"

namespace regraft::shield::test {

/// Moves one process of a job.
class Driver {
public:
    Driver(Job& job, Rank rank, Program const& program, CommitOptions options, Mutant mutant)
        : self_(job.processes[rank]),
          wait_(job.world.waits[rank]),
          program_(job, rank, program, options, mutant),
          repair_(job, rank, program, options, mutant) {}

    /// Goes on until it waits, looks or is gone.
    void run() {
        while (!self_.looks && wait_.in == Waiting::nothing && self_.doing != Process::Doing::gone) {
            if (self_.repair) {
                repair_.step();
            } else {
                program_.step();
            }
        }
    }

    /// Whether a lane was not there at the beginning.
    static bool was_split_off(LaneId lane) { return static_cast<std::uint64_t>(lane) > max_handles; }

    void look(bool repair_called) {
        self_.looks = false;
        program_.look(repair_called);
        run();
    }

    /// The operation, agreement, renewal or receipt in which it waits has ended.
    void wake(bool ok) {
        auto const wait = std::exchange(wait_, Wait{});
        if (self_.repair) {
            repair_.ended(wait, ok);
        } else {
            program_.ended(wait, ok);
        }
        run();
    }

    void join_repair() {
        wait_ = {};
        self_.repair.emplace(/*voted=*/false);
        run();
    }

private:
    Process& self_;
    Wait& wait_;
    Programmed program_;
    Repairing repair_;
};

}  // namespace regraft::shield::test
