#include "simulate/report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "common/words.hpp"
#include "files/json_writer.hpp"

namespace regraft::plan::simulated {

using namespace common;

namespace {

std::string hours(double seconds) {
    return std::isinf(seconds) ? "never" : fmt::format("{:.4g} h", seconds / seconds_per_hour);
}

std::string percent(double part) {
    return fmt::format("{:.4g} %", 100 * part);
}

/// A long time, in hours or in a shorter unit.
std::string span_of(double seconds) {
    if (std::isinf(seconds)) return "never";
    return seconds < 600 ? duration(seconds) : hours(seconds);
}

/// The lengths of all recoveries of all lives, in seconds.
std::vector<double> recovery_seconds(Candidate const& candidate) {
    std::vector<double> seconds;
    for (auto const& life : candidate.lives) {
        for (auto const& event : life.events) {
            if (event.parts.sum() > 0) seconds.push_back(event.end - event.begin);
        }
    }
    return seconds;
}

double mean_of(Candidate const& candidate, std::function<double(Life const&)> const& number) {
    double sum = 0;
    for (auto const& life : candidate.lives) sum += number(life);
    return sum / static_cast<double>(candidate.lives.size());
}

RecoveryTime mean_parts(Candidate const& candidate) {
    RecoveryTime sum;
    double count = 0;
    for (auto const& life : candidate.lives) {
        for (auto const& event : life.events) {
            auto const& parts = event.parts;
            if (parts.sum() == 0) continue;
            sum = {sum.notice + parts.notice, sum.shrink + parts.shrink, sum.plan + parts.plan,
                   sum.load + parts.load,     sum.repair + parts.repair, sum.restore + parts.restore};
            ++count;
        }
    }
    if (count == 0) return sum;
    return {sum.notice / count, sum.shrink / count, sum.plan / count,
            sum.load / count,   sum.repair / count, sum.restore / count};
}

std::string redundancy_of(JobPlan const& plan) {
    auto const text = plan.code
                          ? fmt::format("an erasure code of {} + {} pieces", plan.code->data(), plan.code->parity())
                          : fmt::format("{}, {}", counted(plan.replicas, "replica"), plan.placement);
    return text + (plan.mending == Mending::wanted ? "" : ", not repaired");
}

std::string interval_of(Candidate const& candidate) {
    if (candidate.interval) return span_of(*candidate.interval);
    return candidate.lives.empty() ? "auto" : fmt::format("auto ({})", span_of(candidate.lives.front().interval));
}

std::string failures_of(SimulateOptions const& options, Simulation const& simulation) {
    if (options.trace) return "from a trace";
    if (options.burst > 0) return fmt::format("{} at once, at half time", counted(options.burst, "node"));
    std::string text;
    for (auto const unit : all_units) {
        if (simulation.rates.mtbf(unit) == 0) continue;
        text +=
            fmt::format("{}a {} every {:.6g} h", text.empty() ? "" : ", ", name_of(unit), simulation.rates.mtbf(unit));
    }
    if (options.shape != 1) text += fmt::format(" (Weibull, shape {:.4g})", options.shape);
    return text + fmt::format("; on all of them one every {}", span_of(simulation.seconds_between_failures));
}

std::string job_of(SimulateOptions const& options, Simulation const& simulation) {
    Table table;
    auto const& machine = simulation.machine;
    table.row("machine",
              fmt::format("{} on {}", counted(machine.ranks, "rank"), counted(machine.count(Unit::node), "node")));
    table.row("job", fmt::format("{:.4g} h of computing, {} of input and {} of state on each rank", options.hours,
                                 bytes(static_cast<double>(options.blocks_per_rank * options.block_bytes)),
                                 bytes(static_cast<double>(options.state_bytes))));
    table.row("failures", failures_of(options, simulation));
    return table.take();
}

/// Adds rows on how the lives end.
void add_fates(Table& table, SimulateOptions const& options, Candidate const& candidate) {
    auto const lives = candidate.lives.size();
    auto const finished = share_of(candidate.count(Fate::finished), lives);
    auto const lost = share_of(candidate.count(Fate::data_lost), lives);
    table.row("lives", fmt::format("{} simulated, seed {}", lives, options.seed));
    table.row("finishes", fmt::format("{}  ({} to {} with 95 % confidence)", percent(finished.part),
                                      percent(finished.least), percent(finished.most)));
    table.row("loses data", fmt::format("{}  ({} to {})", percent(lost.part), percent(lost.least), percent(lost.most)));
    if (auto const slow = candidate.count(Fate::too_slow); slow > 0) {
        auto const limit = hours(options.limit * options.hours * seconds_per_hour);
        table.row("too slow", fmt::format("{} given up after {}", slow, limit));
    }
}

void add_recoveries(Table& table, Candidate const& candidate) {
    auto const failures = mean_of(candidate, [](Life const& life) { return life.failures; });
    auto const recoveries = recovery_seconds(candidate);
    auto const parts = mean_parts(candidate);
    table.row("failures", fmt::format("{:.4g} in a life, on average", failures));
    table.row("recovery", fmt::format("{} (median), {} (99 %)", duration(quantile(recoveries, 0.5)),
                                      duration(quantile(recoveries, 0.99))));
    table.more(fmt::format("on average notice {}, shrink {}, plan {}, load {}, repair {}, restore {}",
                           duration(parts.notice), duration(parts.shrink), duration(parts.plan), duration(parts.load),
                           duration(parts.repair), duration(parts.restore)));
}

void add_means(Table& table, Candidate const& candidate) {
    auto const mean = [&](auto number) {
        return mean_of(candidate, [&](Life const& life) { return static_cast<double>(number(life)); });
    };
    table.row("sent", fmt::format("{} between nodes, {} within nodes, in a life",
                                  bytes(mean([](Life const& life) { return life.volume.bytes_between; })),
                                  bytes(mean([](Life const& life) { return life.volume.bytes_within; }))));
    std::uint64_t at_end = 0;
    for (auto const& life : candidate.lives) at_end = std::max(at_end, life.memory_at_end);
    table.row("memory",
              fmt::format("{} on the fullest rank at the begin{}",
                          bytes(static_cast<double>(candidate.lives.front().memory_at_begin)),
                          at_end == 0 ? "" : fmt::format(", {} at the end", bytes(static_cast<double>(at_end)))));
    table.row("work lost", fmt::format("{} in a life; {:.0f} commits take {}",
                                       span_of(mean([](Life const& life) { return life.work_lost; })),
                                       mean([](Life const& life) { return life.commits; }),
                                       span_of(mean([](Life const& life) { return life.commit_seconds; }))));
}

std::string outcome_of(SimulateOptions const& options, Candidate const& candidate) {
    Table table;
    table.row("protection",
              fmt::format("{}; a commit every {}", redundancy_of(candidate.plan), interval_of(candidate)));
    add_fates(table, options, candidate);
    add_recoveries(table, candidate);
    add_means(table, candidate);
    return table.take();
}

/// The table of node hours of the job, and of the same job with checkpoints on disk.
std::string costs_of(SimulateOptions const& options, Simulation const& simulation) {
    auto const& best = simulation.candidates[simulation.best];
    auto const nodes = simulation.machine.count(Unit::node);
    auto const ideal = options.hours * nodes;
    auto const line = [&](std::string_view name, double seconds, double node_hours) {
        return fmt::format("{:<42}  {:>10}  {:>12}  {:>10}\n", name, seconds > 0 ? hours(seconds) : "-",
                           std::isinf(node_hours) ? "never" : fmt::format("{:.6g}", node_hours),
                           std::isinf(node_hours) ? "-" : percent(ideal / node_hours));
    };
    auto text = fmt::format("\n{:<42}  {:>10}  {:>12}  {:>10}\n", "", "time", "node hours", "efficiency");
    text += line("without failures", options.hours * seconds_per_hour, ideal);
    text += line("in memory, data loss paid", best.mean_seconds(), best.expected_node_hours());
    auto const spares = options.spares > 0 ? fmt::format(", {}", counted(options.spares, "spare node")) : "";
    text += line(fmt::format("on disk, by Daly{}", spares), simulation.disk.seconds, simulation.disk_node_hours);
    auto const& disk = simulation.disk_plan;
    auto const written = disk.checkpoint_seconds > 0
                             ? fmt::format("a checkpoint of {} every {}", duration(disk.checkpoint_seconds),
                                           span_of(simulation.disk.interval))
                             : "nothing is written, as there is no state";
    text += fmt::format("on disk: {}; a restart of {}\n", written, duration(disk.restart_seconds));
    return text;
}

std::string comparison_of(Simulation const& simulation) {
    auto text = fmt::format("\n  {:<44}  {:>22}  {:>10}  {:>10}  {:>12}\n", "protection", "commit every", "finishes",
                            "time", "node hours");
    for (std::size_t i = 0; i < simulation.candidates.size(); ++i) {
        auto const& candidate = simulation.candidates[i];
        auto const node_hours = candidate.expected_node_hours();
        auto const finished =
            static_cast<double>(candidate.count(Fate::finished)) / static_cast<double>(candidate.lives.size());
        text += fmt::format("{} {:<44}  {:>22}  {:>10}  {:>10}  {:>12}\n", i == simulation.best ? '*' : ' ',
                            redundancy_of(candidate.plan), interval_of(candidate), percent(finished),
                            candidate.mean_seconds() > 0 ? hours(candidate.mean_seconds()) : "-",
                            std::isinf(node_hours) ? "never" : fmt::format("{:.6g}", node_hours));
    }
    return text + "* has the fewest node hours, those of lives that lost their data included\n";
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json json_of(Share const& share) {
    return {{"part", share.part}, {"least", share.least}, {"most", share.most}};
}

Json json_of(RecoveryTime const& parts) {
    return {{"notice", parts.notice}, {"shrink", parts.shrink}, {"plan", parts.plan},
            {"load", parts.load},     {"repair", parts.repair}, {"restore", parts.restore}};
}

Json json_of(Event const& event) {
    return {{"begin", event.begin},
            {"end", event.end},
            {"failures", event.failures},
            {"dead", event.dead},
            {"work_lost", event.work_lost},
            {"work_done", event.work_done},
            {"seconds", json_of(event.parts)},
            {"bytes_within", event.volume.bytes_within},
            {"bytes_between", event.volume.bytes_between}};
}

char const* word_for(Fate fate) {
    return fate == Fate::finished ? "finished" : fate == Fate::data_lost ? "data lost" : "too slow";
}

Json summary_of(Life const& life) {
    return {{"fate", word_for(life.fate)},
            {"seconds", life.seconds},
            {"failures", life.failures},
            {"recoveries", life.events.size()},
            {"survivors", life.survivors},
            {"submit_seconds", life.submit_seconds},
            {"commits", life.commits},
            {"commit_seconds", life.commit_seconds},
            {"computing_seconds", life.computing},
            {"work_lost_seconds", life.work_lost},
            {"bytes_within", life.volume.bytes_within},
            {"bytes_between", life.volume.bytes_between},
            {"memory_at_begin", life.memory_at_begin},
            {"memory_at_end", life.memory_at_end}};
}

Json json_of(Candidate const& candidate) {
    auto const& plan = candidate.plan;
    auto const lives = candidate.lives.size();
    auto const recoveries = recovery_seconds(candidate);
    auto list = Json::array();
    for (auto const& life : candidate.lives) list.push_back(summary_of(life));
    return {
        {"replicas", plan.code ? Json() : Json(plan.replicas)},
        {"code", plan.code ? Json{{"data", plan.code->data()}, {"parity", plan.code->parity()}} : Json()},
        {"placement", plan.code ? Json() : Json(plan.placement)},
        {"interval_seconds", candidate.interval ? Json(*candidate.interval) : number(candidate.lives.front().interval)},
        {"finishes", json_of(share_of(candidate.count(Fate::finished), lives))},
        {"loses_data", json_of(share_of(candidate.count(Fate::data_lost), lives))},
        {"mean_seconds", candidate.count(Fate::finished) == 0 ? Json() : Json(candidate.mean_seconds())},
        {"node_hours", number(candidate.expected_node_hours())},
        {"recovery_seconds", {{"median", quantile(recoveries, 0.5)}, {"99", quantile(recoveries, 0.99)}}},
        {"recovery_parts", json_of(mean_parts(candidate))},
        {"lives", list}};
}

}  // namespace

std::string text_of(SimulateOptions const& options, Simulation const& simulation) {
    auto const& best = simulation.candidates[simulation.best];
    auto text = job_of(options, simulation);
    if (simulation.candidates.size() > 1) text += comparison_of(simulation) + "\n";
    return text + outcome_of(options, best) + costs_of(options, simulation);
}

void write_json(SimulateOptions const& options, Simulation const& simulation) {
    auto const& machine = simulation.machine;
    auto const& best = simulation.candidates[simulation.best];
    JsonWriter json(options.json);
    json.member("machine", {{"ranks", machine.ranks},
                            {"nodes", machine.count(Unit::node)},
                            {"racks", machine.count(Unit::rack)},
                            {"switches", machine.count(Unit::network_switch)}});
    json.member("job", {{"hours", options.hours},
                        {"blocks_per_rank", options.blocks_per_rank},
                        {"block_bytes", options.block_bytes},
                        {"state_bytes", options.state_bytes},
                        {"apart", options.apart},
                        {"repairs", !options.no_repair},
                        {"transport", options.transport}});
    json.member("failures", {{"mtbf_hours", simulation.rates.mtbf_hours},
                             {"shape", options.shape},
                             {"burst", options.burst},
                             {"seed", options.seed},
                             {"seconds_between", number(simulation.seconds_between_failures)}});
    Json constants;
    for (auto const& constant : named_constants())
        constants[std::string(constant.name)] = best.plan.constants.*(constant.value);
    json.member("constants", constants);
    auto candidates = Json::array();
    for (auto const& candidate : simulation.candidates) candidates.push_back(json_of(candidate));
    json.member("best", simulation.best);
    json.member("candidates", candidates);
    auto events = Json::array();
    for (auto const& event : best.median_life().events) events.push_back(json_of(event));
    json.member("life", events);
    json.member("disk", {{"checkpoint_seconds", simulation.disk_plan.checkpoint_seconds},
                         {"restart_seconds", simulation.disk_plan.restart_seconds},
                         {"interval_seconds", number(simulation.disk.interval)},
                         {"seconds", number(simulation.disk.seconds)},
                         {"node_hours", number(simulation.disk_node_hours)}});
    json.finish();
}

}  // namespace regraft::plan::simulated
