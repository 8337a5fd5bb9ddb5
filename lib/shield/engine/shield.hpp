// The shield of one process: the repair that brings all survivors together, what goes on while the program does
// something else, and the end of the job.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "shield/engine/process.hpp"
#include "shield/lanes/deferred.hpp"

namespace regraft::shield {

/// The shield of one process. Its own calls of MPI go through the profiling interface, so they are not intercepted. Not
/// thread-safe.
class Shield {
public:
    /// Collective over MPI_COMM_WORLD, after MPI_Init. Deaths during it are not survived.
    explicit Shield(ShieldOptions options);
    Shield(Shield const&) = delete;
    Shield& operator=(Shield const&) = delete;

    PeId self() const { return it_.survivors.self(); }
    ShieldOptions const& options() const { return it_.options; }
    Statistics const& statistics() const { return it_.statistics; }
    Statistics& statistics() { return it_.statistics; }
    Survivors& survivors() { return it_.survivors; }
    /// The living processes, ascending.
    std::span<PeId const> living() const { return it_.survivors.living(); }
    Lanes& lanes() { return it_.lanes; }
    /// Removes the lane of a communicator that is freed.
    void forget(Lane const& lane);
    /// The communicator on which some processes make communicators.
    LivingWorld const& living_world() const { return it_.living_world; }
    bool is_death(int code) { return it_.deaths.explain(code); }  // see Deaths

    // Repairs

    bool repair_called() const { return it_.survivors.repair_called(); }
    /// Takes part in a repair, as all living processes do, wherever they are. voted: see Repair. Returns when all have
    /// the same outcomes.
    void repair(bool voted = false);
    /// The repairs that have left processes behind, and the first of the others. Ascending by number.
    std::span<PastRepair const> repairs() const { return repairs_; }
    /// For a process that polls: takes part in a repair if one was called, and looks after nonblocking operations.
    void help() {
        if (repair_called()) repair();
        if (!it_.busy.empty() && it_.busy.progress(it_.deaths)) repair();
        if (!deferred_.empty()) act_on_due();
    }
    /// For a process that cannot take part in a repair now. If nonblocking operations need one, it calls for one.
    void go_on();

    // Nonblocking operations

    /// Starts a nonblocking operation. Returns MPI_SUCCESS, or the code of a first attempt that failed without a death.
    int start(Lane& lane, Nonblocking operation);
    /// Whether something nonblocking is under way, or deferred.
    bool has_pending() const { return !it_.busy.empty() || has_deferred(); }
    /// Returns when everything that was started on the lane is over. A collective that blocks calls it first: other
    /// members may wait for these operations, and a process in a blocking call of MPI does not look after them.
    void complete(Lane const& lane) {
        while (!is_complete(lane)) help();
    }
    bool is_complete(Lane const& lane) { return deferred_.is_acting() || (lane.pending.is_idle() && !has_due()); }
    /// Defers an action until all members have deferred it. Then it is carried out in a call that polls or, at the
    /// latest, before one that blocks. The action may block, in calls on the lane. Returns as start().
    int defer(Lane& lane, std::function<void()> action);
    bool has_deferred() const { return !deferred_.empty(); }
    bool has_due() { return deferred_.has_due(); }  // see DeferredActions
    /// Carries out the actions that are due, up to the one that calls this. Must be called after each repair in a call
    /// that blocks: other members may know since then what is due, and wait there.
    void act_on_due() { deferred_.act_on_due(); }

    // The end

    /// Returns when all living processes have come here; after that no process can need another, and survivors() serve
    /// what is left to do.
    void finish();

private:
    void remember(PastRepair past);

    Process it_;
    DeferredActions deferred_;
    std::vector<PastRepair> repairs_;
};

}  // namespace regraft::shield
