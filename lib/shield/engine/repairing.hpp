// A repair as one process carries it out: the steps of protocol/repair.hpp with its communicators and lanes.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "shield/engine/process.hpp"
#include "shield/protocol/plan.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {

class Repairing {
public:
    explicit Repairing(Process& process) : it_(process) {}

    /// Returns when all living processes have the same outcomes, with all about the repair but its number. voted: see
    /// Repair. Collective over the living processes. Once.
    PastRepair run(bool voted);

private:
    void step(Repair& repair);
    bool exchange_reports();
    void renew_lane(Lane& lane);
    bool replay();
    bool resolve(Lane& lane, Resolution const& resolution);
    void go_on();

    Process& it_;
    PastRepair past_;
    std::optional<Census> census_;
    std::vector<MPI_Comm> outdated_;  // communicators to be freed when no process is in a step that uses them
};

}  // namespace regraft::shield
