#include "match/graph_file.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "files/number_lines.hpp"
#include "files/renumber.hpp"

namespace regraft::plan {
namespace {

constexpr std::uint64_t most_numbers = std::uint64_t{1} << 32;  // of blocks and of ranks: their ids are 32-bit here

struct Header {
    std::uint64_t num_blocks = 0;
    std::uint64_t num_ranks = 0;
};

Header parse_header(NumberLines& lines) {
    bool found = lines.next();
    while (found && lines.done()) found = lines.next();
    if (!found) lines.fail("there is no first line, expected BLOCKS RANKS");
    Header header;
    // The last number stands for "no block".
    header.num_blocks = lines.number({"number of blocks", most_numbers - 1, ""});
    header.num_ranks = lines.number({"number of ranks", most_numbers + 1, ""});
    lines.expect_done("a new line after BLOCKS RANKS");
    return header;
}

}  // namespace

HolderGraph parse_graph(std::string_view text, std::string const& name) {
    NumberLines lines(text, name);
    auto const header = parse_header(lines);
    HolderGraph graph;
    graph.num_ranks = header.num_ranks;
    auto const num_lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    graph.holders.offsets.reserve(std::min(header.num_blocks, num_lines) + 1);

    Allowed const rank{"rank", header.num_ranks, fmt::format("as the first line says {} ranks", header.num_ranks)};
    while (graph.holders.size() < header.num_blocks) {
        if (!lines.next()) {
            lines.fail(fmt::format("the file ends, expected {} lines for as many blocks, there were {}",
                                   header.num_blocks, graph.holders.size()));
        }
        while (!lines.done()) graph.holders.push_value(static_cast<std::uint32_t>(lines.number(rank)));
        graph.holders.end_row();
    }
    while (lines.next()) {
        lines.expect_done(fmt::format("no more than {} blocks, as the first line says", header.num_blocks));
    }
    graph.ranks = renumber(graph.holders.values);
    return graph;
}

}  // namespace regraft::plan
