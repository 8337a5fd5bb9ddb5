#include "job/dealt_sites.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "job/block_layout.hpp"
#include "job/resources.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {
namespace {

using Clock = std::chrono::steady_clock;

ft::FailPhase recover_phase("recover");
ft::FailPhase deal_phase("deal");

std::uint64_t count(std::span<BlockRange const> ranges) {
    std::uint64_t sum = 0;
    for (auto const& range : ranges) sum += range.size();
    return sum;
}

/// Copies the blocks of some ranges, one behind the other in `from`, to their positions in the layout of `to`. Each
/// range lies within one piece of the layout.
void place_blocks(std::span<BlockRange const> ranges, std::span<std::byte const> from, BlockLayout const& layout,
                  std::span<std::byte> to, std::size_t block_bytes) {
    for (auto const& range : ranges) {
        auto const size = range.size() * block_bytes;
        if (size == 0) continue;
        std::copy_n(from.begin(), size, to.subspan(layout.place(range.first) * block_bytes).begin());
        from = from.subspan(size);
    }
}

/// The blocks of each founding PE's row in its group.
template <class RowOf>
Csr<BlockRange> rows_of(std::span<Group const> groups, std::uint32_t num_founders, RowOf row_of) {
    std::vector<std::vector<BlockRange>> rows(num_founders);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (auto pe : groups[g].members) rows[value(pe)] = blocks_of(row_of(g, value(pe)));
    }
    Csr<BlockRange> result;
    for (auto const& row : rows) result.push_row(row);
    return result;
}

std::vector<PeId> common(std::span<PeId const> some, std::span<PeId const> others) {
    std::vector<PeId> both;
    std::ranges::set_intersection(some, others, std::back_inserter(both));
    return both;
}

}  // namespace

std::uint32_t DealtSites::submit(Dataset const& dataset, std::span<std::byte const> blocks, std::uint32_t replicas) {
    auto const size = checked_cast<std::uint32_t>(comm_.size());
    placement::ModK const placement(dataset.num_patterns(), size, std::min(replicas, size));
    store_.submit(placement::over_nodes(placement, ft::node_ids(comm_)), my_part(dataset, comm_), blocks,
                  dataset.block_bytes());
    dataset_ = &dataset;
    costs_ = cost_per_pattern(dataset);
    groups_.clear();
    return placement.shape().replicas;
}

void DealtSites::deal(std::uint32_t num_groups) {
    if (groups_.size() == num_groups) return;
    comm_.reach(deal_phase.before);
    auto const members = comm_.members();
    std::vector<Group> next;
    for (std::uint32_t g = 0; g < num_groups; ++g) {
        auto const part = even_part<BlockId>(members.size(), g, num_groups);
        auto const some = members.subspan(value(part.first), part.size());
        next.push_back({{some.begin(), some.end()},
                        assign::balance(dataset_->partition_begin, costs_, some, comm_.num_founders())});
    }
    auto const rows = rows_of(next, comm_.num_founders(), [&](auto g, auto pe) { return next[g].work[pe]; });
    Recovery unused;
    auto blocks = load(rows, unused);
    comm_.reach(deal_phase.inside);
    comm_.agree();
    groups_ = std::move(next);
    blocks_ = std::move(blocks);
    comm_.reach(deal_phase.after);
}

void DealtSites::recover(Recovery& record) {
    comm_.reach(recover_phase.before);
    auto begin = Clock::now();
    std::vector<Group> next;
    std::vector<Csr<assign::Work>> gained;
    for (auto const& group : groups_) {
        auto left = common(group.members, comm_.members());
        if (left.empty()) continue;
        auto dealt = assign::reassign(group.work, left, {.cost_per_site = costs_});
        record.new_pairs += dealt.new_pairs;
        next.push_back({std::move(left), std::move(dealt.after)});
        gained.push_back(std::move(dealt.gained));
    }
    record.reassign_ms = milliseconds_since(begin);

    if (!groups_.empty()) {
        auto const self = value(comm_.self());
        auto const rows = rows_of(next, comm_.num_founders(), [&](auto g, auto pe) { return gained[g][pe]; });
        auto const loaded = load(rows, record);
        comm_.reach(recover_phase.inside);
        auto const mine = rows_of(next, comm_.num_founders(), [&](auto g, auto pe) { return next[g].work[pe]; });
        BlockLayout const layout(mine[self]);
        std::vector<std::byte> blocks(layout.size() * dataset_->block_bytes());
        place_blocks(blocks_of(work()), blocks_, layout, blocks, dataset_->block_bytes());
        place_blocks(rows[self], loaded, layout, blocks, dataset_->block_bytes());
        comm_.agree();
        groups_ = std::move(next);
        blocks_ = std::move(blocks);
    }

    begin = Clock::now();
    record.bytes_repaired = store_.repair().bytes_copied;
    record.repair_ms = milliseconds_since(begin);
    comm_.reach(recover_phase.after);
}

std::size_t DealtSites::my_group() const {
    auto const mine = std::ranges::find_if(
        groups_, [&](Group const& group) { return std::ranges::binary_search(group.members, comm_.self()); });
    REGRAFT_EXPECTS(mine != groups_.end());
    return static_cast<std::size_t>(mine - groups_.begin());
}

/// Loads this PE's row from the store; blocks that no survivor holds are read from the input file.
std::vector<std::byte> DealtSites::load(Csr<BlockRange> const& rows, Recovery& record) {
    std::vector<std::byte> loaded(count(rows[value(comm_.self())]) * dataset_->block_bytes());
    BlockReader read;
    Problem problem;
    auto const reread = [&](BlockRange lost, std::span<std::byte> place) {
        auto const begin = Clock::now();
        try {
            if (!read) read = reread_();
            std::ranges::copy(read(lost), place.begin());
        } catch (std::exception const& error) {
            problem = Problem::of(error);
            throw;
        }
        record.reread_ms += milliseconds_since(begin);
    };
    auto const begin = Clock::now();
    try {
        auto const report = store_.load(rows, loaded, {.reread = reread});
        record.load_ms = milliseconds_since(begin) - record.reread_ms;
        record.b = checked_cast<std::uint32_t>(report.b);
        record.rounds = checked_cast<std::uint32_t>(report.rounds);
        record.blocks_taken_over = count(rows.values);
        record.blocks_reread = count(report.lost);
        record.bytes_loaded = (record.blocks_taken_over - record.blocks_reread) * dataset_->block_bytes();
    } catch (store::DataLost const&) {
        agree_on_input(comm_, problem);
        throw;
    }
    return loaded;
}

}  // namespace regraft::phylo
