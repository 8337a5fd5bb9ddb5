// Carries out a repair plan on a model, block by block, and tells which promise it breaks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "regraft/repair/plan.hpp"

namespace regraft::test {

/// The holders of each block, and what each PE may hold.
struct RepairModel {
    std::vector<std::set<PeId>> holders;  // by block
    std::vector<std::uint64_t> bytes;     // by block
    std::vector<PeId> members;
    std::uint32_t replicas = 0;            // copies that are wanted and possible
    std::map<PeId, std::uint64_t> room{};  // empty: no limit

    std::map<PeId, std::uint64_t> used() const {
        std::map<PeId, std::uint64_t> sum;
        for (auto const pe : members) sum[pe] = 0;
        for (std::size_t b = 0; b < holders.size(); ++b) {
            for (auto const pe : holders[b]) sum[pe] += bytes[b];
        }
        return sum;
    }
    /// Bytes of the copies that are wanted and missing, of blocks that are not lost.
    std::uint64_t missing() const {
        std::uint64_t sum = 0;
        for (std::size_t b = 0; b < holders.size(); ++b) {
            if (!holders[b].empty() && holders[b].size() < replicas) sum += (replicas - holders[b].size()) * bytes[b];
        }
        return sum;
    }
};

namespace repair_detail {

inline bool is_range(BlockRange blocks, std::size_t num_blocks) {
    return blocks.first < blocks.last && value(blocks.last) <= num_blocks;
}

/// What is wrong with the copies of a step, which are made on the model.
inline std::string copy(std::vector<repair::Copy> const& copies, RepairModel& model) {
    auto const before = model.holders;
    for (auto const& [blocks, sender, receiver] : copies) {
        if (!is_range(blocks, before.size())) return "not a range of blocks to copy";
        if (std::find(model.members.begin(), model.members.end(), receiver) == model.members.end())
            return "a stranger receives";
        for (auto b = value(blocks.first); b < value(blocks.last); ++b) {
            if (!before[b].contains(sender)) return "a sender does not hold what it sends";
            if (!model.holders[b].insert(receiver).second) return "a receiver holds what it receives";
        }
    }
    return "";
}

inline std::string drop(std::vector<repair::Drop> const& drops, RepairModel& model) {
    for (auto const& [blocks, holder] : drops) {
        if (!is_range(blocks, model.holders.size())) return "not a range of blocks to drop";
        for (auto b = value(blocks.first); b < value(blocks.last); ++b) {
            if (model.holders[b].erase(holder) == 0) return "somebody drops what it does not hold";
            if (model.holders[b].empty()) return "a last copy is dropped";
        }
    }
    return "";
}

inline std::string sums(repair::Plan const& plan, RepairModel const& model) {
    std::map<PeId, std::uint64_t> sent;
    std::map<PeId, std::uint64_t> received;
    std::uint64_t copied = 0;
    for (auto const& step : plan.steps) {
        for (auto const& [blocks, sender, receiver] : step.copies) {
            for (auto b = value(blocks.first); b < value(blocks.last); ++b) {
                sent[sender] += model.bytes[b];
                received[receiver] += model.bytes[b];
                copied += model.bytes[b];
            }
        }
    }
    if (copied != plan.bytes_copied) return "bytes_copied";
    auto const most = [](std::map<PeId, std::uint64_t> const& of) {
        std::uint64_t result = 0;
        for (auto const& [pe, bytes] : of) result = std::max(result, bytes);
        return result;
    };
    if (most(sent) != plan.most_sent) return "most_sent";
    if (most(received) != plan.most_received) return "most_received";
    return "";
}

inline std::string lost(repair::Plan const& plan, RepairModel const& model) {
    std::vector<BlockRange> expected;
    for (std::uint64_t b = 0; b < model.holders.size(); ++b) {
        if (!model.holders[b].empty()) continue;
        if (expected.empty() || value(expected.back().last) != b) expected.push_back({BlockId{b}, {}});
        expected.back().last = BlockId{b + 1};
    }
    return plan.lost == expected ? "" : "lost";
}

}  // namespace repair_detail

/// What is wrong with the plan; empty: nothing. Leaves the model as the plan leaves it.
inline std::string fault(repair::Plan const& plan, RepairModel& model) {
    namespace detail = repair_detail;
    auto const first = model;
    auto const used = model.used();
    if (auto const wrong = detail::lost(plan, model); !wrong.empty()) return wrong;
    if (plan.bytes_missing != model.missing()) return "bytes_missing";
    // The copies that every block must keep: as many as it had, or as the least has in the end. Blocks of different
    // sizes may do with one, as may room that turns out not to fit whole blocks.
    auto const equal =
        std::adjacent_find(model.bytes.begin(), model.bytes.end(), std::not_equal_to<>()) == model.bytes.end();
    auto const kept = equal ? plan.least_copies : std::min(plan.least_copies, 1U);
    auto const keeps = [&](char const* when) {
        for (std::size_t b = 0; b < first.holders.size(); ++b) {
            auto const fewest = std::min<std::size_t>(first.holders[b].size(), kept);
            if (model.holders[b].size() < fewest) return std::string("too few copies ") + when;
        }
        for (auto const& [pe, bytes] : model.used()) {
            if (model.room.empty()) break;
            if (bytes > std::max(used.at(pe), model.room.at(pe))) return std::string("too little room ") + when;
        }
        return std::string();
    };
    for (auto const& step : plan.steps) {
        if (step.copies.empty() && step.drops.empty()) return "an empty step";
        if (auto const wrong = detail::copy(step.copies, model); !wrong.empty()) return wrong;
        if (auto const wrong = keeps("after copies"); !wrong.empty()) return wrong;
        if (auto const wrong = detail::drop(step.drops, model); !wrong.empty()) return wrong;
        if (auto const wrong = keeps("after drops"); !wrong.empty()) return wrong;
    }
    if (auto const wrong = detail::sums(plan, model); !wrong.empty()) return wrong;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    for (auto const& holders : model.holders) {
        if (holders.empty()) continue;
        least = std::min(least, holders.size());
        most = std::max(most, holders.size());
    }
    if (most == 0) least = 0;
    if (plan.least_copies != least || plan.most_copies != most) return "copies";
    if (plan.bytes_not_restored != model.missing()) return "bytes_not_restored";
    if (!model.room.empty()) return "";
    if (plan.bytes_not_restored != 0) return "something stays missing without need";
    if (plan.bytes_copied != plan.bytes_missing) return "copied is not missing";
    if (plan.steps.size() > 1 || (!plan.steps.empty() && !plan.steps.front().drops.empty())) return "needless steps";
    return "";
}

}  // namespace regraft::test
