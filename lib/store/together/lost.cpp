#include "store/together/lost.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "regraft/core/united.hpp"
#include "store/together/complaint.hpp"

namespace regraft::store {
namespace {

/// Calls visit for each lost part of each range, with its place in the ranges' bytes.
template <class Visit>
void visit_lost(Wanted wanted, std::span<BlockRange const> lost, BlockSizes const& sizes, Visit visit) {
    for (auto const& range : wanted.ranges) {
        auto const bytes = wanted.out.first(sizes.bytes(range));
        wanted.out = wanted.out.subspan(bytes.size());
        auto at = std::partition_point(lost.begin(), lost.end(), [&](auto const& l) { return l.last <= range.first; });
        for (; at != lost.end() && at->first < range.last; ++at) {
            auto const part = intersect(*at, range);
            auto const begin = sizes.bytes(BlockRange{range.first, part.first});
            if (!part.empty()) visit(part, bytes.subspan(begin, sizes.bytes(part)));
        }
    }
}

void clear(Wanted const& wanted, std::span<BlockRange const> lost, std::span<BlockRange const> spoilt,
           BlockSizes const& sizes) {
    visit_lost(wanted, lost, sizes, [&](BlockRange part, std::span<std::byte> place) {
        visit_lost({std::span(&part, 1), place}, spoilt, sizes,
                   [](BlockRange, std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{}); });
    });
}

DataLost data_lost(std::vector<BlockRange> const& lost, std::string const& why) {
    constexpr std::size_t most_named = 3;
    std::uint64_t blocks = 0;
    for (auto const& range : lost) blocks += range.size();
    auto text = std::to_string(blocks) + " wanted blocks are lost";
    if (!why.empty()) text += " and could not be read again (" + why + ")";
    text += ":";
    for (std::size_t i = 0; i < std::min(lost.size(), most_named); ++i) {
        text += (i == 0 ? " [" : ", [") + std::to_string(value(lost[i].first)) + ", " +
                std::to_string(value(lost[i].last)) + ")";
    }
    if (lost.size() > most_named) text += " and " + std::to_string(lost.size() - most_named) + " more ranges";
    text += why.empty() ? "; more replicas, on different nodes, outlive more deaths, and LoadOptions::reread gets lost "
                          "blocks from where they came from"
                        : "; more replicas, on different nodes, outlive more deaths";
    return {text, lost, why};
}

}  // namespace

void make_up_for_lost(ft::Communicator& comm, BlockSizes const& sizes, Wanted const& wanted,
                      std::vector<BlockRange> const& lost, std::vector<BlockRange> spoilt, LoadOptions const& options) {
    if (lost.empty()) return;
    clear(wanted, lost, united(std::move(spoilt)), sizes);
    if (options.reread) {
        Complaint failed;
        try {
            failed = attempt([&] { visit_lost(wanted, lost, sizes, options.reread); });
        } catch (...) {
            failed = "an exception of unknown type";
        }
        if (auto const why = first_complaint(comm, failed)) throw data_lost(lost, *why);
    } else if (options.lost == LoadOptions::Lost::thrown) {
        throw data_lost(lost, "");
    }
}

}  // namespace regraft::store
