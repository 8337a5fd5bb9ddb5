// A communicator that survives the death of its PEs. Errors become exceptions, agreements are uniform, and shrink
// continues with the survivors.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/errors.hpp"
#include "regraft/ft/failure_plan.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Whether deaths are real (ULFM) or simulated by leaving at a point of the failure plan. Chosen when linking.
bool survives_real_deaths();

/// Options of a communicator.
struct CommunicatorOptions {
    bool ignore_sigpipe = true;  // over TCP, SIGPIPE would kill a survivor whose peer vanishes while it sends
};

class Derived;
class Unchecked;

/// Owns a communicator made from the parent. PeIds are ranks in the parent and never change.
///
/// The protocol behind it: on each communicator all agreements answer "no failure" until the first that does not; after
/// that one, all members shrink. A PE that sees a failure elsewhere first votes for it, so no PE waits alone in an
/// agreement. Not thread-safe.
class Communicator {
public:
    /// Leaves out members of the parent that have died: members() lacks them from the start, and work is to be dealt to
    /// members(). Sets MPI_ERRORS_RETURN on the parent and on MPI_COMM_SELF. The first
    /// communicator of a process names on stderr, on one PE, the settings of MPI with which survivors may hang. Throws
    /// WrongLauncher if Slurm has started the ranks by itself (srun PROGRAM). Collective over the parent.
    explicit Communicator(MPI_Comm parent, CommunicatorOptions options = {});
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;
    ~Communicator();

    /// This PE.
    PeId self() const { return self_; }
    /// The living PEs in increasing order: position = rank in native().
    std::span<PeId const> members() const { return members_; }
    /// The number of living PEs.
    std::size_t size() const { return members_.size(); }
    /// The position of pe in members(). Precondition: pe is a member. O(log size).
    std::size_t position(PeId pe) const;
    /// The number of PEs of the parent.
    std::uint32_t num_founders() const { return num_founders_; }
    /// Whether this is the first of the living PEs. That PE should write files and talk to people.
    bool leads() const { return members_.front() == self_; }
    /// How many times the communicator was made or renewed: 1 at first, one more after each shrink().
    std::uint32_t epoch() const { return epoch_; }
    /// A tag for point-to-point messages on native(). Members that have called it equally often get the same tag; 32767
    /// calls in a row give different ones.
    int next_tag() { return tag_ = tag_ % 32767 + 1; }
    /// The communicator for MPI calls, whose return codes go through check(). Valid until shrink(). Tags from 1 to
    /// 32767 are taken. An error that is not passed to check() is noted. The next agreement, which every collective of
    /// the library reaches, names the call on stderr, and throws ProcessFailure if the error was a death. If no
    /// agreement follows, the destructor names it.
    MPI_Comm native() const { return comm_; }

    /// Turns MPI's return code into an exception: ProcessFailure (after revoking, so that all others notice) or
    /// MpiError.
    void check(int code, char const* call);
    /// The same for calls that fill statuses (MPI_Waitall, ...). If code is MPI_ERR_IN_STATUS, the error of each status
    /// counts; the death of a process takes precedence over other errors.
    void check(int code, std::span<MPI_Status const> statuses, char const* call);
    /// Is called in place of check() if the caller has dealt with the error itself.
    void dismiss_errors();
    /// Is called if only a death explains what happened although no call returned it, for example if data are not what
    /// was sent. Revokes, so that all others notice, and throws ProcessFailure. If no member has died, all members meet
    /// in the recovery and none is missing.
    [[noreturn]] void declare_failure(char const* call);
    /// Throws ProcessFailure if a member has died or has noticed a failure, as far as this PE has been told. For PEs
    /// that compute for long without a call. Takes about a microsecond. Not collective.
    void look_for_failures();

    /// Returns when all living members have come here. Collective, uniform: either all survivors return, or all throw
    /// ProcessFailure because one of them has noticed a failure before, or was told of a death. An agreement does not
    /// notice a death by itself: the dead do not vote, so all may return although a member has died. It is a star,
    /// which is the only safe topology, and takes O(members) messages at its root. Precondition of this and the next
    /// two: no ProcessFailure was thrown since the last shrink().
    void agree() { static_cast<void>(agree(true)); }
    /// Whether `mine` is true on all members. Collective, uniform as agree().
    [[nodiscard]] bool agree(bool mine);
    /// Whether all members give the same hash, as far as 15 of its bits tell. Collective, uniform as agree().
    [[nodiscard]] bool agree_equal(std::uint64_t hash);

    /// Renews the communicator without the dead and returns these. Afterwards all survivors have the same members
    /// (verified by agreement). Survivors may come here from different places. Communicators derived from it (Derived)
    /// are made again. Throws EndlessRecovery if nobody had died many times in a row because of calls on communicators
    /// that it does not know. O(members) bytes and a handful of agreements. Collective over survivors, uniform.
    [[nodiscard]] std::vector<PeId> shrink();

    /// Dies here if the failure plan says so. With simulated deaths, every member must come to the same points in the
    /// same order; then the victim throws Departed and the others ProcessFailure.
    void reach(FailPoint& point);

private:
    friend class Derived;
    using Clock = std::chrono::steady_clock;

    std::uint32_t agree_bits(std::uint32_t mine);
    bool tell_unchecked() const;
    void renew(MPI_Comm damaged);
    void revoke() const;
    void note_stranger(char const* call);
    [[noreturn]] void fail(std::string call);

    std::unique_ptr<Unchecked> unchecked_;  // errors on this communicator and on those derived from it
    MPI_Comm comm_ = MPI_COMM_NULL;
    bool spans_world_ = false;  // at first it had all ranks in the order of MPI_COMM_WORLD
    std::vector<Derived*> derived_;
    PeId self_{};
    std::uint32_t num_founders_ = 0;
    std::vector<PeId> members_;
    std::vector<PeId> leaving_;  // PEs whose simulated deaths the next renewal carries out
    std::uint32_t epoch_ = 0;
    std::uint32_t failures_elsewhere_ =
        0;  // on communicators that are neither this one nor derived, with no death here
    int tag_ = 0;
    bool renewing_ = false;
    bool dying_ = false;           // the failure plan told this PE to die
    bool failed_ = false;          // this PE has thrown ProcessFailure and must shrink next
    bool failure_agreed_ = false;  // the last agreement on this communicator found a failure; the renewal comes next
    Clock::time_point last_success_ = Clock::now();
};

}  // namespace regraft::ft
#pragma GCC visibility pop
