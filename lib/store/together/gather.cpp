#include "store/together/gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/united.hpp"
#include "store/together/digest.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

/// The sizes of all blocks. `blocks` are those of this member's range. Collective, not uniform.
BlockSizes gather_sizes(ft::Communicator& comm, std::span<BlockRange const> ranges, CsrView<std::byte> blocks) {
    // Each number takes only as many bits as the largest needs.
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) largest = std::max<std::uint64_t>(largest, blocks[i].size());
    auto const width = static_cast<std::uint32_t>(std::bit_width(largest));
    PackedNumbers mine;
    mine.append(width, 64);
    for (std::size_t i = 0; i < blocks.size(); ++i) mine.append(blocks[i].size(), width);
    auto const rows = exchange::all_gather(comm, mine.words());

    std::vector<std::size_t> in_order(ranges.size());
    std::iota(in_order.begin(), in_order.end(), std::size_t{0});
    std::sort(in_order.begin(), in_order.end(), [&](auto a, auto b) { return ranges[a] < ranges[b]; });
    BlockSizes::Builder sizes;
    for (auto const rank : in_order) {
        auto const row = rows[rank];
        auto const bits = checked_cast<std::uint32_t>(row[0]);
        REGRAFT_EXPECTS((row.size() - 1) * 64 >= ranges[rank].size() * bits);
        for (std::uint64_t i = 0; i < ranges[rank].size(); ++i)
            sizes.add(PackedNumbers::read(row, 64 + i * bits, bits));
    }
    return std::move(sizes).take();
}

}  // namespace

std::uint64_t num_covered(std::span<BlockRange const> ranges) {
    std::vector<BlockRange> sorted(ranges.begin(), ranges.end());
    std::sort(sorted.begin(), sorted.end());
    BlockId next{0};
    for (auto const& range : sorted) {
        if (range.empty()) continue;
        REGRAFT_EXPECTS(range.first == next && "the members' ranges cover the blocks, each once");
        next = range.last;
    }
    return value(next);
}

Submitters gather_submitters(ft::Communicator& comm, BlockRange mine, std::uint64_t identity, std::uint64_t alike,
                             std::optional<std::uint32_t> node) {
    std::vector words{call(Function::submit, identity), value(mine.first), value(mine.last), alike};
    if (node) words.push_back(*node);
    auto const rows = exchange::all_gather(comm, words);
    expect_same_call(comm, rows);
    Submitters result;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        REGRAFT_EXPECTS(row.size() == words.size() && "all members give a node or none does");
        REGRAFT_EXPECTS(row[3] == alike && "all members submit with the same placement or code, size and options");
        result.ranges.push_back({BlockId{row[1]}, BlockId{row[2]}});
        if (node) result.node_of.push_back(checked_cast<std::uint32_t>(row[4]));
    }
    static_cast<void>(num_covered(result.ranges));
    return result;
}

Csr<BlockRange> gather_wanted(ft::Communicator& comm, std::span<BlockRange const> wanted, std::uint64_t identity,
                              std::uint64_t alike) {
    std::vector<std::uint64_t> mine{call(Function::load, identity), alike};
    for (auto const& range : wanted) {
        if (!range.empty()) mine.insert(mine.end(), {value(range.first), value(range.last)});
    }
    auto const words = exchange::all_gather(comm, mine);
    expect_same_call(comm, words);
    Csr<BlockRange> rows;
    for (std::size_t rank = 0; rank < words.size(); ++rank) {
        while (rows.size() < value(comm.members()[rank])) rows.end_row();
        auto const row = words[rank];
        REGRAFT_EXPECTS(row[1] == alike && "all members load with the same options");
        for (std::size_t i = 2; i + 1 < row.size(); i += 2) rows.push_value({BlockId{row[i]}, BlockId{row[i + 1]}});
        rows.end_row();
    }
    while (rows.size() < comm.num_founders()) rows.end_row();
    return rows;
}

OwnSubmission blocks_of(BlockRange mine, std::span<std::byte const> bytes, std::uint64_t block_bytes) {
    REGRAFT_EXPECTS(bytes.size() == mine.size() * block_bytes);
    return {mine, bytes, block_bytes,
            [=](std::span<BlockRange const> ranges) { return BlockSizes(num_covered(ranges), block_bytes); }};
}

OwnSubmission blocks_of(ft::Communicator& comm, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    return {mine, blocks.values, various_bytes,
            [&comm, blocks](std::span<BlockRange const> ranges) { return gather_sizes(comm, ranges, blocks); }};
}

void expect_whole(ft::Communicator const& comm, Submissions const& all, std::span<std::byte const> bytes) {
    REGRAFT_EXPECTS(all.ranges.size() == comm.size());
    REGRAFT_EXPECTS(num_covered(all.ranges) == all.sizes.num_blocks());
    REGRAFT_EXPECTS(bytes.size() == all.sizes.bytes(all.ranges[comm.position(comm.self())]));
}

void share_report(ft::Communicator& comm, LoadReport& report) {
    std::array most{report.b, report.rounds, report.most_sent, report.most_received};
    std::array sums{report.blocks_moved, report.bytes_moved, report.bytes_between_nodes,
                    std::uint64_t{report.lost.size()}};
    comm.check(MPI_Allreduce(MPI_IN_PLACE, most.data(), most.size(), MPI_UINT64_T, MPI_MAX, comm.native()),
               "MPI_Allreduce");
    comm.check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), sums.size(), MPI_UINT64_T, MPI_SUM, comm.native()),
               "MPI_Allreduce");
    report.b = most[0];
    report.rounds = most[1];
    report.most_sent = most[2];
    report.most_received = most[3];
    report.blocks_moved = sums[0];
    report.bytes_moved = sums[1];
    report.bytes_between_nodes = sums[2];
    report.most_sent_bound = (report.bytes_moved + comm.size() - 1) / comm.size();
    if (sums[3] == 0) return;
    std::vector<std::uint64_t> mine;
    for (auto const& range : report.lost) mine.insert(mine.end(), {value(range.first), value(range.last)});
    auto const ends = exchange::all_gather(comm, mine);
    std::vector<BlockRange> lost;
    for (std::size_t i = 0; i < ends.values.size(); i += 2)
        lost.push_back({BlockId{ends.values[i]}, BlockId{ends.values[i + 1]}});
    report.lost = united(std::move(lost));
}

Csr<BlockRange> rows_of_members(ft::Communicator const& comm, CsrView<BlockRange> rows) {
    REGRAFT_EXPECTS(rows.size() == comm.num_founders() && "a row for every PeId");
    Csr<BlockRange> result;
    for (auto const pe : comm.members()) result.push_row(rows[value(pe)]);
    return result;
}

}  // namespace regraft::store
