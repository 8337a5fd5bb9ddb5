#include "recover/recovery_report.hpp"

// What the user sees of a recovery.
#include <algorithm>
#include <numeric>

#include <sys/resource.h>

#include "common/words.hpp"
#include "files/json_writer.hpp"

namespace regraft::plan {

using namespace common;

namespace {

using schedule::Transfer;

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

double total_seconds(Recovery const& recovery) {
    return std::accumulate(recovery.steps.begin(), recovery.steps.end(), 0.0,
                           [](double sum, TimedStep const& step) { return sum + step.seconds; });
}

double mean(std::uint64_t count, std::size_t num_ranks) {
    return static_cast<double>(count) / static_cast<double>(num_ranks);
}

std::string shown_range(BlockRange range) {
    auto const last = value(range.last) - 1;
    return range.size() == 1 ? fmt::format("{}", last) : fmt::format("{}-{}", value(range.first), last);
}

std::string proof(Recovery const& recovery) {
    auto const size = std::uint64_t{recovery.hall_set.size()};
    auto const fewer = recovery.least_b - 1;
    return fmt::format("not {}: {} can only come from {} ({}), and {} * {} = {} is less", fewer,
                       counted(recovery.hall_blocks, "block"), counted(size, "rank"),
                       first_few(recovery.hall_set, [](PeId pe) { return value(pe); }), size, fewer, size * fewer);
}

std::string text_of_traffic(Traffic const& traffic, std::uint64_t num_blocks, RecoverOptions const& options,
                            std::size_t num_survivors, char const* verb) {
    auto const size = static_cast<double>(options.block_bytes);
    return fmt::format("{} at most (rank {} {} {}), {} on average",
                       bytes(static_cast<double>(traffic.most_blocks) * size), value(traffic.busiest), verb,
                       counted(traffic.most_blocks, "block"), bytes(mean(num_blocks, num_survivors) * size));
}

char const* name_of(Rule rule) {
    switch (rule) {
        case Rule::least:
            return "least";
        case Rule::ranges:
            return "ranges";
        default:
            return "local";
    }
}

std::string text_of_senders(Recovery const& recovery) {
    auto const b = fmt::format("b = {} (lower bound {}): ", recovery.b, recovery.lower_bound);
    if (recovery.rule == Rule::least) return b + "no rank sends more blocks, and no choice of senders has a smaller b";
    return fmt::format("{}no rank sends more blocks; senders are chosen {}, while no choice has a smaller b than {}", b,
                       recovery.rule == Rule::ranges ? "by ranges, as the store does"
                                                     : "by each rank for itself, as the store does for so many ranges",
                       recovery.least_b);
}

void append_plan(Table& table, RecoverOptions const& options, Recovery const& recovery) {
    auto const num_survivors = recovery.survivors.size();
    table.row("senders", text_of_senders(recovery));
    if (recovery.least_b > 1) table.more(proof(recovery));
    bool const for_these = options.bundle || recovery.rule != Rule::least;
    table.row("rounds",
              fmt::format("{}: as many as the busiest rank has messages to send or to receive, so no plan {}has "
                          "fewer",
                          recovery.largest_messages.size(), for_these ? "for these senders " : ""));
    table.row("bytes sent", text_of_traffic(recovery.sent, recovery.num_sent, options, num_survivors, "sends"));
    table.row("received", text_of_traffic(recovery.received, recovery.num_sent, options, num_survivors, "receives"));
    table.row("takes", fmt::format("{}, predicted for {:g} us per message and {:g} GB/s",
                                   duration(predicted_seconds(recovery, options.network, options.block_bytes)),
                                   options.network.alpha_us, options.network.beta_gbps));
}

void append_agreement(Table& table, Network const& network, std::uint64_t num_survivors) {
    auto const one = network.agreement_seconds(num_survivors);
    table.row("shrinks in",
              fmt::format("{}, predicted: {} agreements of {}, in which each of {} takes {:g} us at the root",
                          duration(agreements_per_shrink * one), agreements_per_shrink, duration(one),
                          counted(num_survivors - 1, "rank"), network.member_us));
    table.more(fmt::format("agreements in a binary tree, which Open MPI 5.0.9 cannot survive, would take {}",
                           duration(agreements_per_shrink * network.tree_agreement_seconds(num_survivors))));
}

Json agreement_to_json(Network const& network, std::uint64_t num_survivors) {
    auto const one = network.agreement_seconds(num_survivors);
    return {
        {"model", "a star: 2 * alpha + (survivors - 1) * member; a tree: ceil(log2(survivors)) * 2 * (alpha + member)"},
        {"member_seconds", network.member_us * 1e-6},
        {"agreement_seconds", one},
        {"agreements_per_shrink", agreements_per_shrink},
        {"shrink_seconds", agreements_per_shrink * one},
        {"tree_shrink_seconds", agreements_per_shrink * network.tree_agreement_seconds(num_survivors)}};
}

Json to_json(Traffic const& traffic, std::uint64_t num_blocks, std::uint64_t block_bytes, std::size_t num_survivors) {
    return {{"largest", traffic.most_blocks * block_bytes},
            {"mean", mean(num_blocks, num_survivors) * static_cast<double>(block_bytes)},
            {"busiest_rank", value(traffic.busiest)},
            {"most_blocks", traffic.most_blocks},
            {"most_messages", traffic.most_messages}};
}

Json job_to_json(RecoverOptions const& options) {
    return {{"ranks", options.ranks},        {"blocks", options.blocks},       {"block_bytes", options.block_bytes},
            {"replicas", options.replicas},  {"placement", options.placement}, {"partitions", options.partitions},
            {"node_size", options.node_size}};
}

Json prediction_to_json(RecoverOptions const& options, Recovery const& recovery) {
    return {{"model", "sum over rounds of (alpha + bytes of the round's largest message / beta)"},
            {"alpha_seconds", options.network.alpha_us * 1e-6},
            {"beta_bytes_per_second", options.network.beta_gbps * 1e9},
            {"seconds", predicted_seconds(recovery, options.network, options.block_bytes)}};
}

Json planning_to_json(Recovery const& recovery) {
    Json seconds;
    for (auto const& step : recovery.steps) seconds[step.name] = step.seconds;
    return {{"seconds", total_seconds(recovery)}, {"steps", seconds}, {"peak_memory_bytes", peak_memory_bytes()}};
}

void append_ranks(JsonWriter& json, char const* key, std::span<PeId const> ranks) {
    json.array(key, ranks.size(), [&](auto& out, auto i) { JsonWriter::append(out, value(ranks[i])); });
}

void append_ranges(JsonWriter& json, char const* key, std::span<BlockRange const> ranges) {
    json.array(key, ranges.size(), [&](auto& out, auto i) {
        fmt::format_to(std::back_inserter(out), "[{},{}]", value(ranges[i].first), value(ranges[i].last));
    });
}

/// Elements [block, sender, receiver, round].
void append_transfers(JsonWriter& json, CsrView<Transfer> rounds) {
    std::size_t round = 0;
    json.array("transfers", rounds.values.size(), [&](auto& out, auto i) {
        while (i >= rounds.offsets[round + 1]) ++round;
        auto const& transfer = rounds.values[i];
        JsonWriter::append(out, "[");
        for (std::uint64_t const number :
             {value(transfer.block), std::uint64_t{value(transfer.sender)}, std::uint64_t{value(transfer.receiver)}}) {
            JsonWriter::append(out, number);
            out.push_back(',');
        }
        JsonWriter::append(out, round);
        out.push_back(']');
    });
}

}  // namespace

std::string text_of(RecoverOptions const& options, Recovery const& recovery) {
    auto const num_survivors = recovery.survivors.size();
    auto const num_failed = options.ranks - num_survivors;
    Table table;
    table.row("job", fmt::format("{}, {} of {} bytes in {}, {}: {}", counted(options.ranks, "rank"),
                                 counted(options.blocks, "block"), options.block_bytes,
                                 counted(options.partitions, "partition"), options.placement,
                                 options.replicas == 1 ? "no replicas" : fmt::format("{} replicas", options.replicas)));
    table.row("failed",
              fmt::format("{} ({:.3g} %), {} left", counted(num_failed, "rank"),
                          100.0 * static_cast<double>(num_failed) / options.ranks, counted(num_survivors, "rank")));
    table.row("lost", recovery.num_extinct == 0
                          ? "nothing: every block has a living holder"
                          : fmt::format("{} without a living holder, {} of which are wanted{}{}",
                                        counted(recovery.num_extinct, "block"), recovery.num_lost,
                                        recovery.lost.empty() ? "" : ": ", first_few(recovery.lost, shown_range)));
    table.row("to load", fmt::format("{}: {} lost, {} held by the ranks that want them, {} to be sent",
                                     counted(recovery.num_requests, "block"), recovery.num_lost, recovery.num_local,
                                     recovery.num_sent));
    if (recovery.num_sent > 0) append_plan(table, options, recovery);
    if (num_failed > 0 && num_survivors > 1) append_agreement(table, options.network, num_survivors);
    std::string steps;
    for (auto const& step : recovery.steps)
        steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", step.name, duration(step.seconds));
    table.row("planned in", fmt::format("{}: {}", duration(total_seconds(recovery)), steps));
    table.row("memory", bytes(static_cast<double>(peak_memory_bytes())));
    return table.take();
}

void write_json(RecoverOptions const& options, std::span<PeId const> failed, Recovery const& recovery) {
    auto const traffic_to_json = [&](Traffic const& traffic) {
        return to_json(traffic, recovery.num_sent, options.block_bytes, recovery.survivors.size());
    };
    JsonWriter json(options.json);
    json.member("job", job_to_json(options));
    append_ranks(json, "failed", failed);
    json.member("survivors", recovery.survivors.size());
    json.member("redistribute", options.redistribute);
    json.member("bundle", options.bundle);
    json.member("requests", recovery.num_requests);
    json.member("local", recovery.num_local);
    json.member("sent", recovery.num_sent);
    json.member("unservable", recovery.num_lost);
    append_ranges(json, "unservable_ranges", recovery.lost);
    json.member("blocks_without_holder", recovery.num_extinct);
    json.member("new_pairs", recovery.new_pairs);
    json.member("b", recovery.b);
    json.member("senders", name_of(recovery.rule));
    json.member("least_b", recovery.least_b);
    json.member("lower_bound", recovery.lower_bound);
    append_ranks(json, "hall_set", recovery.hall_set);
    json.member("hall_blocks", recovery.hall_blocks);
    json.member("num_rounds", recovery.largest_messages.size());
    json.member("bytes_sent", traffic_to_json(recovery.sent));
    json.member("bytes_received", traffic_to_json(recovery.received));
    json.member("prediction", prediction_to_json(options, recovery));
    json.member("agreement", agreement_to_json(options.network, recovery.survivors.size()));
    json.member("planning", planning_to_json(recovery));
    if (options.transfers) append_transfers(json, recovery.rounds);
    json.finish();
}

}  // namespace regraft::plan
