// Gathers the blocks that lack copies, lets targets.cpp decide which members shall hold them, and turns that into steps
// with senders.
#include "regraft/repair/plan.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/schedule/range_senders.hpp"
#include "repair/steps.hpp"
#include "repair/targets.hpp"

namespace regraft::repair {
namespace {

/// The members and their numbers 0, 1, ...
class Numbers {
public:
    explicit Numbers(std::span<PeId const> members) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            REGRAFT_EXPECTS(i == 0 || members[i - 1] < members[i]);
            number_.resize(std::size_t{value(members[i])} + 1, none);
            number_.back() = checked_cast<Member>(i);
        }
    }
    Member operator[](PeId pe) const {
        REGRAFT_EXPECTS(value(pe) < number_.size() && number_[value(pe)] != none);
        return number_[value(pe)];
    }

private:
    static constexpr auto none = std::numeric_limits<Member>::max();
    std::vector<Member> number_;
};

/// The numbers that occur, ascending. Equal neighbours, such as the ranks of a node, are left out before they are
/// sorted.
std::vector<std::uint32_t> different(std::span<std::uint32_t const> numbers) {
    std::vector<std::uint32_t> result;
    std::unique_copy(numbers.begin(), numbers.end(), std::back_inserter(result));
    if (std::is_sorted(result.begin(), result.end())) return result;
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// Numbers failure domains 0, 1, ...; without domains every member is its own.
void number_nodes(std::span<std::uint32_t const> node_of, Situation& situation) {
    auto const members = situation.fill.used.size();
    REGRAFT_EXPECTS(node_of.empty() || node_of.size() == members);
    situation.nodes_matter = !node_of.empty();
    situation.node_of.resize(members);
    std::iota(situation.node_of.begin(), situation.node_of.end(), 0U);
    situation.num_nodes = checked_cast<std::uint32_t>(members);
    if (node_of.empty()) return;
    auto const names = different(node_of);
    auto place = names.begin();
    for (std::size_t i = 0; i < members; ++i) {
        if (*place != node_of[i]) place = std::lower_bound(names.begin(), names.end(), node_of[i]);
        situation.node_of[i] = static_cast<std::uint32_t>(place - names.begin());
    }
    situation.num_nodes = checked_cast<std::uint32_t>(names.size());
}

void note_copies(std::size_t copies, Plan& plan) {
    auto const count = checked_cast<std::uint32_t>(copies);
    plan.least_copies = std::min(plan.least_copies, count);
    plan.most_copies = std::max(plan.most_copies, count);
}

BlockRange all_blocks(placement::Directory const& directory) {
    return {BlockId{0}, BlockId{directory.num_blocks()}};
}

/// The number of bytes that every member holds.
std::vector<std::uint64_t> bytes_held(placement::Directory const& directory, BlockSizes const& sizes,
                                      std::span<PeId const> members, Numbers const& numbers) {
    if (sizes.equal()) {
        auto held = directory.num_held(members);
        auto const each = sizes.num_blocks() == 0 ? 0 : sizes.bytes(BlockId{0});
        for (auto& amount : held) amount *= each;
        return held;
    }
    std::vector<std::uint64_t> held(members.size(), 0);
    directory.visit(all_blocks(directory), [&](placement::Run const& run) {
        for (auto const pe : run.holders) held[numbers[pe]] += sizes.bytes(run.blocks);
    });
    return held;
}

/// Adds blocks as a piece, or as lost.
void take_up(placement::Run const& run, Numbers const& numbers, Situation& situation, Plan& plan) {
    if (run.holders.empty()) {
        if (plan.lost.empty() || plan.lost.back().last != run.blocks.first) plan.lost.push_back({run.blocks.first, {}});
        plan.lost.back().last = run.blocks.last;
        return;
    }
    auto const copies = run.holders.size();
    if (copies < situation.replicas) {
        plan.bytes_missing += (situation.replicas - copies) * situation.units.sizes().bytes(run.blocks);
    }
    auto& piece = situation.pieces.emplace_back();
    piece.blocks = run.blocks;
    for (auto const pe : run.holders) piece.before.push_back(numbers[pe]);
    piece.after = piece.before;
}

/// Gathers the blocks that lack copies; others are only counted.
void gather_short(placement::Directory const& directory, Numbers const& numbers, Situation& situation, Plan& plan) {
    auto const copies = std::max<std::size_t>(1, situation.replicas);  // lost blocks lack copies too
    auto const others = directory.visit_short_of(static_cast<std::uint32_t>(copies),
                                                 [&](auto const& run) { take_up(run, numbers, situation, plan); });
    if (others.most == 0) return;
    note_copies(others.fewest, plan);
    note_copies(others.most, plan);
}

void gather_all(placement::Directory const& directory, Numbers const& numbers, Situation& situation, Plan& plan) {
    directory.visit(all_blocks(directory), [&](auto const& run) { take_up(run, numbers, situation, plan); });
}

/// Starts a plan and decides which members shall hold what.
Plan with_targets(placement::Directory const& directory, Numbers const& numbers, Situation& situation) {
    auto const no_copies = [] {
        Plan plan;
        plan.least_copies = std::numeric_limits<std::uint32_t>::max();
        return plan;
    };
    auto plan = no_copies();
    gather_short(directory, numbers, situation, plan);
    if (add_what_is_missing(situation)) return plan;
    plan = no_copies();
    situation.pieces.clear();
    gather_all(directory, numbers, situation, plan);  // any block may have to make way
    keep_to_room(situation);
    return plan;
}

/// Chooses senders; neighbouring blocks travel together.
Step with_senders(Moves&& moves, BlockSizes const& sizes, std::span<PeId const> members) {
    struct Arrival {
        Member receiver;
        BlockId first;
        std::uint32_t copy;
        auto operator<=>(Arrival const&) const = default;
    };
    std::vector<Arrival> places;
    for (auto const& move : moves.copies) {
        places.push_back({move.receiver, move.blocks.first, static_cast<std::uint32_t>(places.size())});
    }
    std::sort(places.begin(), places.end());
    std::vector<schedule::RangeRequest> requests;
    Csr<PeId> holders;
    MemberSet const* last = nullptr;
    for (auto const& place : places) {
        auto const& move = moves.copies[place.copy];
        auto const receiver = members[move.receiver];
        if (last != nullptr && *last == move.holders && requests.back().receiver == receiver &&
            requests.back().blocks.last == move.blocks.first) {
            requests.back().blocks.last = move.blocks.last;
            continue;
        }
        last = &move.holders;
        requests.push_back({move.blocks, receiver});
        for (auto const holder : move.holders) holders.push_value(members[holder]);
        holders.end_row();
    }
    Step step;
    step.drops = std::move(moves.drops);
    for (auto const& transfer : schedule::choose_range_senders(requests, holders, sizes).transfers) {
        if (!step.copies.empty()) {
            auto& before = step.copies.back();
            if (before.sender == transfer.sender && before.receiver == transfer.receiver &&
                before.blocks.last == transfer.blocks.first) {
                before.blocks.last = transfer.blocks.last;
                continue;
            }
        }
        step.copies.push_back({transfer.blocks, transfer.sender, transfer.receiver});
    }
    return step;
}

std::uint64_t bytes_missing(Situation const& situation) {
    std::uint64_t sum = 0;
    for (auto const& [blocks, before, after] : situation.pieces) {
        if (after.empty() || after.size() >= situation.replicas) continue;
        sum += (situation.replicas - after.size()) * situation.units.sizes().bytes(blocks);
    }
    return sum;
}

/// Adds the steps of what is planned; returns whether there are any.
bool append_steps(Situation& situation, std::span<PeId const> members, Plan& plan) {
    auto all = carry_out(situation.pieces, situation.fill, situation.units, members);
    for (auto& moves : all) plan.steps.push_back(with_senders(std::move(moves), situation.units.sizes(), members));
    for (auto& piece : situation.pieces) piece.before = piece.after;
    return !all.empty();
}

void sum_up(Situation const& situation, Numbers const& numbers, Plan& plan) {
    plan.bytes_not_restored = bytes_missing(situation);
    for (auto const& piece : situation.pieces) note_copies(piece.after.size(), plan);
    if (plan.most_copies == 0) plan.least_copies = 0;
    std::vector<std::uint64_t> sent(situation.fill.used.size(), 0);
    std::vector<std::uint64_t> received(sent.size(), 0);
    for (auto const& step : plan.steps) {
        for (auto const& copy : step.copies) {
            auto const bytes = situation.units.sizes().bytes(copy.blocks);
            sent[numbers[copy.sender]] += bytes;
            received[numbers[copy.receiver]] += bytes;
            plan.bytes_copied += bytes;
        }
    }
    for (auto const bytes : sent) plan.most_sent = std::max(plan.most_sent, bytes);
    for (auto const bytes : received) plan.most_received = std::max(plan.most_received, bytes);
}

}  // namespace

std::vector<std::uint32_t> domains_of(std::span<PeId const> members, std::span<std::uint32_t const> by_pe) {
    if (by_pe.empty()) return {};
    std::vector<std::uint32_t> domains;
    domains.reserve(members.size());
    for (auto const pe : members) domains.push_back(by_pe[value(pe)]);
    auto const count = different(domains).size();
    return count > 1 && count < members.size() ? domains : std::vector<std::uint32_t>();
}

Plan plan(placement::Directory const& directory, BlockSizes const& sizes, std::span<PeId const> members,
          Options const& options) {
    REGRAFT_EXPECTS(sizes.num_blocks() == directory.num_blocks());
    REGRAFT_EXPECTS(options.room.empty() || options.room.size() == members.size());
    REGRAFT_EXPECTS(options.held.empty() || options.held.size() == members.size());
    Numbers const numbers(members);
    REGRAFT_EXPECTS(directory.retains_only(members));
    auto const wanted = options.replicas == 0 ? directory.replicas() : options.replicas;
    Situation situation{Units(sizes), {}, 0, false, std::min<std::size_t>(wanted, members.size()), {}, {}};
    REGRAFT_EXPECTS(sizes.bytes() <=
                    (std::numeric_limits<std::uint64_t>::max() >> 1) / std::max<std::size_t>(1, situation.replicas));
    situation.fill.used.assign(options.held.begin(), options.held.end());
    if (options.held.empty()) situation.fill.used = bytes_held(directory, sizes, members, numbers);
    auto const no_limit = std::numeric_limits<std::uint64_t>::max();
    if (std::any_of(options.room.begin(), options.room.end(), [&](auto room) { return room != no_limit; })) {
        situation.fill.room.assign(options.room.begin(), options.room.end());
    }
    number_nodes(options.node_of, situation);

    auto plan = with_targets(directory, numbers, situation);
    append_steps(situation, members, plan);
    // Lack of room may have prevented what was planned in fractions of blocks, or all at once.
    while (bytes_missing(situation) > 0) {
        set_targets_by_first_fit(situation);
        if (!append_steps(situation, members, plan)) break;
    }
    sum_up(situation, numbers, plan);
    return plan;
}

}  // namespace regraft::repair
