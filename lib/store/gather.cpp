#include "store/gather.hpp"

#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"

namespace regraft::store {

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

BlockSizes gather_sizes(ft::Communicator& comm, std::span<BlockRange const> ranges, CsrView<std::byte> blocks) {
    std::vector<std::uint64_t> mine;
    for (std::size_t i = 0; i < blocks.size(); ++i) mine.push_back(blocks[i].size());
    auto const rows = exchange::all_gather(comm, mine);
    std::vector<std::uint64_t> begins(rows.values.size() + 1, 0);
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
        REGRAFT_EXPECTS(rows[rank].size() == ranges[rank].size());
        if (rows[rank].empty()) continue;
        std::copy(rows[rank].begin(), rows[rank].end(),
                  begins.begin() + 1 + static_cast<std::ptrdiff_t>(value(ranges[rank].first)));
    }
    for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    return BlockSizes(std::move(begins));
}

Csr<BlockRange> gather_wanted(ft::Communicator& comm, std::span<BlockRange const> wanted) {
    std::vector<std::uint64_t> ends;
    for (auto const& range : wanted) {
        if (!range.empty()) ends.insert(ends.end(), {value(range.first), value(range.last)});
    }
    auto const words = exchange::all_gather(comm, ends);
    Csr<BlockRange> rows;
    for (std::size_t rank = 0; rank < words.size(); ++rank) {
        auto const row = words[rank];
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) rows.push_value({BlockId{row[i]}, BlockId{row[i + 1]}});
        rows.end_row();
    }
    return rows;
}

}  // namespace regraft::store
