#include "repair/steps.hpp"

#include <algorithm>
#include <iterator>

namespace regraft::repair {
namespace {

MemberSet difference(MemberSet const& a, MemberSet const& b) {
    MemberSet result;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

/// A piece whose copies are under way.
struct Moving {  // NOLINT(bugprone-exception-escape): see MemberSet
    PlannedBlocks piece;
    MemberSet now;
    MemberSet arriving;

    bool is_done() const { return now == piece.after; }
    std::size_t fewest() const { return std::min(piece.before.size(), piece.after.size()); }
};

/// Plans the arrival of blocks where there is room. The part of a piece without room goes to the end of moving.
void let_arrive(std::vector<Moving>& moving, std::size_t index, Fill& fill, Units const& units) {
    for (auto const receiver : difference(moving[index].piece.after, moving[index].now)) {
        auto& blocks = moving[index].piece.blocks;
        auto const cut = units.cut_below(blocks, fill.left(receiver));
        if (cut == blocks.first) continue;
        fill.used[receiver] += units.sizes().bytes({blocks.first, cut});
        if (cut != blocks.last) {
            auto rest = moving[index];
            rest.piece.blocks.first = cut;
            blocks.last = cut;
            moving.push_back(std::move(rest));
        }
        insert(moving[index].arriving, receiver);
    }
}

Moves next_step(std::vector<Moving>& moving, Fill& fill, Units const& units, std::span<PeId const> members) {
    Moves step;
    for (std::size_t i = 0; i < moving.size(); ++i) {  // moving may grow
        if (!moving[i].is_done()) let_arrive(moving, i, fill, units);
    }
    for (auto& [piece, now, arriving] : moving) {
        for (auto const receiver : arriving) step.copies.push_back({piece.blocks, now, receiver});
        for (auto const receiver : arriving) insert(now, receiver);
        arriving.clear();
    }
    for (auto& each : moving) {
        for (auto const holder : difference(each.now, each.piece.after)) {
            if (each.now.size() <= each.fewest()) break;
            erase(each.now, holder);
            fill.used[holder] -= units.sizes().bytes(each.piece.blocks);
            step.drops.push_back({each.piece.blocks, members[holder]});
        }
    }
    return step;
}

}  // namespace

std::vector<Moves> carry_out(std::vector<PlannedBlocks>& pieces, Fill& fill, Units const& units,
                             std::span<PeId const> members) {
    std::vector<Moving> moving;
    std::vector<PlannedBlocks> result;
    for (auto& piece : pieces) {
        if (piece.before == piece.after) {
            result.push_back(std::move(piece));
        } else {
            auto now = piece.before;
            moving.push_back({std::move(piece), std::move(now), {}});
        }
    }
    std::vector<Moves> steps;
    for (;;) {
        auto step = next_step(moving, fill, units, members);
        if (step.copies.empty() && step.drops.empty()) break;
        steps.push_back(std::move(step));
    }
    for (auto& each : moving) result.push_back({each.piece.blocks, std::move(each.piece.before), std::move(each.now)});
    auto const by_blocks = [](PlannedBlocks const& a, PlannedBlocks const& b) { return a.blocks < b.blocks; };
    // Parts that were cut off are at the end.
    auto const cut_off = std::is_sorted_until(result.begin(), result.end(), by_blocks);
    std::sort(cut_off, result.end(), by_blocks);
    std::inplace_merge(result.begin(), cut_off, result.end(), by_blocks);
    pieces = std::move(result);
    return steps;
}

}  // namespace regraft::repair
