// What the example programs that survive have in common: their options, how they start and end, and their last line.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/keep.hpp"

namespace example {

using namespace regraft;

struct Options {
    std::uint64_t steps = 1;
    std::uint64_t size = 1;
    std::uint64_t seed = 1;
    std::string keep{};   // folder of each node from which the next start goes on
    std::string fail{};   // which ranks die, and where
    bool points = false;  // say where deaths can be planned
    bool times = false;   // say how long it took
};

/// Adds the options that all these programs have; each program tells what `steps` and `size` count.
inline void add_options(CLI::App& app, Options& options, std::string const& steps, std::string const& size) {
    CLI::Range const counts(std::uint64_t{1}, std::uint64_t{1} << 32);
    app.add_option("--steps", options.steps, steps)->check(counts)->capture_default_str();
    app.add_option("--size", options.size, size)->check(counts)->capture_default_str();
    app.add_option("--seed", options.seed, "of all random numbers")->capture_default_str();
    app.add_option("--fail", options.fail, "POINT:RANK:OCCURRENCE,...: ranks that die, and where");
    app.add_flag("--times", options.times, "say at the end how long everything took");
    app.add_flag("--points", options.points, "say at the end which points there are, and how often they were reached");
}

/// Adds --keep, for programs that go on if all ranks have died.
inline void add_keep(CLI::App& app, Options& options) {
    auto const has_job = [](std::string const&) {
        return store::job_of_environment().empty() ? "REGRAFT_JOB is not set, expected the name that all starts of the "
                                                     "job have, as regraft-run --restarts sets it"
                                                   : "";
    };
    app.add_option("--keep", options.keep,
                   "folder on each node, such as /dev/shm, from which the next start goes on if all ranks have died")
        ->check(CLI::ExistingDirectory)
        ->check(CLI::Validator(has_job, ""));
}

/// Where a store or a snapshot of this name keeps its bytes, if --keep is given. What was kept for another problem has
/// another name.
inline std::optional<store::Keep> keep(Options const& options, std::string const& name) {
    if (options.keep.empty()) return std::nullopt;
    auto const problem = std::to_string(options.size) + "-" + std::to_string(options.seed);
    return store::Keep{options.keep, store::job_of_environment(), name + "-" + problem};
}

/// The bits of an object such as a double, at the place of a number of bytes.
template <PlainValue T>
void put(std::span<std::byte> bytes, std::size_t index, T const& item) {
    std::memcpy(bytes.data() + index * sizeof item, &item, sizeof item);
}

/// Prints which ranks died, and how much was copied so that as much may be lost again. Not collective.
inline void print_recovery(ft::Communicator const& comm, ft::Failure const& failure, std::uint64_t bytes_copied = 0) {
    if (!comm.leads()) return;
    std::printf("%zu died in %s, %zu go on", failure.lost.size(), failure.noticed_in.c_str(), comm.size());
    if (bytes_copied > 0) std::printf("; %.1f MB copied", 1e-6 * static_cast<double>(bytes_copied));
    std::printf("\n");
}

/// Prints the time of the steps since the last recovery. Not collective.
inline void print_steps(ft::Communicator const& comm, std::uint64_t steps, double milliseconds) {
    if (!comm.leads() || steps == 0) return;
    std::printf("%llu steps in %.1f ms on %zu ranks\n", static_cast<unsigned long long>(steps), milliseconds,
                comm.size());
}

/// Prints the last line of a program: a hash of its result, by which runs are compared bit by bit. Call it at the end
/// of the body of ft::resilient: if the leader dies before it has printed it, that is a failure like any other, and the
/// next leader prints it. (The death of a rank is missed only if it has to send something: an agreement goes on without
/// the dead.) Collective, not uniform.
inline void print_result(ft::Communicator& comm, std::uint64_t hash) {
    if (comm.leads()) {
        std::printf("result %016llx\n", static_cast<unsigned long long>(hash));
        static_cast<void>(std::fflush(stdout));
    }
    std::byte said{};
    ft::broadcast(comm, std::span(&said, 1), comm.members().front());
}

inline void print_points(ft::Communicator const& comm) {
    if (!comm.leads()) return;
    for (auto const* const point : ft::fail_points()) {
        std::printf("point %s %llu\n", point->name().c_str(), static_cast<unsigned long long>(point->occurrences()));
    }
}

/// The deaths that the options plan. Throws InputError.
inline ft::FailurePlan failure_plan(ft::Communicator const& comm, Options const& options) try {
    auto plan = ft::parse_failure_plan(options.fail);
    for (auto const& death : plan) {
        if (value(death.victim) >= comm.num_founders())
            throw InputError("there is no rank " + std::to_string(value(death.victim)) + ", expected one below " +
                             std::to_string(comm.num_founders()));
    }
    return plan;
} catch (InputError const& error) {
    throw InputError(std::string("--fail: ") + error.what());
}

/// What is wrong with files, and what to do about it.
inline std::string complaint(Options const& options, store::DiskError const& error) {
    if (options.keep.empty()) return error.what();
    return "--keep " + options.keep + ": " + error.what() + "; expected a folder with room for it: remove what ended " +
           "jobs have left there (" + options.keep + "/regraft-JOB), or name another folder";
}

/// The program's work on a communicator. Returns the exit code.
inline int run(ft::Communicator& comm, Options const& options, std::function<void(ft::Communicator&)> const& program) {
    try {
        auto const plan = failure_plan(comm, options);
        if (options.points || !plan.empty()) ft::set_failure_plan(plan);
        auto const begin = std::chrono::steady_clock::now();
        program(comm);
        if (options.times && comm.leads()) std::printf("everything in %.1f ms\n", milliseconds_since(begin));
        if (options.points) print_points(comm);
        return 0;
    } catch (store::DiskError const& error) {
        if (comm.leads()) std::fprintf(stderr, "%s\n", complaint(options, error).c_str());
        return 2;
    } catch (InputError const& error) {
        if (comm.leads()) std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (std::exception const& error) {  // from ft::resilient: the same on all survivors
        if (comm.leads()) std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

/// The whole of main: reads the options, runs the program on all ranks, and returns the exit code: 2 if the command
/// line is wrong, 1 if the program could not go on, which is said on standard error.
inline int run(int argc, char** argv, CLI::App& app, Options const& options,
               std::function<void(ft::Communicator&)> const& program) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int code = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        app.parse(argc, argv);
        ft::Communicator comm(MPI_COMM_WORLD);
        code = run(comm, options, program);
    } catch (ft::WrongLauncher const& error) {
        if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
        code = 2;
    } catch (CLI::ParseError const& error) {
        if (rank == 0) app.exit(error);
        code = error.get_exit_code() == 0 ? 0 : 2;
    }
    MPI_Finalize();
    return code;
}

}  // namespace example
