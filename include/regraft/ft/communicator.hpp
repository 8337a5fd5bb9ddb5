// A communicator that survives the death of its PEs: errors become exceptions, agreements are uniform, shrink goes on.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/failure_plan.hpp"

namespace regraft::ft {

/// Marks exceptions that are thrown on all survivors alike, which therefore may leave the body of ft::resilient. To be
/// derived from beside std::exception.
class Uniform {
public:
    virtual ~Uniform() = default;
};

/// A member died. Some PEs may see it earlier than others, in different calls; Communicator::shrink brings them
/// together. No std::exception, so that a handler of errors around a collective does not swallow it. Caught by
/// ft::resilient: a collective outside of its body and recovery throws it out of main, on all survivors.
class ProcessFailure {
public:
    ProcessFailure(std::string call, double silence_ms) : call_(std::move(call)), silence_ms_(silence_ms) {}
    /// The call that noticed it.
    std::string const& call() const { return call_; }
    /// Milliseconds since the last call on the communicator that succeeded: an upper bound for the time to notice.
    double silence_ms() const { return silence_ms_; }

private:
    std::string call_;
    double silence_ms_;
};

/// Any other error that MPI returned. Not survivable.
class MpiError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Members that must compute alike did not, as an agreement found: a bug, or different hardware. Thrown on all alike.
class Divergence : public MpiError, public Uniform {
public:
    using MpiError::MpiError;
};

/// Thrown on a PE whose death is simulated (MPIs without ULFM): unwind, call MPI_Finalize, and leave without a result.
class Departed {};

/// Whether deaths are real (ULFM) or simulated by leaving at a point of the failure plan. Chosen when linking.
bool survives_real_deaths();

struct CommunicatorOptions {
    bool ignore_sigpipe = true;  // over TCP a survivor would die of SIGPIPE when its peer vanishes while it sends
};

class Derived;
class Unchecked;

/// Owns a communicator made from the parent. PeIds are ranks in the parent and never change.
///
/// The protocol behind it: on each communicator all agreements answer "no failure" until the first that does not; after
/// that one everybody shrinks. A PE that sees a failure elsewhere first votes for it, so nobody waits in an agreement
/// alone. Not thread-safe.
class Communicator {
public:
    /// Collective over the parent, whose dead members are left out. Sets MPI_ERRORS_RETURN on it and on MPI_COMM_SELF.
    /// The first of a process says on stderr, on one PE, with which settings of MPI survivors may hang.
    explicit Communicator(MPI_Comm parent, CommunicatorOptions options = {});
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;
    ~Communicator();

    PeId self() const { return self_; }
    /// The living PEs in increasing order: position = rank in native().
    std::span<PeId const> members() const { return members_; }
    std::size_t size() const { return members_.size(); }
    /// Where pe is among them. Precondition: pe is a member. O(log size).
    std::size_t position(PeId pe) const;
    /// How many PEs the parent had.
    std::uint32_t num_founders() const { return num_founders_; }
    /// Whether this is the first of the living PEs: the one that writes files and talks to people.
    bool leads() const { return members_.front() == self_; }
    /// How many times the communicator was renewed, its making included: 1 at first, one more after each shrink().
    std::uint32_t epoch() const { return epoch_; }
    /// A tag for point-to-point messages on native(): members that ask equally often get the same, another one each
    /// time (of 32767).
    int next_tag() { return tag_ = tag_ % 32767 + 1; }
    /// For MPI calls whose return code goes through check(). Valid until shrink(). Tags from 1 to 32767 are taken.
    /// An error that does not is noted: the next agreement, which all collectives of the library come to, says on
    /// stderr which call it was, and if it was a death throws ProcessFailure. Else the destructor says so.
    MPI_Comm native() const { return comm_; }

    /// Turns MPI's return code into an exception: ProcessFailure (after revoking, so that all others notice) or
    /// MpiError.
    void check(int code, char const* call);
    /// The same for calls that fill statuses (MPI_Waitall, ...), each of which counts if code is MPI_ERR_IN_STATUS; the
    /// death of a process goes before other errors.
    void check(int code, std::span<MPI_Status const> statuses, char const* call);
    /// In place of check(), where the caller has dealt with the error by itself.
    void dismiss_errors();
    /// For what only a death explains although no call returned it, such as data that are not what was sent: revokes,
    /// so that all others notice, and throws ProcessFailure.
    /// Without a death it calls all members together: they come to the recovery, and nobody is missing.
    [[noreturn]] void declare_failure(char const* call);
    /// Throws ProcessFailure if a member has died or has noticed a failure, as far as this PE has been told: for who
    /// computes for long without a call. About a microsecond. Not collective.
    void look_for_failures();

    /// Returns when all living members have come here. Collective, uniform: all survivors return, or all throw
    /// ProcessFailure, if any of them has noticed a failure before. An agreement does not notice a death by itself: the
    /// dead do not vote, so all may return although a member has died. As a star, which is the only safe topology, it
    /// takes O(members) messages at its root. Precondition of this and the next two: no ProcessFailure was thrown since
    /// the last shrink().
    void agree() { static_cast<void>(agree(true)); }
    /// Whether all members say `mine`. Collective, uniform as agree().
    [[nodiscard]] bool agree(bool mine);
    /// Whether all members give the same hash, as far as 15 of its bits tell. Collective, uniform as agree().
    [[nodiscard]] bool agree_equal(std::uint64_t hash);

    /// Renews the communicator without the dead and returns who they are. Collective over survivors, uniform; all of
    /// them have the same members afterwards (verified by agreement). Survivors may come here from different places.
    /// Communicators derived from it (Derived) are made again. O(members) bytes and a handful of agreements.
    [[nodiscard]] std::vector<PeId> shrink();

    /// Dies here if the failure plan says so. With simulated deaths every member must come to the same points in the
    /// same order; then the victim throws Departed and the others ProcessFailure.
    void reach(FailPoint& point);

private:
    friend class Derived;
    using Clock = std::chrono::steady_clock;

    std::uint32_t agree_bits(std::uint32_t mine);
    bool tell_unchecked() const;
    void renew(MPI_Comm damaged);
    void revoke() const;
    [[noreturn]] void fail(std::string call);

    std::unique_ptr<Unchecked> unchecked_;  // on this communicator and those derived from it
    MPI_Comm comm_ = MPI_COMM_NULL;
    bool spans_world_ = false;  // at first, in the order of MPI_COMM_WORLD
    std::vector<Derived*> derived_;
    PeId self_{};
    std::uint32_t num_founders_ = 0;
    std::vector<PeId> members_;
    std::vector<PeId> leaving_;  // simulated deaths that the next renewal carries out
    std::uint32_t epoch_ = 0;
    int tag_ = 0;
    bool renewing_ = false;
    bool dying_ = false;           // told to, by the failure plan
    bool failed_ = false;          // this PE has thrown ProcessFailure: next comes shrink
    bool failure_agreed_ = false;  // the last agreement on this communicator said so: next comes the renewal
    Clock::time_point last_success_ = Clock::now();
};

}  // namespace regraft::ft
