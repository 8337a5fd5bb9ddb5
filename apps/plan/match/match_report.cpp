#include "match/match_report.hpp"

// What the user sees of senders chosen for a graph.
#include "common/input.hpp"
#include "common/words.hpp"
#include "files/json_writer.hpp"

namespace regraft::plan {

using namespace common;

namespace {

auto rank_names(HolderGraph const& graph) {
    return [&graph](std::uint32_t v) { return graph.ranks[v]; };
}

/// Why b - 1 would not do.
std::string proof(HolderGraph const& graph, MatchPlan const& plan) {
    auto const& m = plan.matching;
    auto const size = std::uint64_t{m.hall_set.size()};
    return fmt::format("{} can only come from {} ({}), and {} * {} = {} is less", counted(plan.hall_blocks, "block"),
                       counted(size, "rank"), first_few(m.hall_set, rank_names(graph)), size, m.b - 1,
                       size * (m.b - 1));
}

}  // namespace

std::string text_of(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan, double seconds) {
    auto const& m = plan.matching;
    Table table;
    table.row("graph", fmt::format("{}: {}, {}, {} of which hold any", shown_input(options.graph),
                                   counted(graph.holders.size(), "block"), counted(graph.num_ranks, "rank"),
                                   graph.ranks.size()));
    table.row("b", fmt::format("{}: no rank sends more blocks, and no choice of senders has a smaller b", m.b));
    table.row("lower bound", fmt::format("{} = {} with a holder / {} that hold any, rounded up", m.lower_bound,
                                         counted(graph.holders.size() - m.isolated.size(), "block"),
                                         counted(graph.ranks.size(), "rank")));
    if (m.b > 1) table.row(fmt::format("not {}", m.b - 1), proof(graph, plan));
    table.row("unservable", m.isolated.empty()
                                ? "none: every block has a holder"
                                : fmt::format("{} without a holder: {}", counted(m.isolated.size(), "block"),
                                              first_few(m.isolated, [](auto x) { return x; })));
    table.row("solved in", duration(seconds));
    return table.take();
}

void write_json(MatchOptions const& options, HolderGraph const& graph, MatchPlan const& plan) {
    auto const& m = plan.matching;
    JsonWriter json(options.json);
    json.member("graph", shown_input(options.graph));
    json.member("blocks", graph.holders.size());
    json.member("ranks", graph.num_ranks);
    json.member("b", m.b);
    json.member("lower_bound", m.lower_bound);
    json.array("hall_set", m.hall_set.size(),
               [&](auto& out, auto i) { JsonWriter::append(out, graph.ranks[m.hall_set[i]]); });
    json.member("hall_blocks", plan.hall_blocks);
    json.array("unservable", m.isolated.size(), [&](auto& out, auto i) { JsonWriter::append(out, m.isolated[i]); });
    json.array("sender", m.right_of.size(), [&](auto& out, auto x) {
        auto const v = m.right_of[x];
        v == matching::unmatched ? JsonWriter::append(out, "null") : JsonWriter::append(out, graph.ranks[v]);
    });
    json.finish();
}

}  // namespace regraft::plan
