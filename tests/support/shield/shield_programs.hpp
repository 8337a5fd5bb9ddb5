// Small programs for the exploration of the shield's protocol, written by hand and drawn by lot.
#pragma once

#include <array>
#include <cstdint>

#include "regraft/core/random.hpp"
#include "support/shield/shield_explorer.hpp"

namespace regraft::shield::test {

// The communicators of a program: one of all ranks, some of groups, and those that it splits off.
constexpr Handle world = 0;
constexpr Handle group = 1;
constexpr Handle child = 2;

inline Instruction collective(Handle on, Traits traits, Shape shape, Rank root = max_ranks) {
    Instruction result;
    result.on = on;
    result.traits = traits;
    result.shape = shape;
    result.root = root;
    return result;
}
inline Instruction broadcast(Handle on, Rank root) {
    return collective(on, {.synchronises = false, .forwardable = true}, Shape::from_root, root);
}
inline Instruction large_broadcast(Handle on, Rank root) {
    return collective(on, {.synchronises = false, .forwardable = false}, Shape::from_root, root);
}
inline Instruction reduce(Handle on, Rank root) {
    auto result = collective(on, {.synchronises = false, .forwardable = false}, Shape::to_root, root);
    result.is_collected = true;
    return result;
}
/// The members of the set give large inputs to these operations.
inline Instruction gather_unlike(Handle on, Rank root, RankSet large) {
    auto result = reduce(on, root);
    result.large = static_cast<RankSet>(large & ~only(root));
    return result;
}
inline Instruction large_reduce(Handle on, Rank root) {
    return collective(on, {.synchronises = false, .forwardable = false}, Shape::to_root, root);
}
inline Instruction all_reduce(Handle on) {
    return collective(on, {.synchronises = true, .forwardable = true}, Shape::all_to_all);
}
inline Instruction all_to_all(Handle on) {
    return collective(on, {.synchronises = true, .forwardable = false}, Shape::all_to_all);
}
inline Instruction message(Rank from, Rank to) {
    Instruction result;
    result.kind = Instruction::Kind::message;
    result.from = from;
    result.to = to;
    return result;
}
inline Instruction split(Handle on, std::array<std::uint8_t, max_ranks> colours) {
    auto result = collective(on, {.synchronises = true, .forwardable = false}, Shape::all_to_all);
    result.kind = Instruction::Kind::split;
    result.colours = colours;
    result.into = child;
    return result;
}
inline Instruction release(Handle on) {
    Instruction result;
    result.kind = Instruction::Kind::release;
    result.on = on;
    return result;
}

inline constexpr auto no_colour = Instruction::no_colour;

/// Draws some instructions, on communicators whose members are drawn, too.
inline Scenario drawn_scenario(std::uint64_t seed, std::uint8_t ranks, std::uint8_t deaths, std::size_t instructions) {
    Random rng(seed);
    auto const rank = [&] { return static_cast<Rank>(rng.below(ranks)); };
    Scenario scenario;
    scenario.ranks = ranks;
    scenario.deaths = deaths;
    scenario.options = {.window = static_cast<std::uint32_t>(2 + rng.below(2)), .always_confirm = rng.below(6) == 0};
    scenario.control_is_young = rng.below(2) == 0;
    Rank const left_out = rank();
    scenario.groups = {static_cast<RankSet>(((1U << ranks) - 1) & ~only(left_out))};
    bool has_child = false;
    std::array<std::uint8_t, max_ranks> colours{};
    // A root that is a member for all ranks that come to the instruction.
    auto const root_in = [&](Handle on) {
        Rank root = rank();
        while (on == group && root == left_out) root = rank();
        return root;
    };
    while (scenario.program.size() < instructions) {
        auto const on = static_cast<Handle>(rng.below(has_child ? 3 : 2));
        switch (rng.below(10)) {
            case 0:
            case 1:
                if (on != child) scenario.program.push_back(broadcast(on, root_in(on)));
                break;
            case 2:
                if (on != child) scenario.program.push_back(large_broadcast(on, root_in(on)));
                break;
            case 3:
                if (on != child) scenario.program.push_back(large_reduce(on, root_in(on)));
                break;
            case 8:
                if (on != child) scenario.program.push_back(reduce(on, root_in(on)));
                break;
            case 9:
                if (on != child)
                    scenario.program.push_back(
                        gather_unlike(on, root_in(on), static_cast<RankSet>(rng.below(std::uint64_t{1} << ranks))));
                break;
            case 4:
                scenario.program.push_back(all_reduce(on));
                break;
            case 5:
                scenario.program.push_back(all_to_all(on));
                break;
            case 6: {
                Rank const from = rank();
                scenario.program.push_back(message(from, static_cast<Rank>((from + 1) % ranks)));
                break;
            }
            default:
                if (has_child) {
                    scenario.program.push_back(release(child));
                } else {
                    for (auto& colour : colours) colour = static_cast<std::uint8_t>(rng.below(2));
                    if (rng.below(4) == 0) colours[rank()] = no_colour;
                    scenario.program.push_back(split(rng.below(3) == 0 ? group : world, colours));
                }
                has_child = !has_child;
        }
    }
    return scenario;
}

}  // namespace regraft::shield::test
