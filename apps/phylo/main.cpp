// regraft-phylo: maximum-likelihood tree search that survives the death of ranks.
#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "check.hpp"
#include "exit_code.hpp"
#include "failure_draw.hpp"
#include "job.hpp"
#include "options.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"
#include "stop.hpp"

namespace {

using namespace regraft;
using namespace regraft::phylo;

/// Under a launcher standard error is a pipe even on a terminal; REGRAFT_PROGRESS says that there is one.
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
    std::string plan = options.fail;
    if (auto const draw = parse_failure_draw(options.fail)) {
        ft::set_failure_plan({});  // count the points
        Job(comm, options, "", Job::Output::none, Log::Voice::silent).run();
        plan = ft::to_string(draw_failures(comm, *draw));
        if (comm.leads()) fmt::print("{} drawn: --fail {}\n", options.fail, plan);
    }
    plan_failures(comm, plan);
    Job(comm, options, plan, Job::Output::files, voice()).run();
}

/// The exit code. `founder`: rank in MPI_COMM_WORLD.
int guarded(int argc, char** argv, int founder) {
    auto parsed = parse_command_line(argc, argv);
    if (!parsed.options && !parsed.trees) {
        if (founder == 0) fmt::print(parsed.exit_code == 0 ? stdout : stderr, "{}", parsed.message);
        return parsed.exit_code;
    }
    if (parsed.options) catch_stop_signals();
    ft::Communicator comm(MPI_COMM_WORLD);
    try {
        char const* const planned = std::getenv("REGRAFT_FAIL");
        if (parsed.trees) {
            plan_failures(comm, planned != nullptr ? planned : "");
            run(comm, *parsed.trees);
            return 0;
        }
        auto& options = *parsed.options;
        if (options.fail.empty() && planned != nullptr) options.fail = planned;
        if (options.msa == "-" && comm.size() > 1)
            throw InputError("--msa: only a job of one rank reads standard input; expected a file");
        if (options.command == Command::check) {
            plan_failures(comm, options.fail);
            return check(comm, options);
        }
        run(comm, options);
        return 0;
    } catch (InputError const& error) {
        if (comm.leads()) fmt::print(stderr, "regraft-phylo: {}\n", error.what());
        return 2;
    } catch (ft::Divergence const& error) {
        if (comm.leads()) fmt::print(stderr, "regraft-phylo: {}\n", error.what());
        return 1;
    } catch (Stopped const&) {
        return exit_code_to_continue;
    } catch (ft::Departed const&) {
        return 0;  // as silent as a dead rank
    } catch (std::exception const& error) {
        // Only this rank is known to be in trouble. Dying at once is what the others survive; MPI_Abort would leave
        // them waiting, since a fault-tolerant launcher does not end their job.
        fmt::print(stderr, "regraft-phylo: rank {}: {}\n", founder, error.what());
        if (comm.size() > 1) std::abort();
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int founder = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &founder);
    ExitCode const exit_code(founder);
    int code = 1;
    try {
        code = guarded(argc, argv, founder);
    } catch (std::exception const& error) {
        fmt::print(stderr, "regraft-phylo: rank {}: {}\n", founder, error.what());
    }
    MPI_Finalize();
    return exit_code.told(code);
}
