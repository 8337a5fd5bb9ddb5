#include "rounds/transfer_file.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "files/number_lines.hpp"

namespace regraft::plan {

std::vector<schedule::Edge> parse_transfers(std::string_view text, std::string const& name) {
    constexpr std::uint64_t most_ranks = std::numeric_limits<std::uint32_t>::max();
    constexpr std::size_t most_transfers = std::size_t{1} << 30;  // what colour_edges takes
    Allowed const sender{"sender", most_ranks, ""};
    Allowed const receiver{"receiver", most_ranks, ""};
    NumberLines lines(text, name);
    std::vector<schedule::Edge> transfers;
    while (lines.next()) {
        if (lines.done()) continue;
        if (transfers.size() == most_transfers) lines.fail("one transfer too many, expected no more than 2^30");
        auto const from = static_cast<std::uint32_t>(lines.number(sender));
        auto const to = static_cast<std::uint32_t>(lines.number(receiver));
        transfers.push_back({from, to});
        lines.expect_done("a new line after SENDER RECEIVER");
    }
    return transfers;
}

}  // namespace regraft::plan
