#include "input/options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "input/option_group.hpp"
#include "input/simulate_options.hpp"

namespace regraft::plan {

using namespace common;

namespace {

constexpr std::uint64_t most_blocks = std::uint64_t{1} << 62;  // sums of them are below 2^63
constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr char const* description =
    R"(Plans the recovery of a job that lost ranks, without running it.

Blocks of data are kept on several ranks. When ranks die, survivors take over
their blocks and load each from a rank that still holds it. A plan says
  which holder sends a block, so that the busiest sender has to send as few
    blocks as possible: b of them. A set of ranks S proves that fewer would not
    do: more than (b - 1) |S| blocks are held by ranks of S only (Hall);
  in which round it is sent. In a round a rank sends at most one message and
    receives at most one; as many rounds as the busiest rank has messages to
    send or to receive always suffice (Koenig).
)";

constexpr char const* after =
    R"(Try:
  regraft-plan recover -p 1000 --blocks 100000 --replicas 3 --failed 3,7,10-20
  regraft-plan loss -p 33554432
  regraft-plan simulate -p 100000 --node-size 10 --mtbf-node 8760
and regraft-plan COMMAND --help for the formats.

Exit codes: 0 done, 1 the output cannot be written or an internal error, 2 bad input or usage.)";

constexpr char const* recover_description =
    "plan a whole recovery: which rank takes over which blocks, which one sends them, in which round, how long it "
    "takes";

constexpr char const* recover_after =
    R"(The blocks of each partition are dealt evenly to the ranks; the placement says
which ranks keep copies:
  mod-k       with k = floor(P / R), ranks i, i + k, i + 2k, ... keep the same blocks
  pairwise    each rank keeps what it computes, and copies of it are half the
              machine away (copy c of R: floor(c P / R) ranks further on)
  permuted    as pairwise, but with ranges of blocks in a random order
  node-aware  copies of a block are on different nodes (of --node-size ranks)
Then ranks die: those of a list, whole nodes, or nodes drawn at random. The
survivors take over the blocks of the dead and load them from their living
holders. Blocks without a living holder are lost: they are reported, and are not
an error. LIST: numbers and ranges, such as 3,7,10-20 (with both ends).

Predicted time: a message takes alpha + bytes / beta, a round as long as its
largest message, and the rounds follow each other:
  time = sum over rounds of (alpha + largest message of the round / beta).
Before that the survivors shrink: six agreements, each 2 alpha + member * ranks.
The prediction leaves out how long it takes to notice the deaths and to make the
plan, and contention in the network.

  regraft-plan recover -p 1000 --blocks 100000 --replicas 3 --fail-rate 0.01
  regraft-plan recover -p 96 --blocks 9600 --node-size 24 --fail-nodes 1 --json -

JSON: job, failed, survivors; requests (blocks to load) = local (held by the ranks that
want them) + sent + unservable (lost; unservable_ranges are pairs [first, end));
blocks_without_holder (whether wanted or not); b, lower_bound, hall_set (ranks that
prove b), hall_blocks (how many blocks only they hold); num_rounds; bytes_sent and
bytes_received per rank; prediction; planning (how long that took, and memory);
transfers if asked for.

The plan is the same for the same arguments, on every machine; only the
values in planning differ.)";

constexpr char const* loss_description =
    "compute how many failures a job survives: the probability that they lose data";

constexpr char const* loss_after =
    R"(Every block is kept on R ranks. Ranks, or with --node-size whole nodes, fail one
after the other in random order; data is lost as soon as all that keep some block
have failed. For each number of replicas the program prints
  the probability that data is lost after so many failures;
  the mean number of failures until data is lost (MNFTI), the last one included;
  the same mean "with re-hits", where failures that hit dead ranks again count, too;
  the numbers of failures that lose data in 1, 10, 50 and 90 % of all cases.

Where the sets of ranks (nodes) that keep a block do not overlap, all of this is
computed, to at least 12 digits. That is so for mod-k if nodes have one rank, or
their size divides k = floor(P / R); for permuted and pairwise if moreover R
divides P; for node-aware if all nodes have equally many ranks and R divides their
number. Elsewhere --simulate draws failures until data is lost.

--svg draws the share of all ranks that fail until data is lost, for 2^8 to 2^25 ranks
(or nodes, each copy on another one).

  regraft-plan loss -p 33554432
  regraft-plan loss -p 24576 -r 3 --failures 1-10,100
  regraft-plan loss -p 9600 --node-size 48 --placement node-aware --simulate 10000
  regraft-plan loss -p 1000 --svg loss.svg

JSON: unit (rank or node), units (how many), safety: per number of replicas what is
computed (null: no closed form) and what is simulated (or null); and curves, those
of the figure. The same arguments give the same bytes.)";

CLI::App* add_recover(CLI::App& app, RecoverOptions& options) {
    auto* const recover = app.add_subcommand("recover", recover_description);
    OptionGroup const job(*recover, "Job");
    job.add_ranks(options.ranks);
    job.add_whole("--blocks", "N", options.blocks, "number of blocks", 0, most_blocks)->required();
    job.add_whole("--block-bytes", "B", options.block_bytes, "size of a block in bytes (default 1024)", 1, 1U << 30);
    job.add_whole("--partitions", "Q", options.partitions,
                  "number of partitions of the blocks, of equal size (default 1)", 1, most_ranks);
    job.add_whole("--replicas", "R", options.replicas,
                  "how many ranks keep each block, at least (default 3, or all ranks)", 1, most_ranks);
    job.add_placement(options.placement);
    OptionGroup const failures(*recover, "Failures (exactly one of the first three)");
    failures.add("--failed", "LIST", options.failed, "these ranks fail");
    failures.add("--fail-nodes", "LIST", options.fail_nodes, "all ranks of these nodes fail");
    failures.add("--fail-rate", "X", options.fail_rate, "this share of the nodes, 0 to 1, fails; --seed draws them");
    failures.add_whole("--seed", "S", options.seed, "seed of --fail-rate (default 1)", 0, most);
    failures.add_whole("--node-size", "K", options.node_size, "how many consecutive ranks make a node (default 1)", 1,
                       most_ranks);
    OptionGroup const plan(*recover, "Plan");
    plan.add_flag("--redistribute", options.redistribute,
                  "deal all blocks anew to the survivors, which load all of them (default: only those of the dead)");
    plan.add_flag("--bundle", options.bundle, "send blocks with the same sender and receiver in one message");
    plan.add("--alpha", "US", options.network.alpha_us, "microseconds per message (default 2)");
    plan.add("--member", "US", options.network.member_us,
             "microseconds that each rank costs at the root of an agreement (default 2.2, measured)");
    plan.add("--beta", "GBPS", options.network.beta_gbps, "bandwidth of a rank in 10^9 bytes per second (default 10)");
    add_json(*recover, options.json)->group("Output");
    OptionGroup(*recover, "Output")
        .add_flag("--transfers", options.transfers, "with --json: write every transfer, as [block, from, to, round]");
    recover->footer(recover_after);
    return recover;
}

CLI::App* add_loss(CLI::App& app, LossOptions& options) {
    constexpr std::uint64_t most_trials = 10'000'000;
    auto* const loss = app.add_subcommand("loss", loss_description);
    OptionGroup const job(*loss, "Job");
    job.add_ranks(options.ranks);
    job.add("-r,--replicas", "LIST", options.replicas, "how many ranks keep each block, at least (default 2,3,4)");
    job.add_placement(options.placement);
    job.add_whole("--node-size", "K", options.node_size, "how many consecutive ranks fail together (default 1)", 1,
                  most_ranks);
    OptionGroup const failures(*loss, "Failures (default: 0.01 to 50 % of all)");
    failures.add("--failures", "LIST", options.failures, "numbers of failures, such as 1-10,100");
    failures.add("--fraction", "LIST", options.fractions, "failures as shares of all ranks, 0 to 1, such as 0.01,0.02");
    OptionGroup const simulation(*loss, "Simulation");
    simulation.add_whole("--simulate", "N", options.trials, "simulate failures until data is lost, this many times", 1,
                         most_trials);
    simulation.add_whole("--seed", "S", options.seed, "seed of --simulate (default 1)", 0, most);
    add_json(*loss, options.json)->group("Output");
    OptionGroup(*loss, "Output")
        .add("--svg", "OUT", options.svg, "draw the figure to this file; -: to standard output, in place of the text");
    loss->footer(loss_after);
    return loss;
}

void complete(LossOptions& options, CLI::App const&) {
    if (options.json == "-" && options.svg == "-")
        throw CLI::ValidationError("--svg", "standard output is for --json already");
}

void complete(RecoverOptions& options, CLI::App const& recover) {
    int ways = 0;
    for (auto const* option : {"--failed", "--fail-nodes", "--fail-rate"}) ways += recover.count(option) > 0 ? 1 : 0;
    if (ways != 1) {
        throw CLI::ValidationError("recover",
                                   std::string(ways == 0 ? "no failures are given" : "failures are given in two ways") +
                                       ", expected one of --failed, --fail-nodes and --fail-rate");
    }
    if (recover.count("--replicas") == 0) options.replicas = std::min(options.replicas, options.ranks);
    if (options.replicas > options.ranks)
        throw CLI::ValidationError("--replicas", "more than the " + std::to_string(options.ranks) + " ranks");
    if (options.fail_rate && !(0 <= *options.fail_rate && *options.fail_rate <= 1))
        throw CLI::ValidationError("--fail-rate", "expected a number from 0 to 1");
    if (!(0 <= options.network.alpha_us && std::isfinite(options.network.alpha_us)))
        throw CLI::ValidationError("--alpha", "expected a number of microseconds, 0 or more");
    if (!(0 <= options.network.member_us && std::isfinite(options.network.member_us)))
        throw CLI::ValidationError("--member", "expected a number of microseconds, 0 or more");
    if (!(0 < options.network.beta_gbps && std::isfinite(options.network.beta_gbps)))
        throw CLI::ValidationError("--beta", "expected a number of 10^9 bytes per second above 0");
    if (options.transfers && options.json.empty()) throw CLI::ValidationError("--transfers", "needs --json OUT");
}

}  // namespace

Parsed parse_command_line(int argc, char const* const* argv) {
    CommandLine<Options> line("regraft-plan", description, after);
    line.add<RecoverOptions>(add_recover, complete);
    line.add<LossOptions>(add_loss, complete);
    line.add<SimulateOptions>(add_simulate, complete);
    return line.parse(argc, argv);
}

}  // namespace regraft::plan
