#include "input/simulate_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "input/option_group.hpp"

namespace regraft::plan {
namespace {

constexpr char const* simulate_description =
    "simulate the life of a whole job: failures, recoveries, time, traffic, memory, cost, data loss";

constexpr char const* footer =
    R"(A job computes, commits its state now and then, and loses ranks. After each
failure the survivors decide as in a real job, by the same functions of the
library: which of them takes over which work, which rank sends which blocks,
which copies are made anew, and where. Only times are modelled, by constants:
  an exchange takes, for the busiest rank, alpha per message and bytes / beta,
    both within a node and between nodes, and not less than the busiest node;
  agreements, shrinks and plans take a fixed part and a part for each rank.
--constants reads them from a file, --set changes single ones, and
docs/mpi/simulate.md says where the defaults come from.

Failures have a mean time between them (MTBF) for one rank, node, rack or switch
each: --mtbf-node 43800 means that a node fails every 5 years. Nothing is
replaced, so the job gets slower. A trace has lines TIME KIND NUMBER: hours since
the begin; rank, node, rack or switch; and which one of them, counted from 0.

  regraft-plan simulate -p 100000 --node-size 10 --mtbf-node 8760 --svg life.svg
  regraft-plan simulate -p 4800 --node-size 48 --mtbf-node 2000 --jobs 200
  regraft-plan simulate -p 4800 --node-size 48 --mtbf-node 2000 --jobs 50 \
    --state-bytes 1000000000 --optimise -r 2,3,4 --interval auto,5,30
  printf '0.5 node 3\n7 rack 0\n' | regraft-plan simulate -p 960 --node-size 48 \
    --rack-nodes 4 --apart rack --trace -

The comparison is with the same job that writes its state to disk as often as
Daly says and starts again after each failure (closed form, exponential failures).

JSON: job, machine, failures, constants; candidates, with the probability to
finish (and its 95 % interval), time, node hours, recoveries (median, 99 %), bytes
and memory; life, the first one of the best candidate, event by event; disk. The
same arguments give the same bytes, for any number of threads.)";

}  // namespace

CLI::App* add_simulate(CLI::App& app, SimulateOptions& options) {
    constexpr std::uint64_t most_jobs = 100'000;
    constexpr std::uint32_t most_threads = 1024;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    auto* const simulate = app.add_subcommand("simulate", simulate_description);
    OptionGroup const machine(*simulate, "Machine");
    machine.add_ranks(options.ranks);
    machine.add_whole("--node-size", "K", options.node_size, "ranks of a node (default 1)", 1, most_ranks);
    machine.add_whole("--rack-nodes", "N", options.rack_nodes, "nodes of a rack (default: there are no racks)", 1,
                      most_ranks);
    machine.add_whole("--switch-racks", "N", options.switch_racks,
                      "racks behind a switch (default: there are no switches)", 1, most_ranks);
    machine.add("--constants", "FILE", options.constants,
                "JSON file with what messages, agreements and copies take; -: standard input");
    machine.add("--set", "NAME=VALUE", options.set, "change one constant; may be given several times")
        ->take_all()
        ->expected(1);
    machine
        .add("--transport", "WAY", options.transport,
             "how messages travel: collective (default: all at the same time), rounds (one partner at a time) or "
             "two-tier (rounds over which the messages of each node are spread)")
        ->check(CLI::IsMember({"collective", "rounds", "two-tier"}).description(""));
    OptionGroup const job(*simulate, "Job");
    job.add("--hours", "H", options.hours, "how long it computes if nothing fails (default 24)");
    job.add_whole("--blocks-per-rank", "N", options.blocks_per_rank,
                  "blocks of input that each rank works on (default 64)", 1, 1U << 30);
    job.add_whole("--block-bytes", "B", options.block_bytes, "size of a block in bytes (default 16384)", 1, 1U << 30);
    job.add_whole("--state-bytes", "B", options.state_bytes,
                  "state of each rank, kept in snapshots (default 100000000; 0: it is small, and on every rank)", 0,
                  std::uint64_t{1} << 40);
    OptionGroup const protection(*simulate, "Protection (with --optimise: lists)");
    protection.add("-r,--replicas", "R", options.replicas,
                   "how many ranks keep each block, and each state (default 3, or all ranks)");
    protection.add("--code", "K+M", options.code, "an erasure code in place of replicas: K pieces of data, M parities");
    protection.add("--placement", "RULE", options.placement,
                   "which ranks keep which block: mod-k, permuted, pairwise or node-aware (default)");
    protection
        .add("--apart", "KIND", options.apart,
             "copies (with node-aware, codes and states) are on different ones of these: node (default), rank, rack, "
             "switch")
        ->check(CLI::IsMember({"rank", "node", "rack", "switch"}).description(""));
    protection.add("--interval", "MIN", options.interval,
                   "minutes of computing between two commits; auto (default): by Young's formula");
    protection.add_flag("--no-repair", options.no_repair, "lost copies are not made anew");
    protection.add_flag("--optimise", options.optimise, "try all combinations of the lists, and name the best one");
    OptionGroup const failures(*simulate, "Failures (MTBFs, a trace or a burst)");
    failures.add("--mtbf-rank", "H", options.mtbf_rank, "mean time between failures of a rank, in hours");
    failures.add("--mtbf-node", "H", options.mtbf_node, "of a node");
    failures.add("--mtbf-rack", "H", options.mtbf_rack, "of a rack");
    failures.add("--mtbf-switch", "H", options.mtbf_switch, "of a switch");
    failures.add("--shape", "K", options.shape,
                 "shape of the Weibull distribution of failures (default 1: exponential; 0.7: many early ones)");
    failures.add("--trace", "FILE", options.trace, "these failures; -: standard input");
    failures.add_whole("--burst", "N", options.burst, "so many nodes, drawn at random, fail at once at half time", 1,
                       most_ranks);
    failures.add_whole("--seed", "S", options.seed, "seed of what is drawn (default 1)", 0, most);
    OptionGroup const simulation(*simulate, "Simulation");
    simulation.add_whole("--jobs", "N", options.jobs, "simulate so many lives, each with other failures (default 1)", 1,
                         most_jobs);
    simulation.add_whole("-T,--threads", "T", options.threads, "threads to use; 0 (default): all that the machine has",
                         0, most_threads);
    simulation.add("--limit", "X", options.limit, "give a job up after X times its hours (default 10)");
    OptionGroup const disk(*simulate, "Disk, to compare with");
    disk.add("--restart", "MIN", options.restart_minutes,
             "minutes until a job runs again, without reading (default 10)");
    disk.add_whole("--spares", "N", options.spares, "spare nodes that wait for failures, and cost as much (default 0)",
                   0, most_ranks);
    add_json(*simulate, options.json)->group("Output");
    OptionGroup(*simulate, "Output")
        .add("--svg", "OUT", options.svg, "draw a life to this file; -: to standard output, in place of the text");
    simulate->footer(footer);
    return simulate;
}

void complete(SimulateOptions& options, CLI::App const& simulate) {
    auto const above = [](double number, double least, char const* option, char const* expected) {
        if (!(least < number && number <= 1e9)) throw CLI::ValidationError(option, expected);
    };
    above(options.hours, 0, "--hours", "expected a number of hours above 0");
    above(options.limit, 1, "--limit", "expected a number above 1");
    above(options.shape, 0.05, "--shape", "expected a number above 0.05");
    bool has_rates = false;
    for (auto const& [option, hours] :
         {std::pair{"--mtbf-rank", options.mtbf_rank}, std::pair{"--mtbf-node", options.mtbf_node},
          std::pair{"--mtbf-rack", options.mtbf_rack}, std::pair{"--mtbf-switch", options.mtbf_switch}}) {
        if (simulate.count(option) == 0) continue;
        above(hours, 0, option, "expected a number of hours above 0");
        has_rates = true;
    }
    auto const ways = int{has_rates} + int{options.trace.has_value()} + int{options.burst > 0};
    if (ways != 1) {
        throw CLI::ValidationError("simulate",
                                   std::string(ways == 0 ? "no failures are given" : "failures are given in two ways") +
                                       ", expected MTBFs such as --mtbf-node 8760, --trace, or --burst");
    }
    if (!(0 <= options.restart_minutes && options.restart_minutes <= 1e9))
        throw CLI::ValidationError("--restart", "expected a number of minutes, 0 or more");
    if (options.code && simulate.count("--replicas") + simulate.count("--placement") > 0)
        throw CLI::ValidationError("--code", "is in place of --replicas and --placement");
    if (simulate.count("--replicas") == 0) options.replicas = std::to_string(std::min(3U, options.ranks));
    if (options.json == "-" && options.svg == "-")
        throw CLI::ValidationError("--svg", "standard output is for --json already");
    if (options.constants == "-" && options.trace == "-")
        throw CLI::ValidationError("--trace", "standard input is for --constants already");
}

}  // namespace regraft::plan
