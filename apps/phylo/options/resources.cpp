#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

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

/// The memory of this node, in MiB.
double node_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 0x1p20;
}

/// Replaces sizes such as 16G, 512MB or 50% by their number of MiB. Other words stay as they are.
std::string in_mebibytes(std::string& word) {
    double value = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
    if (error != std::errc{} || unit.empty()) return "";
    double factor = node_memory() / 100;
    if (unit != "%") {
        constexpr std::string_view units = "MGT";
        auto const letter = static_cast<char>(unit.front() & ~0x20);
        auto const power = units.find(letter);
        auto const rest = unit.substr(1);
        if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) return "";
        factor = std::ldexp(1, 10 * static_cast<int>(power));
    } else if (value > 100) {
        return "'" + word + "', expected at most 100%";
    }
    if (value * factor >= 1 && value * factor < 0x1p40)
        word = std::to_string(static_cast<std::uint64_t>(value * factor));
    return "";
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
    app.add_option("--memory", resources.memory_mib,
                   "most memory for the likelihoods of a rank, in MiB, or as 512M, 16G or 50%, a part of the memory of "
                   "its node: less is slower (default: as much as helps)")
        ->transform(CLI::Validator(in_mebibytes, ""))
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
        ->type_name("MIB");
}

}  // namespace

Part const resources_part{"Resources", add_resources};

}  // namespace regraft::phylo
