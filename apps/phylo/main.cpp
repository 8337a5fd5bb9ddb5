// regraft-phylo: maximum-likelihood tree search that survives the death of ranks.
#include <mpi.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "common/program.hpp"
#include "common/spinning.hpp"
#include "input/check.hpp"
#include "job/job.hpp"
#include "job/job_files.hpp"
#include "job/stop.hpp"
#include "options/failure_draw.hpp"
#include "options/options.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/launcher.hpp"
#include "together/shared_input_error.hpp"
#include "trees/tree_commands.hpp"

namespace {

using namespace regraft;
using namespace regraft::phylo;

/// Under a launcher standard error is a pipe even on a terminal; REGRAFT_PROGRESS says that there is a terminal.
Log::Voice voice() {
    bool const terminal = isatty(STDERR_FILENO) != 0 || std::getenv("REGRAFT_PROGRESS") != nullptr;
    return terminal ? Log::Voice::lines_and_progress : Log::Voice::lines;
}

void plan_failures(ft::Communicator const& comm, std::string const& plan) {
    auto deaths = ft::parse_failure_plan(plan);
    for (auto const& death : deaths) {
        if (value(death.victim) < comm.num_founders()) continue;
        throw InputError("failure plan: there is no rank " + std::to_string(value(death.victim)) + " among " +
                         std::to_string(comm.num_founders()));
    }
    ft::set_failure_plan(std::move(deaths));
}

void run(ft::Communicator& comm, Options const& options) {
    std::string plan = options.for_tests.fail;
    if (auto const draw = parse_failure_draw(options.for_tests.fail)) {
        ft::set_failure_plan({});  // makes the points count their occurrences
        Job(comm, options, "", Context::Output::none, Log::Voice::silent).run();
        plan = ft::to_string(draw_failures(comm, *draw));
        if (comm.leads()) fmt::print("{} drawn: --fail {}\n", options.for_tests.fail, plan);
    }
    plan_failures(comm, plan);
    Job(comm, options, plan, Context::Output::files, voice()).run();
}

/// The deaths that the environment plans; empty: none.
std::string planned_deaths() {
    char const* const planned = std::getenv("REGRAFT_FAIL");
    return planned == nullptr ? "" : planned;
}

/// Whether regraft-run has started this job before: --redo has done its work then.
bool is_restart() {
    char const* const number = std::getenv("REGRAFT_RESTART");
    return number != nullptr && std::string_view(number) != "0";
}

void complain(std::exception const& error) {
    fmt::print(stderr, "regraft-phylo: {}\n", error.what());
}

int say(Parsed const& parsed) {
    return common::guarded("regraft-phylo", [&] { return common::end_with(parsed.message, parsed.exit_code); });
}

bool is_done_without_mpi(Parsed const& parsed) {
    if (!parsed.options && !parsed.trees) return true;
    bool const computes_alone = parsed.trees || parsed.options->command == Command::check;
    return computes_alone && planned_deaths().empty() && (!parsed.options || parsed.options->for_tests.fail.empty());
}

/// Runs in one process and returns the exit code. MPI_Init alone takes a second, so it is left out.
int run_without_mpi(Parsed const& parsed) {
    if (!parsed.options && !parsed.trees) return say(parsed);
    return common::guarded("regraft-phylo", [&] {
        if (parsed.options) return check(nullptr, *parsed.options);
        run(nullptr, *parsed.trees);
        return 0;
    });
}

/// Runs with MPI and returns the exit code. `founder`: rank in MPI_COMM_WORLD.
int run_with_mpi(Parsed& parsed, int founder) {
    if (!parsed.options && !parsed.trees) return founder == 0 ? say(parsed) : parsed.exit_code;
    if (parsed.options) catch_stop_signals();
    ft::Communicator comm(MPI_COMM_WORLD);
    try {
        if (parsed.trees) {
            plan_failures(comm, planned_deaths());
            run(&comm, *parsed.trees);
            return 0;
        }
        auto& options = *parsed.options;
        if (options.for_tests.fail.empty()) options.for_tests.fail = planned_deaths();
        options.output.is_restart = is_restart();
        if (options.input.msa == "-" && comm.size() > 1)
            throw InputError("--msa: only a job of one rank reads standard input; expected a file");
        if (options.command == Command::check) {
            plan_failures(comm, options.for_tests.fail);
            return check(&comm, options);
        }
        run(comm, options);
        return 0;
    } catch (InputError const& error) {
        if (comm.leads()) complain(error);
        return 2;
    } catch (SharedFailure const& error) {
        if (comm.leads()) complain(error);
        return 1;
    } catch (ft::Divergence const& error) {
        if (comm.leads()) complain(error);
        return 1;
    } catch (Stopped const&) {
        return exit_code_to_continue;
    } catch (Completed const&) {
        return 0;
    } catch (ft::Departed const&) {
        return 0;  // silent, as a dead rank is
    } catch (std::exception const& error) {
        // Only this rank is known to have a problem. The others survive its immediate death. MPI_Abort would leave them
        // waiting, because a fault-tolerant launcher does not end their job.
        fmt::print(stderr, "regraft-phylo: rank {}: {}\n", founder, error.what());
        if (comm.size() > 1) std::abort();
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));  // a file that grows too large is an ordinary error
    auto parsed = parse_command_line(argc, argv);
    bool const alone = !ft::has_launcher();
    if (alone && is_done_without_mpi(parsed)) return run_without_mpi(parsed);
    common::limit_spinning(argv);
    if (alone) {
        // A process that is alone needs no network. Searching for some takes most of a second, and UCX takes 3 MiB.
        static_cast<void>(setenv("OMPI_MCA_btl", "self", 0));
        static_cast<void>(setenv("OMPI_MCA_pml", "ob1", 0));
    }
    MPI_Init(&argc, &argv);
    int founder = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &founder);
    int code = 1;
    try {
        code = run_with_mpi(parsed, founder);
    } catch (ft::WrongLauncher const& error) {
        if (founder == 0) complain(error);
        code = 2;
    } catch (std::exception const& error) {
        fmt::print(stderr, "regraft-phylo: rank {}: {}\n", founder, error.what());
    }
    MPI_Finalize();
    return code;
}
