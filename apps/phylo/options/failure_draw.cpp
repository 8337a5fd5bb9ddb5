#include "options/failure_draw.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>
#include <vector>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

constexpr std::string_view prefix = "random:";

std::optional<std::uint64_t> parse_number(std::string_view digits) {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

/// Draws a plan. counts: the number of times each member reached each point of the search.
ft::FailurePlan drawn(std::span<PeId const> members, std::vector<std::vector<std::uint64_t>> const& counts,
                      FailureDraw draw) {
    Random random(draw.seed);
    std::vector<std::size_t> victims(members.size());
    std::iota(victims.begin(), victims.end(), std::size_t{0});
    shuffle(std::span(victims), random);
    victims.resize(draw.count);
    auto const points = search_points();
    ft::FailurePlan plan;
    for (auto const victim : victims) {
        auto const& count = counts[victim];
        std::vector<std::size_t> candidates;  // after the first death they include points that only recoveries reach
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (count[i] > 0 || !plan.empty()) candidates.push_back(i);
        }
        auto const i = candidates[random.below(candidates.size())];
        plan.push_back({points[i]->name(), members[victim], random.below(std::max<std::uint64_t>(1, count[i]))});
    }
    return plan;
}

}  // namespace

std::vector<ft::FailPoint const*> search_points() {
    constexpr std::array unused{"broadcast:", "disk-",  "erasure-",  "files-", "keep-",
                                "reopen:",    "scrub:", "snapshot-", "update:"};
    auto points = ft::fail_points();
    std::erase_if(points, [&](auto const* point) {
        return std::ranges::any_of(unused, [&](char const* prefix) { return point->name().starts_with(prefix); });
    });
    return points;
}

std::optional<FailureDraw> parse_failure_draw(std::string_view text) {
    if (!text.starts_with(prefix)) return std::nullopt;
    auto const numbers = text.substr(prefix.size());
    auto const colon = std::min(numbers.find(':'), numbers.size());
    auto const seed = parse_number(numbers.substr(0, colon));
    auto const count = parse_number(numbers.substr(std::min(colon + 1, numbers.size())));
    if (!seed || !count) {
        throw InputError("failure plan: '" + std::string(text) + "': expected random:SEED:COUNT, such as random:1:3");
    }
    return FailureDraw{*seed, *count};
}

ft::FailurePlan draw_failures(ft::Communicator& comm, FailureDraw draw) {
    if (draw.count >= comm.size()) {
        throw InputError("failure plan: " + std::to_string(draw.count) + " deaths of " + std::to_string(comm.size()) +
                         " ranks, expected that at least one survives");
    }
    ByteWriter mine;
    for (auto const* point : search_points()) mine.put(point->occurrences());
    checkpoint::MiniCheckpoint rehearsal(comm);
    rehearsal.commit(mine.bytes());
    std::vector<std::vector<std::uint64_t>> counts;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        ByteReader in(rehearsal.latest().shares[rank]);
        auto& count = counts.emplace_back();
        while (!in.empty()) count.push_back(in.get<std::uint64_t>());
    }
    return drawn(comm.members(), counts, draw);
}

}  // namespace regraft::phylo
