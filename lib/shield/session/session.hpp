// The shield of this process, the choices of its user, and statistics.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "shield/engine/shield.hpp"
#include "shield/session/board.hpp"
#include "shield/session/families.hpp"
#include "shield/session/policy.hpp"
#include "shield/session/watchdog.hpp"

namespace regraft::shield {

/// How this process has learnt that a rank is dead.
struct Notice {
    static constexpr double never = 1e300;
    double when = never;  // seconds since MPI_Init
    int family = 0;       // the call in which it learnt it: index among the families
    int repair = 0;       // the repair that has left the rank behind; 0: none
};

/// Holes that the program got in a row, with nothing else between: it may spin on them for ever.
struct HolesInARow {
    int source = 0;  // in MPI_COMM_WORLD, or MPI_ANY_SOURCE
    std::uint64_t count = 0;
};

struct Session {
    Policy policy;
    HolesInARow holes;
    Counts counts;                   // counted since the last crediting; they go to the family of the present call
    bool has_counted = false;        // whether any of them was counted
    std::unique_ptr<Shield> shield;  // none: before MPI_Init, after MPI_Finalize, without ULFM, or stood aside
    std::unique_ptr<Board> board;    // from MPI_Init on
    std::unique_ptr<Watchdog> watchdog;
    std::vector<Notice> notices;  // by rank in MPI_COMM_WORLD
    double begin = 0;             // MPI_Wtime at the begin
    pid_t finalized = 0;          // the process that has called MPI_Finalize, or ends as all do: its code counts
    Statistics credited;          // the statistics at the last crediting

    void count(std::uint64_t Counts::*what) {
        ++(counts.*what);
        has_counted = true;
    }
    bool has_news() const {
        return has_counted || (shield != nullptr && shield->statistics().events != credited.events);
    }
    /// Attributes what was counted since the last crediting to calls of this family.
    void credit(Family& family);
};
/// Never destroyed: programs may call MPI until the last moment.
union Immortal {
    Session session;
    constexpr Immortal() : session() {}
    ~Immortal() {}
};
extern constinit Immortal immortal;
inline Session& session() {
    return immortal.session;
}

inline void Entry::credit() const {
    if (session().has_news()) session().credit(family_);
}

/// The lane of a communicator of the program; nullptr: it is not shielded.
inline Lane* lane_of(MPI_Comm comm) {
    auto const& shield = session().shield;
    return shield == nullptr ? nullptr : shield->lanes().find(comm);
}
/// The error class of a return code.
int class_of(int code);
/// The error handler of faces: it calls the program's error handler for errors in calls that are not intercepted.
/// Intercepted calls report their own errors.
MPI_Errhandler handler_of_faces();
/// Calls the program's error handler, and returns code.
int raise_error(Lane& lane, int code);
/// Does the same if code is an error.
inline int complain(Lane& lane, int code) {
    return code == MPI_SUCCESS ? code : raise_error(lane, code);
}

/// The return code of an intercepted call. If an error of MPI was not reported, the handler of its communicator is
/// called.
inline int told(Entry const& entry, int code) {
    auto const& untold = entry.untold();
    auto* const lane = code != MPI_SUCCESS && code == untold.code ? lane_of(untold.comm) : nullptr;
    return lane == nullptr ? code : raise_error(*lane, code);
}

/// A call with the place where the program makes it, if it is the present one: "MPI_Bcast (prog+0x1a3f; addr2line -e
/// prog 0x1a3f)".
std::string located(char const* call);
std::string located(char const* call, std::string const& place);
/// Prints one line of this rank on standard error.
void say(std::string const& call, std::string const& what);
/// The same, once for a family of calls, by default that of the present call.
void say_once(Family& family, std::string const& what);
void say_once(std::string const& what);

/// Whether there is a launcher, on this host or another.
bool has_launcher();
/// Exit codes of jobs that the shield ends.
enum class Exit { refused = 4, watchdog = 5, too_few = 6, died_in_init = 69 };
/// Ends the job: all ranks, if there is a launcher, otherwise this process. The first process that does so
/// prints the reason.
enum class CodeOf { shield, program };
[[noreturn]] void end_job(int code, std::string const& call, std::string const& why, CodeOf whose = CodeOf::shield);
[[noreturn]] void refuse(char const* call, std::string const& why);
/// Ends the job if fewer ranks live than REGRAFT_SHIELD_MIN_SURVIVORS says.
void end_job_if_too_few(char const* call);
/// Handles a call that the shield cannot carry out, as REGRAFT_SHIELD_UNSUPPORTED says. Ends the job; or gives an error
/// to the program's handler on the lane (nullptr: to none) and returns it; or returns MPI_SUCCESS: the call is to be
/// tried all the same.
int unsupported(char const* call, Lane* lane, int error, std::string const& why);

/// Handles a collective whose root is dead: counts it, or ends the job.
void without_root(Lane const& lane, char const* call, int root, bool needs_its_data);
/// Counts a hole in place of data of a dead member. If REGRAFT_SHIELD_HOLES_IN_A_ROW have come from one member, the job
/// ends. rank: in the lane, or MPI_ANY_SOURCE, which counts as any.
void note_hole(Lane const& lane, int rank);
/// Is called when a living process has sent something, or taken part in a collective.
inline void end_holes() {
    session().holes.count = 0;
}
/// Is called after a collective: if data of the dead are missing, the root says so, or the lowest living member. root:
/// a rank, or no_root.
void without_the_dead(Lane const& lane, int root);
/// The same for a nonblocking collective, which a call of this family has started.
void ended_without_the_dead(Family& family, Lane const& lane, int root);
/// Takes the place of a message to the dead. Returns MPI_SUCCESS, or an error that the program has yet to be told.
int send_nothing(Lane const& lane, int to);
/// Is called when this process finds a member dead in the present call.
void notice_death(Lane const& lane, int rank);

}  // namespace regraft::shield
