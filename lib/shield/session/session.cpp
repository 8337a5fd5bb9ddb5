#include "shield/session/session.hpp"

#include <cstdio>
#include <string_view>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "launch/rank.h"
#include "shield/engine/collective.hpp"

namespace regraft::shield {
namespace {

/// Notes the processes that repairs found dead since the last crediting.
void notice_repairs(Session& it, Family const& family) {
    for (auto const& repair : it.shield->repairs()) {
        if (repair.number <= it.credited.repairs) continue;
        for (auto const dead : repair.dead) {
            auto& notice = it.notices[value(dead)];
            auto const when = repair.begin - it.begin;
            if (!repair.was_called && when < notice.when) notice = {when, family.number, 0};
            notice.repair = static_cast<int>(repair.number);
        }
    }
}

std::string the_dead(Lane const& lane) {
    std::string ranks;
    int count = 0;
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank)
        if (!lane.lives(rank)) ranks += (count++ == 0 ? "" : ", ") + std::to_string(rank);
    return count == 1 ? "rank " + ranks + " is dead" : "ranks " + ranks + " are dead";
}

/// Whether all members contribute to the results of such calls, which then have no places of the dead.
bool combines(std::string_view call) {
    return call.find("educe") != std::string_view::npos || call.find("scan") != std::string_view::npos ||
           call.find("Scan") != std::string_view::npos;
}

/// Whether the call starts prepared requests, whose calls are unknown.
bool are_prepared(std::string_view call) {
    return call.starts_with("MPI_Start");
}

char const* what_holes_are(Policy const& policy) {
    if (!policy.fills_holes) return "as they were";
    return policy.hole == std::byte{0} ? "zeros" : "all ones";
}

void say_what_is_missing(Family& family, Lane const& lane, int root, bool has_holes) {
    bool const has_root = root == no_root || lane.lives(root);
    int const speaker = root != no_root && has_root ? root : lane.living.front();
    if (speaker != lane.self) return;
    if (!has_root) {
        say_once(family, "rank " + std::to_string(root) + ", its root, is dead: the call is left out");
    } else if (has_holes) {
        say_once(family, the_dead(lane) + ": places of the dead are " + what_holes_are(session().policy));
    } else if (combines(family.name)) {
        say_once(family, the_dead(lane) + " and missing in the result");
    } else if (are_prepared(family.name)) {
        say_once(family, the_dead(lane) + " and missing in the operations that it starts");
    }
}

/// MPI reports errors of calls without a communicator to MPI_COMM_WORLD.
void hear(MPI_Comm* face, int* code, ...) {
    Entry::note_error({*code, *face});
    auto* const lane = Entry::current() == nullptr ? lane_of(*face) : nullptr;
    if (lane != nullptr) raise_error(*lane, *code);
}

}  // namespace

constinit Immortal immortal;

void Session::credit(Family& family) {
    family.counts += std::exchange(counts, {});
    has_counted = false;
    if (shield == nullptr) return;
    auto const& now = shield->statistics();
    family.counts.forwarded += now.forwarded - credited.forwarded;
    family.counts.collected += now.collected - credited.collected;
    family.counts.committed += now.committed - credited.committed;
    family.counts.restarted += now.restarted - credited.restarted;
    family.counts.repeated += now.repeated - credited.repeated;
    bool const repaired = now.repairs != credited.repairs;
    if (repaired) notice_repairs(*this, family);
    credited = now;
    if (repaired) end_job_if_too_few(family.name);
}

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    return error_class;
}

MPI_Errhandler handler_of_faces() {
    static MPI_Errhandler const handler = [] {
        MPI_Errhandler made = MPI_ERRORS_RETURN;
        PMPI_Comm_create_errhandler(hear, &made);
        return made;
    }();
    return handler;
}

int raise_error(Lane& lane, int code) {
    Entry::note_error({});
    // MPI_Abort, which this handler calls, leaves ranks spinning.
    bool const is_fatal = lane.handler == MPI_ERRORS_ARE_FATAL || lane.handler == MPI_ERRORS_ABORT;
    if (is_fatal && has_launcher()) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        PMPI_Error_string(code, text, &length);
        auto const* const entry = Entry::current();
        end_job(class_of(code), located(entry == nullptr ? "MPI" : entry->family().name),
                std::string(text) + "; errors are fatal", CodeOf::program);
    }
    struct Lent {
        Lane const& lane;
        explicit Lent(Lane const& to) : lane(to) { PMPI_Comm_set_errhandler(lane.face, lane.handler); }
        ~Lent() { PMPI_Comm_set_errhandler(lane.face, handler_of_faces()); }
    } const lent(lane);  // restored even if the handler throws
    PMPI_Comm_call_errhandler(lane.face, code);
    return code;
}

std::string located(char const* call) {
    auto const* const entry = Entry::current();
    bool const is_present = entry != nullptr && std::string_view(entry->family().name) == call;
    return located(call, is_present ? place_of(entry->caller()) : "");
}

std::string located(char const* call, std::string const& place) {
    return place.empty() ? call : std::string(call) + " (" + place + ")";
}

void say(std::string const& call, std::string const& what) {
    auto const& shield = session().shield;
    auto const rank = shield == nullptr ? std::string() : "rank " + std::to_string(value(shield->self())) + ": ";
    std::fprintf(stderr, "regraft-shield: %s%s: %s\n", rank.c_str(), call.c_str(), what.c_str());
    std::fflush(stderr);
}

void say_once(Family& family, std::string const& what) {
    if (!std::exchange(family.has_spoken, true)) say(family.name, what + " (said once)");
}

void say_once(std::string const& what) {
    if (auto const* const entry = Entry::current()) say_once(entry->family(), what);
}

bool has_launcher() {
    return session().board->is_shared() || regraft_rank_is_heard();
}

void end_job(int code, std::string const& call, std::string const& why, CodeOf whose) {
    constexpr int patience = 20;  // seconds in which the launcher should end the job
    auto const& board = session().board;
    bool const is_beside_launcher = board != nullptr && board->is_shared();
    bool const is_of_program = whose == CodeOf::program;
    if (!is_beside_launcher || board->end_job(code, is_of_program)) say(call, why);
    std::fflush(nullptr);
    // From another host the launcher hears of it by the connection of this rank. Ranks beside the launcher mostly come
    // to the same end of the shield's, and have the first word, because they also say whose code it is.
    if (!is_beside_launcher && !is_of_program) sleep(1);
    if (is_beside_launcher || regraft_rank_ends(is_of_program ? "aborted" : "ended", code)) sleep(patience);
    for (;;) syscall(SYS_exit_group, code);  // not by the shield's own _exit
}

void refuse(char const* call, std::string const& why) {
    end_job(static_cast<int>(Exit::refused), located(call), why);
}

void end_job_if_too_few(char const* call) {
    auto const& it = session();
    auto const living = it.shield->living().size();
    if (living >= static_cast<std::size_t>(it.policy.min_survivors)) return;
    end_job(static_cast<int>(Exit::too_few), located(call),
            std::to_string(living) +
                " ranks live, fewer than REGRAFT_SHIELD_MIN_SURVIVORS=" + std::to_string(it.policy.min_survivors));
}

int unsupported(char const* call, Lane* lane, int error, std::string const& why) {
    auto& it = session();
    if (it.policy.unsupported == Unsupported::end_job)
        refuse(call, why + "; REGRAFT_SHIELD_UNSUPPORTED=error gives the program an error, =pass tries the call");
    it.count(&Counts::refused);
    if (it.policy.unsupported == Unsupported::pass_on) return MPI_SUCCESS;
    return lane == nullptr ? error : complain(*lane, error);
}

void without_root(Lane const& lane, char const* call, int root, bool needs_its_data) {
    auto& it = session();
    auto const who = "its root, rank " + std::to_string(root) + ", is dead";
    if (needs_its_data && it.policy.needs_root)
        refuse(call, who + "; REGRAFT_SHIELD_ROOT_DEAD_FROM=hole lets the program go on without its data");
    if (!needs_its_data && !it.policy.skips_dead_root)
        refuse(call, who + "; REGRAFT_SHIELD_ROOT_DEAD_TO=skip lets the program go on");
    it.count(&Counts::skipped_roots);
    if (needs_its_data) note_hole(lane, root);
}

void note_hole(Lane const& lane, int rank) {
    auto& row = session().holes;
    auto const most = session().policy.holes_in_a_row;
    bool const is_any = rank == MPI_ANY_SOURCE;
    int const source = is_any ? MPI_ANY_SOURCE : static_cast<int>(value(lane.member(rank)));
    bool const goes_on = row.count != 0 && (is_any || row.source == MPI_ANY_SOURCE || row.source == source);
    row = {goes_on && !is_any ? row.source : source, goes_on ? row.count + 1 : 1};
    if (most == 0 || row.count < static_cast<std::uint64_t>(most)) return;
    auto const* const entry = Entry::current();
    auto const who = row.source == MPI_ANY_SOURCE ? std::string("dead ranks")
                                                  : "rank " + std::to_string(row.source) + ", which is dead,";
    refuse(entry == nullptr ? "MPI" : entry->family().name,
           std::to_string(most) + " holes of " + who +
               " have come in a row, and nothing else: the program may take them for data for ever; "
               "REGRAFT_SHIELD_HOLES_IN_A_ROW=N sets the number, and 0 allows any");
}

void without_the_dead(Lane const& lane, int root) {
    auto const* const entry = Entry::current();
    if (lane.is_whole() || entry == nullptr) return;
    bool const has_holes = session().counts.holes != 0;
    say_what_is_missing(entry->family(), lane, root, has_holes);
}

void ended_without_the_dead(Family& family, Lane const& lane, int root) {
    std::string_view const call = family.name;
    bool const has_places =
        call.find("gather") != std::string_view::npos || call.find("alltoall") != std::string_view::npos;
    say_what_is_missing(family, lane, root, has_places);
}

int send_nothing(Lane const& lane, int to) {
    auto const& policy = session().policy;
    auto const* const entry = Entry::current();
    notice_death(lane, to);
    if (policy.sends == WithDead::raise_error) return MPI_ERR_PROC_FAILED;
    auto const who = "rank " + std::to_string(to) + " is dead";
    if (policy.sends == WithDead::end_job)
        refuse(entry->family().name, who + "; REGRAFT_SHIELD_SEND_DEAD=skip leaves messages to it out");
    session().count(&Counts::skipped_sends);
    say_once(who + ": messages to it are left out");
    return MPI_SUCCESS;
}

void notice_death(Lane const& lane, int rank) {
    auto& it = session();
    auto const* const entry = Entry::current();
    if (rank < 0 || entry == nullptr) return;
    auto& notice = it.notices[value(lane.founders[static_cast<std::size_t>(rank)])];
    if (notice.when == Notice::never && notice.repair == 0)
        notice = {PMPI_Wtime() - it.begin, entry->family().number, 0};
}

}  // namespace regraft::shield
