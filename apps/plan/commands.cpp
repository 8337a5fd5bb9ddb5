#include "commands.hpp"

#include <array>
#include <string>

#include "common/output.hpp"
#include "common/program.hpp"
#include "input/rules.hpp"
#include "loss/loss.hpp"
#include "loss/loss_report.hpp"
#include "recover/failures.hpp"
#include "recover/recovery.hpp"
#include "recover/recovery_report.hpp"
#include "simulate/report.hpp"
#include "simulate/simulation.hpp"

namespace regraft::plan {

using namespace common;

namespace {

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
    std::array const inputs{options.constants, options.trace.value_or("")};
    for (auto const& path : {options.json, options.svg}) refuse_input(path, inputs);
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
