// Rows of assignments: made from loose pieces, summed up, and checked.
#include "regraft/assign/assignment.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "assign/pe_work.hpp"
#include "regraft/assign/blocks.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::assign {

Assignment rows_of(std::vector<PeWork> pieces, std::uint32_t num_rows) {
    std::erase_if(pieces, [](PeWork const& piece) { return piece.work.sites.empty(); });
    std::sort(pieces.begin(), pieces.end(), [](PeWork const& a, PeWork const& b) {
        return std::tuple(a.pe, a.work.sites.first) < std::tuple(b.pe, b.work.sites.first);
    });
    REGRAFT_EXPECTS(pieces.empty() || value(pieces.back().pe) < num_rows);

    Assignment rows;
    rows.offsets.reserve(std::size_t{num_rows} + 1);
    auto next = pieces.begin();
    for (std::uint32_t row = 0; row < num_rows; ++row) {
        for (; next != pieces.end() && value(next->pe) == row; ++next) append(rows, next->work);
        rows.end_row();
    }
    return rows;
}

void append(Assignment& rows, Work const& work) {
    bool const is_first = rows.values.size() == rows.offsets.back();
    if (!is_first && rows.values.back().partition == work.partition &&
        rows.values.back().sites.last == work.sites.first) {
        rows.values.back().sites.last = work.sites.last;
    } else {
        rows.push_value(work);
    }
}

std::vector<BlockRange> to_blocks(std::span<Work const> row) {
    std::vector<BlockRange> blocks;
    for (auto const& work : row) blocks.push_back({BlockId{value(work.sites.first)}, BlockId{value(work.sites.last)}});
    return blocks;
}

std::uint64_t num_sites(std::span<Work const> row) {
    std::uint64_t sum = 0;
    for (auto const& work : row) sum += work.sites.size();
    return sum;
}

std::uint64_t cost(std::span<Work const> row, std::span<std::uint64_t const> cost_per_site) {
    __extension__ using Wide = unsigned __int128;
    Wide sum = 0;
    for (auto const& work : row) {
        REGRAFT_EXPECTS(value(work.partition) < cost_per_site.size());
        sum += Wide{work.sites.size()} * cost_per_site[value(work.partition)];
        REGRAFT_EXPECTS(sum < Wide{1} << 63);
    }
    return static_cast<std::uint64_t>(sum);
}

namespace {

/// Whether the row ascends, has no empty pieces, and no pieces that could be joined.
bool is_tidy(std::span<Work const> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].sites.first >= row[i].sites.last) return false;
        if (i == 0) continue;
        auto const& before = row[i - 1];
        if (before.sites.last > row[i].sites.first) return false;
        if (before.sites.last == row[i].sites.first && before.partition == row[i].partition) return false;
    }
    return true;
}

}  // namespace

bool covers_once(Assignment const& assignment, std::span<std::uint64_t const> partition_begin) {
    REGRAFT_EXPECTS(!partition_begin.empty() && std::is_sorted(partition_begin.begin(), partition_begin.end()));
    for (std::size_t row = 0; row < assignment.size(); ++row) {
        if (!is_tidy(assignment[row])) return false;
    }
    auto all = assignment.values;
    std::sort(all.begin(), all.end(), [](Work const& a, Work const& b) { return a.sites.first < b.sites.first; });
    auto next = SiteId{partition_begin.front()};
    for (auto const& work : all) {
        auto const q = std::size_t{value(work.partition)};
        if (q + 1 >= partition_begin.size() || work.sites.first != next) return false;
        if (value(work.sites.first) < partition_begin[q] || value(work.sites.last) > partition_begin[q + 1])
            return false;
        next = work.sites.last;
    }
    return value(next) == partition_begin.back();
}

}  // namespace regraft::assign
