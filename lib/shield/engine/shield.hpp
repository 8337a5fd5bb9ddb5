// The shield of one process: its lanes, the repair that brings all survivors together, and the end of the job.
#pragma once

#include <mpi.h>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "regraft/core/ids.hpp"
#include "shield/engine/deferred.hpp"
#include "shield/engine/lane.hpp"
#include "shield/engine/options.hpp"
#include "shield/engine/pending_queue.hpp"
#include "shield/engine/stage.hpp"
#include "shield/engine/statistics.hpp"
#include "shield/protocol/patience.hpp"
#include "shield/protocol/plan.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {

/// The shield of one process. Its own calls of MPI go through the profiling interface, so they are not intercepted. Not
/// thread-safe.
class Shield {
public:
    /// Collective over MPI_COMM_WORLD, after MPI_Init. Deaths during it are not survived.
    explicit Shield(Options options);
    Shield(Shield const&) = delete;
    Shield& operator=(Shield const&) = delete;

    PeId self() const { return self_; }
    Options const& options() const { return options_; }
    Statistics const& statistics() const { return statistics_; }
    Statistics& statistics() { return statistics_; }
    /// The repairs that have left processes behind, and the first of the others. Ascending by number.
    std::span<PastRepair const> repairs() const { return repairs_; }
    /// The living processes, ascending.
    std::span<PeId const> living() const { return living_; }

    /// The lane of a communicator of the program; nullptr: the shield has not made the communicator. Valid until it is
    /// freed. O(1).
    Lane* find(MPI_Comm face) { return face == last_asked_ ? last_found_ : look_up(face); }

    bool repair_called() const;
    /// Takes part in a repair, as all living processes do, wherever they are. voted: see Repair. Returns when all have
    /// the same outcomes.
    void repair(bool voted = false);
    /// For a process that polls: takes part in a repair if one was called, and looks after nonblocking operations.
    void help() {
        if (repair_called()) repair();
        if (!busy_.empty() && progress()) repair();
        if (!deferred_.empty()) act_on_due();
    }
    /// For a process that cannot take part in a repair now. If nonblocking operations need one, it calls for one.
    void go_on();
    /// Whether an error of a call on a lane means that a member has died or called for a repair. Creations that a death
    /// interrupts also fail with errors that do not name it, so those count as well, up to some hundreds.
    bool is_death(int code);
    /// Starts a nonblocking operation. Returns MPI_SUCCESS, or the code of a first attempt that failed without a death.
    int start(Lane& lane, Nonblocking operation);
    /// Whether something nonblocking is under way, or deferred.
    bool has_pending() const { return !busy_.empty() || has_deferred(); }
    bool has_deferred() const { return !deferred_.empty(); }
    /// Returns when everything that was started on the lane is over. A collective that blocks calls it first: other
    /// members may wait for these operations, and a process in a blocking call of MPI does not look after them.
    void complete(Lane const& lane) {
        while (!acting_ && (!lane.pending.is_idle() || has_due())) help();
    }
    /// Defers an action until all members have deferred it. Then it is carried out in a call that polls or, at the
    /// latest, before one that blocks. The action may block, in calls on the lane. Returns as start().
    int defer(Lane& lane, std::function<void()> action);
    /// Whether all members have come to defer something, as far as this process knows.
    bool has_due() { return !acting_ && !deferred_.empty() && next_deferred() != nullptr; }
    /// Carries out the actions that are due, up to the one that calls this. Must be called after each repair in a call
    /// that blocks: other members may know since then what is due, and wait there.
    void act_on_due();
    /// Returns when all living processes have come here; after that no process can need another.
    void finish();
    /// After finish(): whether all of living() still live and so is true on all of them. If not, living() becomes those
    /// that do. Collective, uniform.
    bool confirm_living(bool so);
    /// After confirm_living(): the lowest living process calls act; if it dies before it has come back, the next one
    /// does. Collective.
    void let_one_act(std::function<void()> const& act);
    /// Gives the faces the error handlers of the program back. Afterwards this object is of no use.
    void stand_aside();
    /// A communicator of the living, for messages between them after finish(). Processes may die meanwhile.
    MPI_Comm control() const { return control_; }

    /// The communicator on which some processes make communicators. Repairs make it anew and do not revoke it.
    Stage const& stage() const { return stage_; }
    /// Makes others that wait on the stage leave it too, because a process has died there.
    void leave_stage();

    /// Adds a child. The operation after those that have returned on the lane makes it. Its id must be that of
    /// child_id().
    void add_child(std::unique_ptr<Lane> child);
    Lane* find_child(LaneId id);
    /// Removes and returns a child, with which the call that made it returns. nullptr: there is no such child.
    Lane* take_child(LaneId id);
    void forget(Lane& lane);

private:
    Lane* look_up(MPI_Comm face);
    void forget_last();
    /// Looks after nonblocking operations. Returns whether they need a repair.
    bool progress();
    bool is_starving();
    Deferred* next_deferred();
    void step(Repair& repair, PastRepair& past);
    void remember(PastRepair past, std::vector<PeId> const& before);
    void revoke_lanes() const;
    void renew_control();
    bool report_all();
    void judge();
    void renew_stage();
    void renew_lane(Lane& lane);
    bool replay();
    bool resolve(Lane& lane, Resolution const& resolution);
    std::vector<Lane*> open_lanes() const;

    Options options_;
    Statistics statistics_;
    std::vector<PastRepair> repairs_;
    PeId self_{};
    std::vector<PeId> founders_;  // of MPI_COMM_WORLD
    std::vector<PeId> living_;
    MPI_Comm control_ = MPI_COMM_NULL;  // for agreements only; revoked: a repair was called
    Stage stage_;
    std::unordered_map<MPI_Comm, std::unique_ptr<Lane>> faces_;
    std::map<LaneId, Lane*> lanes_;
    std::map<LaneId, std::unique_ptr<Lane>> children_;
    std::optional<Census> census_;
    std::vector<MPI_Comm> outdated_;
    std::vector<Lane*> busy_;  // lanes with something nonblocking under way
    Patience patience_;
    std::list<Deferred> deferred_;
    std::optional<Deferred::Place> acting_;  // the deferred action that is being carried out
    int vague_errors_ = 0;
    MPI_Comm last_asked_ = MPI_COMM_NULL;
    Lane* last_found_ = nullptr;
};

}  // namespace regraft::shield
