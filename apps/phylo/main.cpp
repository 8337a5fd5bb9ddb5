// regraft-phylo: maximum-likelihood tree search that survives the death of ranks.
#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <unistd.h>

#include "failure_draw.hpp"
#include "job.hpp"
#include "options.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"

namespace {

using namespace regraft;
using namespace regraft::phylo;

/// Under a launcher standard error is a pipe even on a terminal; REGRAFT_PROGRESS says that there is one.
Log::Voice voice() {
    bool const terminal = isatty(STDERR_FILENO) != 0 || std::getenv("REGRAFT_PROGRESS") != nullptr;
    return terminal ? Log::Voice::lines_and_progress : Log::Voice::lines;
}

void run(ft::Communicator& comm, Options options) {
    char const* const planned = std::getenv("REGRAFT_FAIL");
    if (options.fail.empty() && planned != nullptr) options.fail = planned;
    std::string plan = options.fail;
    if (auto const draw = parse_failure_draw(options.fail)) {
        ft::set_failure_plan({});  // count the points
        Job(comm, options, "", Job::Output::none, Log::Voice::silent).run();
        plan = ft::to_string(draw_failures(comm, *draw));
        if (comm.leads()) fmt::print("{} drawn: --fail {}\n", options.fail, plan);
    }
    ft::set_failure_plan(ft::parse_failure_plan(plan));
    Job(comm, options, plan, Job::Output::files, voice()).run();
}

/// The exit code. `founder`: rank in MPI_COMM_WORLD.
int guarded(int argc, char** argv, int founder) {
    auto const parsed = parse_command_line(argc, argv);
    if (!parsed.options) {
        if (founder == 0) fmt::print(parsed.exit_code == 0 ? stdout : stderr, "{}", parsed.message);
        return parsed.exit_code;
    }
    ft::Communicator comm(MPI_COMM_WORLD);
    try {
        run(comm, *parsed.options);
        return 0;
    } catch (InputError const& error) {
        if (comm.leads()) fmt::print(stderr, "regraft-phylo: {}\n", error.what());
        return 2;
    } catch (ft::Departed const&) {
        return 0;  // as silent as a dead rank
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int founder = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &founder);
    int code = 1;
    try {
        code = guarded(argc, argv, founder);
    } catch (std::exception const& error) {
        fmt::print(stderr, "regraft-phylo: rank {}: {}\n", founder, error.what());
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return code;
}
