#include "rounds/rounds_report.hpp"

// What the user sees of transfers dealt to rounds.
#include <algorithm>
#include <numeric>

#include <fmt/compile.h>

#include "common/input.hpp"
#include "common/words.hpp"
#include "files/json_writer.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::plan {

using namespace common;

namespace {

std::string text_of_degrees(Degrees const& degrees, std::uint64_t num_transfers, char const* verb) {
    if (degrees.largest == 0) return fmt::format("no rank {}s", verb);
    auto const mean = static_cast<double>(num_transfers) / static_cast<double>(degrees.num_ranks);
    return fmt::format("rank {} {}s {}, the most; {:.2f} on average over {} that {} any", degrees.busiest, verb,
                       degrees.largest, mean, counted(degrees.num_ranks, "rank"),
                       degrees.num_ranks == 1 ? fmt::format("{}s", verb) : verb);
}

/// The transfers of each round, ascending.
Csr<std::uint32_t> members_of_rounds(RoundPlan const& plan) {
    Csr<std::uint32_t> rows;
    rows.offsets.resize(plan.round_size.size() + 1, 0);
    std::inclusive_scan(plan.round_size.begin(), plan.round_size.end(), rows.offsets.begin() + 1);
    rows.values.resize(rows.offsets.back());
    auto next = rows.offsets;
    for (std::uint32_t i = 0; i < plan.round.size(); ++i) {
        if (plan.round[i] != no_round) rows.values[next[plan.round[i]]++] = i;
    }
    return rows;
}

}  // namespace

std::string text_of(RoundsOptions const& options, RoundPlan const& plan, double seconds) {
    auto const num_remote = plan.round.size() - plan.num_local;
    Table table;
    table.row("transfers", fmt::format("{}: {}, {} of them local", shown_input(options.transfers),
                                       counted(plan.round.size(), "transfer"), plan.num_local));
    table.row("rounds", plan.num_rounds == 0
                            ? "0: there is nothing to send"
                            : fmt::format("{}: as many as the busiest rank has transfers to send or to receive, so no "
                                          "plan has fewer",
                                          plan.num_rounds));
    if (plan.num_rounds > 0) {
        auto const largest = std::max_element(plan.round_size.begin(), plan.round_size.end());
        table.row("largest",
                  fmt::format("round {} with {}", largest - plan.round_size.begin(), counted(*largest, "transfer")));
    }
    table.row("sent", text_of_degrees(plan.sent, num_remote, "send"));
    table.row("received", text_of_degrees(plan.received, num_remote, "receive"));
    table.row("planned in", duration(seconds));
    return table.take();
}

void write_list(Output& out, std::span<schedule::Edge const> transfers, RoundPlan const& plan) {
    auto const rows = members_of_rounds(plan);
    fmt::memory_buffer line;
    for (std::size_t round = 0; round < rows.size(); ++round) {
        line.clear();
        fmt::format_to(fmt::appender(line), "round {}:", round);
        for (auto const i : rows[round])
            fmt::format_to(fmt::appender(line), FMT_COMPILE(" {}->{}"), transfers[i].left, transfers[i].right);
        line.push_back('\n');
        out.write({line.data(), line.size()});
    }
}

void write_json(RoundsOptions const& options, RoundPlan const& plan) {
    JsonWriter json(options.json);
    json.member("file", shown_input(options.transfers));
    json.member("transfers", plan.round.size());
    json.member("local", plan.num_local);
    json.member("num_rounds", plan.num_rounds);
    json.member("largest_degree", plan.num_rounds);
    json.member("most_sent", plan.sent.largest);
    json.member("most_received", plan.received.largest);
    json.array("round", plan.round.size(), [&](auto& out, auto i) {
        auto const round = plan.round[i];
        round == no_round ? JsonWriter::append(out, "null") : JsonWriter::append(out, round);
    });
    json.finish();
}

}  // namespace regraft::plan
