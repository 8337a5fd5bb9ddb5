#include "options/parts.hpp"
#include "regraft/store/keep.hpp"

namespace regraft::phylo {
namespace {

/// Refuses --keep where the job has no name: files that are kept belong to a job, and all of its starts have one name.
std::string has_job(std::string const&) {
    return store::job_of_environment().empty()
               ? "REGRAFT_JOB is not set, expected the name of the job, as regraft-run sets it"
               : "";
}

void add_resources(CLI::App& app, Options& options, Command command) {
    if (command == Command::check) return;
    auto& resources = options.resources;
    add_number(app, "--replicas", resources.replicas, 1U, 1U << 20,
               "how many ranks keep each site (default 3; at most the number of ranks)", "R");
    add_number(app, "--groups", resources.groups, 0U, 1U << 20,
               "groups of ranks, which work on different searches of one job; 0 (default): the program chooses");
    add_number(app, "--checkpoint-interval", resources.checkpoint_seconds, 0.0, 1e9,
               "time between checkpoints on disk, from which the same command goes on if all ranks died (default 60)",
               "SECONDS");
    app.add_option(
           "--keep", resources.keep,
           "folder on each node, such as /dev/shm, that gets the state of the search many times a second, too: if all "
           "ranks die, regraft-run --restarts goes on from there")
        ->check(CLI::ExistingDirectory)
        ->check(CLI::Validator(has_job, ""))
        ->type_name("FOLDER");
    add_number(app, "--time-limit", resources.time_limit_seconds, 0.0, 1e9,
               "stop before this time is over, with a checkpoint and exit code 75; the same command goes on. Ctrl-C, "
               "SIGTERM and SIGUSR1 stop it alike; mpirun passes on SIGUSR1, regraft-run all of them",
               "SECONDS");
    add_number(app, "--threads", resources.threads, 0U, 1024U,
               "threads of each rank; 0 (default): the program chooses");
    add_number(app, "--memory", resources.memory_mib, std::uint64_t{1}, std::uint64_t{1} << 40,
               "most memory for the likelihoods of a rank: less is slower (default: as much as helps)", "MIB");
}

}  // namespace

Part const resources_part{"Resources", add_resources};

}  // namespace regraft::phylo
