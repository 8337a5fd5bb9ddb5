// Begin and end: MPI_Init, MPI_Finalize and settings.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "launch/preload.h"
#include "launch/rank.h"
#include "regraft/core/errors.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "shield/calls/communicators/attributes.hpp"
#include "shield/calls/messages/buffered.hpp"
#include "shield/calls/start/surroundings.hpp"
#include "shield/calls/start/warnings.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/lanes/hidden.hpp"
#include "shield/session/report.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

/// Runs before MPI_Init. Sets what the launcher sets, for jobs without it.
__attribute__((constructor)) void set_parameters() {
    static_cast<void>(setenv("OMPI_MCA_async_mpi_finalize", "1", 0));
    static_cast<void>(setenv("OMPI_MCA_mpi_add_procs_cutoff", "1000000", 0));
    static_cast<void>(setenv("OMPI_MCA_coll", "^han,cuda,hcoll,portals4", 0));
    static_cast<void>(setenv("OMPI_MCA_coll_ftagree_era_topology", "3", 0));
    static_cast<void>(setenv("OMPI_MCA_mpi_event_tick_rate", "1000", 0));
}

/// The part of a failure plan that concerns the shield: the program may have points of its own.
std::string own_deaths(std::string_view plan) {
    std::istringstream items{std::string(plan)};
    std::string own;
    for (std::string item; std::getline(items, item, ',');)
        if (item.starts_with("shield:")) own += (own.empty() ? "" : ",") + item;
    return own;
}

void read_environment() {
    try {
        session().policy = policy_of_environment();
        char const* const deaths = std::getenv("REGRAFT_FAIL");
        auto const plan = own_deaths(deaths == nullptr ? "" : deaths);
        if (!plan.empty()) ft::set_failure_plan(ft::parse_failure_plan(plan));
    } catch (InputError const& error) {
        std::fprintf(stderr, "regraft-shield: %s\n", error.what());
        // All ranks come here: the job ends with their code, not because one died in MPI_Init.
        regraft_rank_has_left();
        session().finalized = getpid();
        std::exit(2);
    }
}

/// Ends the job, or lets the program continue without a shield.
void do_without_shield(std::string const& why, int rank) {
    bool const ends = session().policy.unsupported == Unsupported::end_job;
    if (rank == 0 && ends)
        refuse("MPI_Init", why + "; REGRAFT_SHIELD_UNSUPPORTED=pass lets the program go on without the shield");
    if (rank == 0) say("MPI_Init", why + "; the program goes on without the shield");
    if (ends) PMPI_Barrier(MPI_COMM_WORLD);  // waits until the first rank ends the job
}

void note(Repair::Step step) {
    Watchdog::note(step);
    if (step == Repair::Step::done) Waiting::renew();
}

void start_shield(int rank) {
    auto& it = session();
    reach(call_points.start, PeId{static_cast<std::uint32_t>(rank)});
    try {
        it.shield = std::make_unique<Shield>(ShieldOptions{.commit = {.always_confirm = it.policy.always_confirms},
                                                           .on_error = handler_of_faces(),
                                                           .on_step = note,
                                                           .on_uninterruptible = Watchdog::note_uninterruptible});
    } catch (DeathInStart const&) {
        end_job(static_cast<int>(Exit::died_in_init), "MPI_Init",
                "a rank died before all ranks had left MPI_Init, and the shield cannot start without it");
    }
}

void start() {
    auto& it = session();
    int rank = 0;
    int size = 0;
    read_environment();
    regraft_preload_leave();  // loading the shield and MPI takes 50 times as long as starting a shell
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    it.board = std::make_unique<Board>(rank, size);
    Entry::show(&it.board->mine().family);
    if (auto const why = what_is_in_the_way(); !why.empty()) return do_without_shield(why, rank);
    tell_warnings_once();
    it.notices.resize(static_cast<std::size_t>(size));
    start_shield(rank);
    Waiting::show_at(it.board->mine());
    it.begin = PMPI_Wtime();
    if (it.policy.watchdog > 0) it.watchdog = std::make_unique<Watchdog>(std::chrono::seconds(it.policy.watchdog));
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
    regraft_rank_enters();
    int const code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) start();  // it also waits for all members
    regraft_rank_has_left();
    return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    regraft_rank_enters();
    int const code =
        PMPI_Init_thread(argc, argv, required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED, provided);
    if (code == MPI_SUCCESS) start();  // it also waits for all members
    regraft_rank_has_left();
    return code;
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* made) {
    if (session().shield == nullptr) read_environment();
    int const code =
        unsupported("MPI_Session_init", nullptr, MPI_ERR_UNSUPPORTED_OPERATION,
                    "a session has no MPI_COMM_WORLD, from which the shield makes communicators of the living ranks");
    return code != MPI_SUCCESS ? code : PMPI_Session_init(info, handler, made);
}

int MPI_Finalize() {
    if (auto& it = session(); it.shield != nullptr) {
        delete_attributes_of_self();
        finish_buffered_sends();
        {
            Waiting waiting;
            waiting.go_on([] { return 0; });
            it.shield->finish();
        }
        Entry::credit_current();
        end_job_if_too_few("MPI_Finalize");
        report_all();
        it.watchdog.reset();
        it.shield.reset();
    }
    int const code = PMPI_Finalize();
    session().finalized = getpid();
    return code;
}
}
