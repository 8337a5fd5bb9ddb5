#include "regraft/store/replicated_store.hpp"

#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/schedule/h_relation.hpp"

namespace regraft::store {
namespace {

using exchange::Segment;

ft::FailPhase submit_phase("submit");
ft::FailPhase load_phase("load");

/// Every rank's requests, block by block, ranks one after the other.
std::vector<schedule::Request> all_requests(ft::Communicator& comm, std::span<BlockRange const> wanted) {
    std::vector<std::uint64_t> ends;
    for (auto const& range : wanted) ends.insert(ends.end(), {value(range.first), value(range.last)});
    auto const rows = exchange::all_gather(comm, ends);
    std::vector<schedule::Request> requests;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
            for (auto id = row[i]; id < row[i + 1]; ++id) requests.push_back({BlockId{id}, comm.members()[rank]});
        }
    }
    return requests;
}

/// The lost blocks as ascending ranges, however many members want them.
std::vector<BlockRange> lost_ranges(std::span<schedule::Request const> unservable) {
    std::vector<BlockId> ids;
    for (auto const& request : unservable) ids.push_back(request.block);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<BlockRange> ranges;
    for (auto id : ids) {
        if (!ranges.empty() && ranges.back().last == id) {
            ranges.back().last = advance(id, 1);
        } else {
            ranges.push_back({id, advance(id, 1)});
        }
    }
    return ranges;
}

/// One segment per rank, for its blocks one behind the other.
std::vector<Segment> consecutive(std::span<std::vector<BlockId> const> blocks, std::size_t block_bytes) {
    std::vector<Segment> segments;
    std::uint64_t offset = 0;
    for (auto const& ids : blocks) {
        segments.push_back({offset, ids.size() * block_bytes});
        offset += segments.back().size;
    }
    return segments;
}

}  // namespace

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    REGRAFT_EXPECTS(placement.shape().num_slots == comm_.size());
    comm_.reach(submit_phase.before);
    auto const ranges = exchange::all_gather(comm_, std::vector{value(mine.first), value(mine.last)});
    auto const members = comm_.members();
    auto const slot_of = [](std::size_t rank) { return placement::Slot{checked_cast<std::uint32_t>(rank)}; };
    Version next{std::move(placement), {members.begin(), members.end()}, block_bytes, {}, {}};
    auto const held = next.placement.held(slot_of(comm_.position(comm_.self())));
    next.held = BlockLayout(held);

    // A rank's blocks are one range, so what it sends to a holder lies in the holder's memory in one piece.
    std::vector<std::byte> outgoing;
    std::vector<Segment> out;
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
        auto const begin = outgoing.size();
        for (auto const& range : next.placement.held(slot_of(rank))) {
            auto const part = intersect(range, mine);
            auto const bytes = blocks.subspan(part.empty() ? 0 : (value(part.first) - value(mine.first)) * block_bytes,
                                              part.size() * block_bytes);
            outgoing.insert(outgoing.end(), bytes.begin(), bytes.end());
        }
        out.push_back({begin, outgoing.size() - begin});
    }
    std::vector<Segment> in;
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
        BlockRange const theirs{BlockId{ranges[rank][0]}, BlockId{ranges[rank][1]}};
        std::uint64_t before = 0;
        std::uint64_t count = 0;
        for (auto const& range : held) {
            before += intersect(range, {BlockId{0}, theirs.first}).size();
            count += intersect(range, theirs).size();
        }
        in.push_back({before * block_bytes, count * block_bytes});
    }
    next.bytes.resize(next.held.size() * block_bytes);

    comm_.reach(submit_phase.inside);
    exchange::all_to_all(comm_, outgoing, out, next.bytes, in);
    comm_.agree(true);
    current_ = std::move(next);
    comm_.reach(submit_phase.after);
}

LoadReport ReplicatedStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out) {
    REGRAFT_EXPECTS(current_.has_value());
    BlockLayout const places(wanted);
    REGRAFT_EXPECTS(out.size() == places.size() * current_->block_bytes);
    comm_.reach(load_phase.before);
    auto const requests = all_requests(comm_, wanted);
    auto const members = comm_.members();
    auto const& placement = current_->placement;
    Csr<PeId> holders;
    for (auto const& request : requests) {
        for (std::uint32_t copy = 0; copy < placement.num_copies(request.block); ++copy) {
            auto const pe = current_->pe_of_slot[value(placement.holder(request.block, copy))];
            if (std::binary_search(members.begin(), members.end(), pe)) holders.push_value(pe);
        }
        holders.end_row();
    }
    auto const plan = schedule::choose_senders(requests, holders);
    auto const size = current_->block_bytes;

    // Both ends list the blocks of a pair in the plan's order, so the payload needs no headers.
    std::vector<std::vector<BlockId>> sent(members.size());
    std::vector<std::vector<BlockId>> received(members.size());
    for (auto const& transfer : plan.transfers) {
        if (transfer.sender == comm_.self()) sent[comm_.position(transfer.receiver)].push_back(transfer.block);
        if (transfer.receiver == comm_.self()) received[comm_.position(transfer.sender)].push_back(transfer.block);
    }
    auto const held_block = [&](BlockId id) {
        return std::span(current_->bytes).subspan(current_->held.place(id) * size, size);
    };
    std::vector<std::byte> outgoing;
    for (auto const& blocks : sent) {
        for (auto id : blocks) {
            auto const bytes = held_block(id);
            outgoing.insert(outgoing.end(), bytes.begin(), bytes.end());
        }
    }
    auto const in = consecutive(received, size);
    std::vector<std::byte> incoming(in.back().offset + in.back().size);

    comm_.reach(load_phase.inside);
    exchange::all_to_all(comm_, outgoing, consecutive(sent, size), incoming, in);

    auto const deliver = [&](BlockId id, std::span<std::byte const> bytes) {
        std::copy(bytes.begin(), bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(places.place(id) * size));
    };
    LoadReport report{lost_ranges(plan.unservable), plan.b,          std::max(plan.b, plan.r),
                      plan.transfers.size(),        incoming.size(), 0};
    for (auto const& transfer : plan.local) {
        if (transfer.receiver != comm_.self()) continue;
        deliver(transfer.block, held_block(transfer.block));
        report.bytes_local += size;
    }
    std::uint64_t next = 0;
    for (auto const& blocks : received) {
        for (auto id : blocks) deliver(id, std::span(incoming).subspan(size * next++, size));
    }
    comm_.agree(true);
    comm_.reach(load_phase.after);
    return report;
}

}  // namespace regraft::store
