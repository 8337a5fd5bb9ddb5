// The living processes, and the control communicator, on which they call for repairs and agree.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::shield {

class Survivors {
public:
    /// All processes of MPI_COMM_WORLD. Collective over it.
    static Survivors of_world();

    PeId self() const { return self_; }
    /// The living processes, as far as the last renewal has found them; ascending.
    std::span<PeId const> living() const { return living_; }
    /// A communicator of the living. Processes may die meanwhile.
    MPI_Comm control() const { return control_; }

    /// A repair is called by revoking the control communicator.
    bool repair_called() const;
    void call_repair() const;
    /// Whether all living processes say so. Collective, uniform.
    bool agree(bool says) const;
    /// Makes the control communicator anew and finds the living. Returns the old communicator, for the caller to free.
    /// Collective over the living, uniform.
    MPI_Comm renew();

    // After the last repair:

    /// Whether all of living() still live and so is true on all of them. If not, living() becomes those that do.
    /// Collective, uniform.
    bool confirm(bool so);
    /// After confirm(): the lowest living process calls act; if it dies before it has come back, the next one does.
    /// Collective.
    void let_one_act(std::function<void()> const& act) const;

private:
    PeId self_{};
    std::vector<PeId> founders_;  // of MPI_COMM_WORLD
    std::vector<PeId> living_;
    MPI_Comm control_ = MPI_COMM_NULL;
};

}  // namespace regraft::shield
