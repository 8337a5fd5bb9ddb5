#include "failure_draw.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "regraft/checkpoint/mini_checkpoint.hpp"
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

ft::FailurePlan draw_on_this_pe(std::span<PeId const> members, FailureDraw draw) {
    Random random(draw.seed);
    std::vector<PeId> victims(members.begin(), members.end());
    shuffle(std::span(victims), random);
    victims.resize(draw.count);
    ft::FailurePlan plan;
    for (auto victim : victims) {
        std::vector<ft::FailPoint const*> candidates;
        for (auto const* point : search_points()) {
            if (point->occurrences() > 0 || !plan.empty()) candidates.push_back(point);
        }
        auto const& point = *candidates[random.below(candidates.size())];
        plan.push_back({point.name(), victim, random.below(std::max<std::uint64_t>(1, point.occurrences()))});
    }
    return plan;
}

}  // namespace

std::vector<ft::FailPoint const*> search_points() {
    constexpr std::array unused{"broadcast:", "erasure-", "gather:", "node_ids:", "scrub:"};
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
    // If somebody died in the rehearsal, PEs counted differently; the leader's plan counts.
    auto const mine = ft::to_string(draw_on_this_pe(comm.members(), draw));
    checkpoint::MiniCheckpoint plans(comm);
    plans.commit(std::as_bytes(std::span(mine)));
    auto const plan = plans.latest().shares[0];
    return ft::parse_failure_plan(std::string(reinterpret_cast<char const*>(plan.data()), plan.size()));
}

}  // namespace regraft::phylo
