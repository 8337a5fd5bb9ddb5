#include "commands.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "common/input.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "input/rules.hpp"
#include "loss/loss.hpp"
#include "loss/loss_report.hpp"
#include "match/graph_file.hpp"
#include "match/match.hpp"
#include "match/match_report.hpp"
#include "recover/failures.hpp"
#include "recover/recovery.hpp"
#include "recover/recovery_report.hpp"
#include "rounds/rounds.hpp"
#include "rounds/rounds_report.hpp"
#include "rounds/transfer_file.hpp"
#include "simulate/report.hpp"
#include "simulate/simulation.hpp"

namespace regraft::plan {

using namespace common;

namespace {

/// What a function returns, and how long it took.
template <class Function>
auto timed(Function&& function) {
    auto const start = std::chrono::steady_clock::now();
    auto result = function();
    return std::pair(std::move(result),
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Complains about an output file that cannot be written before the plan is made, which may take long.
void prepare(std::string const& path) {
    if (!path.empty()) check_writable(path);
}

std::vector<PeId> failed_ranks(RecoverOptions const& options) {
    auto const nodes = num_nodes(options.ranks, options.node_size);
    auto const of_nodes = [&](auto const& failed) { return ranks_of_nodes(failed, options.node_size, options.ranks); };
    if (options.fail_rate) return of_nodes(draw(nodes, *options.fail_rate, options.seed));
    if (options.fail_nodes) return of_nodes(parse_list(*options.fail_nodes, nodes, "--fail-nodes", "node"));
    return ranks_of_nodes(parse_list(options.failed.value(), options.ranks, "--failed", "rank"), 1, options.ranks);
}

}  // namespace

void run(MatchOptions const& options) {
    prepare(options.json);
    auto const graph = parse_graph(read_text(options.graph), shown_input(options.graph));
    auto const [plan, seconds] = timed([&] { return plan_senders(graph); });
    if (!options.json.empty()) write_json(options, graph, plan);
    if (options.json != "-") print(text_of(options, graph, plan, seconds));
}

void run(RoundsOptions const& options) {
    prepare(options.json);
    auto const transfers = parse_transfers(read_text(options.transfers), shown_input(options.transfers));
    auto const [plan, seconds] = timed([&] { return plan_rounds(transfers); });
    if (!options.json.empty()) write_json(options, plan);
    if (options.json == "-") return;
    Output out("-");
    out.write(text_of(options, plan, seconds));
    if (options.list) write_list(out, transfers, plan);
    out.commit();
}

void run(RecoverOptions const& options) {
    prepare(options.json);
    Job const job{options.ranks, options.partitions, options.block_bytes,
                  make_rule(options.placement, {options.blocks, options.ranks, options.replicas}, options.node_size)};
    auto const failed = failed_ranks(options);
    auto const recovery =
        plan_recovery(job, failed,
                      {.wanted = options.redistribute ? Wanted::everything : Wanted::gained,
                       .messages = options.bundle ? schedule::Messages::bundled : schedule::Messages::per_block,
                       .lists_transfers = options.transfers});
    if (!options.json.empty()) write_json(options, failed, recovery);
    if (options.json != "-") print(text_of(options, recovery));
}

void run(LossOptions const& options) {
    prepare(options.json);
    prepare(options.svg);
    auto const plan = plan_loss(options);
    if (!options.svg.empty()) {
        Output out(options.svg);
        out.write(svg_of(options, plan));
        out.commit();
    }
    if (!options.json.empty()) write_json(options, plan);
    if (options.json != "-" && options.svg != "-") print(text_of(options, plan));
}

void run(SimulateOptions const& options) {
    prepare(options.json);
    prepare(options.svg);
    auto const simulation = simulated::simulate(options);
    if (!options.svg.empty()) {
        Output out(options.svg);
        out.write(simulated::svg_of(options, simulation));
        out.commit();
    }
    if (!options.json.empty()) simulated::write_json(options, simulation);
    if (options.json != "-" && options.svg != "-") print(simulated::text_of(options, simulation));
}

}  // namespace regraft::plan
