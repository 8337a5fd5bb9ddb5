// The shield of one process: its lanes, the repair that brings all survivors together, and the end of the job.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"
#include "shield/engine/lane.hpp"
#include "shield/engine/pending_queue.hpp"
#include "shield/protocol/call.hpp"
#include "shield/protocol/patience.hpp"
#include "shield/protocol/plan.hpp"

namespace regraft::shield {

struct Options {
    CommitOptions commit;
    /// Results of more bytes are confirmed and not kept; of an input of more bytes, where they differ from rank to
    /// rank, the root says when it has it.
    std::size_t most_forwarded = 4096;
    /// Of faces: told of errors in calls of MPI on them, ours among these. It must let them return.
    MPI_Errhandler on_error = MPI_ERRORS_RETURN;
    /// Told of each step of a repair before it is carried out, and of Repair::Step::done. May be nullptr.
    void (*on_step)(Repair::Step step) = nullptr;
    /// Told when this process enters and leaves a call of MPI from which it may not return if somebody dies in it, even
    /// if a repair is called. May be nullptr.
    void (*on_uninterruptible)(bool inside) = nullptr;
};

/// Of this process.
struct Statistics {
    std::uint64_t repairs = 0;
    std::uint64_t rounds = 0;
    std::uint64_t forwarded = 0;  // calls whose outcome others told
    std::uint64_t collected = 0;  // inputs that came to this root in repairs and by messages
    std::uint64_t committed = 0;  // calls that a repair has confirmed
    std::uint64_t repeated = 0;   // attempts after the first of a call
    std::uint64_t restarted = 0;  // nonblocking operations
    double repair_ms = 0;
    std::uint64_t events = 0;  // how often any of them has grown

    void count(std::uint64_t Statistics::*what, std::uint64_t more = 1) {
        this->*what += more;
        ++events;
    }
};

struct PastRepair {
    std::uint64_t number = 0;  // from 1
    double begin = 0;          // MPI_Wtime
    double ms = 0;
    double vote_ms = 0;  // of these: until all have come, as far as this process has waited for them
    std::uint32_t rounds = 0;
    bool was_called = false;  // by another process, before this one has met the death
    std::vector<PeId> dead;   // whom it has left behind, ascending
};

/// What all members of a lane do together after a nonblocking operation of theirs.
struct Deferred {
    using Place = std::pair<LaneId, OperationNumber>;  // in an order that is the same everywhere

    Lane const* lane = nullptr;
    OperationNumber after = 0;
    bool is_due = false;  // all members know that all have come to it, or will
    std::function<void()> action;

    Place place() const { return {lane->id, after}; }
};

/// A hidden communicator of all who lived at the end of the last repair.
struct Stage {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> members;  // by rank

    /// Precondition: a member. O(size).
    int rank_of(PeId member) const;
};

/// All calls of MPI made by this go by its profiling interface, so they are not intercepted. Not thread-safe.
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
    /// Those that have left somebody behind, and the first of the others. Ascending by number.
    std::span<PastRepair const> repairs() const { return repairs_; }
    /// Ascending.
    std::span<PeId const> living() const { return living_; }

    /// The lane of a communicator of the program; nullptr: it is none of ours. Valid until it is freed. O(1).
    Lane* find(MPI_Comm face) { return face == last_asked_ ? last_found_ : look_up(face); }

    bool repair_called() const;
    /// Everybody alive takes part, wherever it is. voted: see Repair. Returns when all have the same outcomes.
    void repair(bool voted = false);
    /// For whoever polls: takes part in a repair if one was called, and looks after nonblocking operations.
    void help() {
        if (repair_called()) repair();
        if (!busy_.empty() && progress()) repair();
        if (!deferred_.empty()) act_on_due();
    }
    /// For whoever must not come to a repair now: looks after nonblocking operations, and calls for one if that needs
    /// it.
    void go_on();
    /// Whether an error of a call on a lane means that a member has died or called for a repair. Creations that a death
    /// interrupts also fail with errors that say nothing of it, so those count as well, up to some hundreds.
    bool is_death(int code);
    /// MPI_SUCCESS, or the code with which the first attempt failed although nobody died.
    int start(Lane& lane, Nonblocking operation);
    /// Whether something nonblocking is under way, or deferred.
    bool has_pending() const { return !busy_.empty() || has_deferred(); }
    bool has_deferred() const { return !deferred_.empty(); }
    /// Returns when all that was started on the lane is over. A collective that blocks waits for those started before
    /// it: others may wait for them first, and nobody looks after them in a call of MPI that blocks.
    void complete(Lane const& lane) {
        while (!acting_ && (!lane.pending.is_idle() || has_due())) help();
    }
    /// As an operation of the lane: action is carried out when all members have come to defer it, in a call of each
    /// that polls or, at the latest, before one that blocks. It may block, in calls on the lane. As start().
    int defer(Lane& lane, std::function<void()> action);
    /// Whether all have come to defer something, as far as this process knows.
    bool has_due() { return !acting_ && !deferred_.empty() && next_deferred() != nullptr; }
    /// Carries out what is due, but not what comes after the action that calls this. To be called after each repair in
    /// a call that blocks: others may know since then what is due, and wait there.
    void act_on_due();
    /// Returns when all who live have come here; afterwards nobody can need anybody.
    void finish();
    /// After that: whether all of living() still live, and so() on all of them. If not, living() are those who do.
    /// Collective, uniform.
    bool confirm_living(bool so);
    /// And then: the lowest of the living acts; if it dies before it has come back, the next one does. Collective.
    void let_one_act(std::function<void()> const& act);
    /// The faces get the error handlers of the program back. Afterwards this is of no use.
    void stand_aside();
    /// Of the living, for what they tell each other after finish(). Somebody may die meanwhile.
    MPI_Comm control() const { return control_; }

    /// Where processes make communicators without the others. Repairs do not revoke it, but make a new one.
    Stage const& stage() const { return stage_; }
    /// Somebody has died there: others who wait there are to leave it, too.
    void leave_stage();

    /// The operation after what has returned on the lane makes this child. Its id must be that of child_id().
    void add_child(std::unique_ptr<Lane> child);
    Lane* find_child(LaneId id);
    /// The call that made it returns with it. nullptr: there is no such child.
    Lane* take_child(LaneId id);
    void forget(Lane& lane);

private:
    Lane* look_up(MPI_Comm face);
    void forget_last();
    /// Whether that needs a repair.
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
    MPI_Comm control_ = MPI_COMM_NULL;  // agreements only; revoked: a repair was called
    Stage stage_;
    std::unordered_map<MPI_Comm, std::unique_ptr<Lane>> faces_;
    std::map<LaneId, Lane*> lanes_;
    std::map<LaneId, std::unique_ptr<Lane>> children_;
    std::optional<Census> census_;
    std::vector<MPI_Comm> outdated_;
    std::vector<Lane*> busy_;  // on which something nonblocking is under way
    Patience patience_;
    std::list<Deferred> deferred_;
    std::optional<Deferred::Place> acting_;  // which of them is carried out
    int vague_errors_ = 0;
    MPI_Comm last_asked_ = MPI_COMM_NULL;
    Lane* last_found_ = nullptr;
};

}  // namespace regraft::shield
