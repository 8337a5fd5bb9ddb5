// A repair, and the end of the job.
#pragma once

#include <cstdint>

namespace regraft::shield {

/// The end of the job. An agreement says yes exactly if all living processes are in it. A process that needs a repair
/// says no first; then all that have come to the end help.
class Farewell {
public:
    enum class Step { look, agree, repair, gone };

    Step step() const { return step_; }
    void look(bool repair_called);
    /// ok of agree: the result of the agreement.
    void advance(bool ok);
    /// Whether the agreement before the repair was this one, so that the repair needs no vote.
    bool voted() const { return voted_; }

private:
    bool voted_ = false;
    Step step_ = Step::look;
};

/// A repair. All living processes take part, and it starts again whenever one dies in it. Agreements and renewals have
/// the same result on all that survive them; the other steps may succeed on one process and fail on another.
class Repair {
public:
    enum class Step {
        revoke,          // revoke the control communicator, all lanes, and all safe children: this wakes the processes
                         // that wait there
        vote,            // vote no in the agreement on the control communicator, where others may already be in the end
                         // of the job
        renew_control,   // shrink MPI_COMM_WORLD
        report,          // all processes exchange reports of their lanes, on the new control communicator
        agree_reported,  // vote so(): whether all reports have arrived here
        renew_lanes,     // keep or free children, close lanes, then shrink lanes in the order of their ids
        replay,  // on each lane in that order: commit or retract what is tentative, forward outcomes, collect inputs
        revoke_lanes,    // revoke the lanes, for processes that are still in replay
        agree_replayed,  // vote so(): whether nothing failed here
        done,
    };

    /// voted: this process has taken part in the agreement that said no.
    explicit Repair(bool voted) : voted_(voted) {}

    Step step() const { return step_; }
    /// The vote of this process in an agreement.
    bool so() const { return so_; }
    std::uint32_t rounds() const { return rounds_; }
    /// ok: report and replay succeeded here; the agreements said yes; true for the others.
    void advance(bool ok);

private:
    bool voted_;
    bool so_ = true;
    std::uint32_t rounds_ = 1;
    Step step_ = Step::revoke;
};

}  // namespace regraft::shield
