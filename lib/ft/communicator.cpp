#include "regraft/ft/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <span>
#include <utility>

#include <unistd.h>

#include "ft/alone.hpp"
#include "ft/backend.hpp"
#include "ft/renewal.hpp"
#include "ft/settings.hpp"
#include "ft/unchecked.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/ft/derived.hpp"

namespace regraft::ft {
namespace {

constexpr std::uint32_t no_failure = 1U << 2 * backend::hash_bits;  // the bit above is the sign of MPI's int
constexpr std::uint32_t payload = no_failure - 1;

constexpr std::uint32_t most_failures_elsewhere = 10;

FailPhase agree_phase("agree", Moment::during_next_call);
FailPhase shrink_phase("shrink", Moment::during_next_call);

std::string text_of(int code) {
    std::vector<char> text(MPI_MAX_ERROR_STRING + 1);
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return text.data();
}

}  // namespace

bool survives_real_deaths() {
    return backend::deaths_are_real();
}

Communicator::Communicator(MPI_Comm parent, CommunicatorOptions options) : unchecked_(std::make_unique<Unchecked>()) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_size(parent, &size);
    if (auto const complaint = complaint_about_launcher(size); survives_real_deaths() && !complaint.empty())
        throw WrongLauncher(complaint);
    if (options.ignore_sigpipe) static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    warn_about_settings(parent);
    if (size == 1) forget_shared_file_if_alone();
    explain_early_ends();
    int same = MPI_UNEQUAL;
    MPI_Comm_compare(parent, MPI_COMM_WORLD, &same);
    spans_world_ = same == MPI_IDENT || same == MPI_CONGRUENT;
    if (spans_world_) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    self_ = PeId{checked_cast<std::uint32_t>(rank)};
    num_founders_ = checked_cast<std::uint32_t>(size);
    for (std::uint32_t i = 0; i < num_founders_; ++i) members_.push_back(PeId{i});
    renew(parent);  // not MPI_Comm_dup: a shrink works even if a member has died already
    unchecked_->learn_how_errors_return(comm_);
    if (reporting() == nullptr) set_reporting(this);
}

Communicator::~Communicator() {
    REGRAFT_EXPECTS(derived_.empty() && "communicators that are derived from one are destroyed before it");
    if (reporting() == this) set_reporting(nullptr);
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) static_cast<void>(tell_unchecked());
    if (finalized == 0 && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

std::size_t Communicator::position(PeId pe) const {
    auto const found = std::lower_bound(members_.begin(), members_.end(), pe);
    REGRAFT_EXPECTS(found != members_.end() && *found == pe);
    return static_cast<std::size_t>(found - members_.begin());
}

void Communicator::check(int code, char const* call) {
    code = unchecked_->returned(code);
    if (code == MPI_SUCCESS) {
        last_success_ = Clock::now();
        return;
    }
    bool const is_ours = unchecked_->error().has_value();
    dismiss_errors();
    if (backend::tells_process_failure(code)) {
        if (!is_ours) note_stranger(call);
        fail(call);
    }
    throw MpiError(std::string(call) + ": " + text_of(code));
}

void Communicator::check(int code, std::span<MPI_Status const> statuses, char const* call) {
    code = unchecked_->returned(code);
    if (code == MPI_ERR_IN_STATUS) {
        for (auto const& status : statuses) {
            if (status.MPI_ERROR == MPI_SUCCESS || status.MPI_ERROR == MPI_ERR_PENDING) continue;
            code = status.MPI_ERROR;
            if (backend::tells_process_failure(code)) break;
        }
    }
    check(code, call);
}

/// A call has failed on a communicator that MPI did not report as one of ours. If a member has died, that may be the
/// reason; otherwise no recovery can help.
void Communicator::note_stranger(char const* call) {
    if (backend::knows_of_deaths(comm_) || backend::is_revoked(comm_)) return;
    if (++failures_elsewhere_ != 1) return;
    static_cast<void>(std::fprintf(
        stderr,
        "regraft: rank %u: %s failed on a communicator that the library does not know, such as MPI_COMM_WORLD, which "
        "keeps its dead ranks: calls belong on native(), or on communicators that ft::split, dup or cart derive\n",
        value(self_), call));
}

void Communicator::dismiss_errors() {
    unchecked_->forget();
}

/// Whether a death was overlooked. Results of an interrupted call must not be used.
bool Communicator::tell_unchecked() const {
    auto const& error = unchecked_->error();
    if (!error || failed_) return false;
    static_cast<void>(std::fprintf(stderr,
                                   "regraft: rank %u: %s failed (%s), but its return code did not go through check()\n",
                                   value(self_), error->call.c_str(), text_of(error->code).c_str()));
    return backend::tells_process_failure(error->code);
}

void Communicator::declare_failure(char const* call) {
    fail(call);
}

void Communicator::look_for_failures() {
    int arrived = 0;  // the probe makes MPI read its news, and fails if the communicator was revoked
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
    if (backend::knows_of_deaths(comm_)) fail("a look for failures");
}

bool Communicator::agree(bool mine) {
    return agree_bits(mine ? 1 : 0) != 0;
}

bool Communicator::agree_equal(std::uint64_t hash) {
    return backend::was_equal(agree_bits(backend::with_complement(hash)));
}

/// Bitwise AND over the members of the bits below no_failure.
std::uint32_t Communicator::agree_bits(std::uint32_t mine) {
    REGRAFT_EXPECTS(!failed_ && "after a ProcessFailure comes shrink()");
    // Before any call of MPI, which may block while the other thread is in one.
    bool const another_thread_is_here = unchecked_->in_agreement.test_and_set();
    REGRAFT_EXPECTS(!another_thread_is_here && "threads use a communicator each");
    struct End {
        std::atomic_flag& flag;
        ~End() { flag.clear(); }
    } const end{unchecked_->in_agreement};
    if (tell_unchecked()) fail(unchecked_->error()->call + ", whose return code did not go through check()");
    // Small messages to the dead succeed, so this PE may have been told of a death although none of its calls failed.
    if (backend::knows_of_deaths(comm_)) fail("MPIX_Comm_agree");
    dismiss_errors();
    reach(agree_phase.before);
    reach(agree_phase.inside);
    int bits = static_cast<int>(mine | no_failure);
    backend::agree(comm_, &bits);
    if (!survives_real_deaths() && unchecked_->error())
        throw MpiError("an agreement: " + text_of(unchecked_->error()->code));
    dismiss_errors();  // the return code of an agreement of ULFM means nothing
    auto const result = static_cast<std::uint32_t>(bits);
    if ((result & no_failure) == 0) {
        failure_agreed_ = true;
        fail("MPIX_Comm_agree");
    }
    last_success_ = Clock::now();
    reach(agree_phase.after);
    return result & payload;
}

std::vector<PeId> Communicator::shrink() {
    if (!failure_agreed_) {
        int bits = 0;  // a vote for the failure, in the agreement that the others are in
        revoke();
        backend::agree(comm_, &bits);
        failure_agreed_ = true;
    }
    auto const before = members_;
    MPI_Comm damaged = comm_;
    renew(damaged);
    MPI_Comm_free(&damaged);
    for (auto* const derived : derived_) derived->make();
    std::vector<PeId> lost;
    std::set_difference(before.begin(), before.end(), members_.begin(), members_.end(), std::back_inserter(lost));
    if (!lost.empty()) failures_elsewhere_ = 0;
    if (lost.empty() && survives_real_deaths() && !agree(failures_elsewhere_ < most_failures_elsewhere)) {
        throw EndlessRecovery(
            std::to_string(most_failures_elsewhere) +
            " recoveries in a row found that nobody had died: a call fails again and again on a communicator that still "
            "has dead ranks, such as MPI_COMM_WORLD; in the body of ft::resilient calls belong on native() of the "
            "Communicator, or on communicators derived from it");
    }
    return lost;
}

void Communicator::renew(MPI_Comm damaged) {
    renewing_ = true;
    reach(shrink_phase.before);
    reach(shrink_phase.inside);
    std::vector<int> leaving;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
        bool const leaves = std::find(leaving_.begin(), leaving_.end(), members_[rank]) != leaving_.end();
        if (leaves) leaving.push_back(checked_cast<int>(rank));
    }
    bool const leaves = std::find(leaving_.begin(), leaving_.end(), self_) != leaving_.end();
    for (int attempt = 1;; ++attempt) {
        MPI_Comm next = backend::shrink(damaged, spans_world_, leaving);
        if (leaves) throw Departed();
        if (auto members = introduce(damaged, next, self_, members_)) {
            comm_ = next;
            unchecked_->watch(comm_);
            members_ = std::move(*members);
            break;
        }
        if (next != MPI_COMM_NULL) MPI_Comm_free(&next);
        if (attempt == most_renewals) throw MpiError("MPIX_Comm_shrink failed many times in a row");
    }
    leaving_.clear();
    dismiss_errors();
    ++epoch_;
    tag_ = 0;
    failure_agreed_ = false;
    failed_ = false;
    last_success_ = Clock::now();
    reach(shrink_phase.after);
    renewing_ = false;
}

void Communicator::reach(FailPoint& point) {
    while (dying_)
        pause();  // the death during the last call may come a moment late, but nothing happens after that
                  // call
    auto const victims = point.victims_now();
    if (victims.empty() && leaving_.empty()) return;
    if (backend::deaths_are_real()) {
        dying_ = std::find(victims.begin(), victims.end(), self_) != victims.end();
        if (dying_) backend::die(point.moment());
        return;
    }
    auto const living = [&](PeId pe) { return std::find(members_.begin(), members_.end(), pe) != members_.end(); };
    std::copy_if(victims.begin(), victims.end(), std::back_inserter(leaving_), living);
    if (leaving_.empty() || renewing_) return;  // victims of a renewal leave in it, or at the next point after it
    failure_agreed_ = true;                     // all members are here and know
    if (std::find(leaving_.begin(), leaving_.end(), self_) != leaving_.end()) renew(comm_);  // throws Departed
    fail("a simulated death at " + point.name());
}

/// Wakes PEs that are in a call on this communicator or a derived one, or wait for a message there.
void Communicator::revoke() const {
    backend::revoke(comm_);
    for (auto const* derived : derived_) {
        if (derived->native() != MPI_COMM_NULL) backend::revoke(derived->native());
    }
}

void Communicator::fail(std::string call) {
    revoke();
    failed_ = true;
    double const silence = milliseconds_since(last_success_);
    throw ProcessFailure(std::move(call), silence);
}

}  // namespace regraft::ft
