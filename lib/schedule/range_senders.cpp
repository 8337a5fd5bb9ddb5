#include "regraft/schedule/range_senders.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/matching/shares.hpp"
#include "regraft/matching/weighted.hpp"

namespace regraft::schedule {
namespace {

using Row = std::span<PeId const>;

struct RowHash {
    std::size_t operator()(Row row) const {
        std::uint64_t hash = row.size();
        for (auto const pe : row) hash = mix(hash + value(pe));
        return hash;
    }
};
struct RowEqual {
    bool operator()(Row a, Row b) const { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
};

/// The PEs that occur, ascending.
class Pes {
public:
    void note(PeId pe) {
        if (value(pe) >= number_.size()) number_.resize(std::size_t{value(pe)} + 1, 0);
        number_[value(pe)] = 1;
    }
    /// To be called after the last note.
    void count() {
        for (std::uint32_t pe = 0; pe < number_.size(); ++pe) {
            if (number_[pe] == 0) continue;
            number_[pe] = size();
            pes_.push_back(PeId{pe});
        }
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(pes_.size()); }
    std::uint32_t number(PeId pe) const { return number_[value(pe)]; }
    PeId operator[](std::uint32_t number) const { return pes_[number]; }

private:
    std::vector<std::uint32_t> number_;  // by PE
    std::vector<PeId> pes_;
};

/// Requests with the same holders.
struct Pool {
    Row holders;
    std::vector<std::uint64_t> requests;
    std::uint64_t bytes = 0;
};

/// Sorts out what is local or lost, and pools the rest, pools in the order of their first requests.
std::vector<Pool> pool(std::span<RangeRequest const> requests, CsrView<PeId> holders, BlockSizes const& sizes,
                       RangeSenders& senders) {
    std::vector<Pool> pools;
    std::unordered_map<Row, std::size_t, RowHash, RowEqual> pool_of;
    for (std::uint64_t i = 0; i < requests.size(); ++i) {
        auto const& [blocks, receiver] = requests[i];
        auto const row = holders[i];
        if (row.empty()) {
            senders.unservable.push_back(i);
        } else if (std::find(row.begin(), row.end(), receiver) != row.end()) {
            senders.local.push_back({blocks, receiver, receiver, i});
        } else {
            auto const [at, is_new] = pool_of.try_emplace(row, pools.size());
            if (is_new) pools.push_back({row, {}, 0});
            pools[at->second].requests.push_back(i);
            pools[at->second].bytes += sizes.bytes(blocks);
        }
    }
    return pools;
}

/// Deals the requests of a pool to its holders, in order. Cuts are at block boundaries; a holder that gets too much by
/// one cut gets less by the next.
class Dealer {
public:
    Dealer(std::span<RangeRequest const> requests, BlockSizes const& sizes, std::uint32_t num_pes)
        : requests_(requests), sizes_(sizes), surplus_(num_pes, 0) {}

    void deal(Pool const& pool, Pes const& pes, std::span<std::uint64_t const> shares,
              std::vector<RangeTransfer>& transfers) {
        std::size_t holder = 0;
        auto number = [&] { return pes.number(pool.holders[holder]); };
        auto left = [&] { return static_cast<std::int64_t>(shares[holder]) - surplus_[number()]; };
        auto rest = left();
        auto const note_surplus = [&] { surplus_[number()] = -rest; };
        for (auto const i : pool.requests) {
            auto blocks = requests_[i].blocks;
            while (!blocks.empty()) {
                bool const is_last = holder + 1 == pool.holders.size();
                auto const room = static_cast<std::uint64_t>(std::max<std::int64_t>(rest, 0));
                auto const cut = is_last ? blocks.last : sizes_.cut(blocks, room);
                if (cut != blocks.first) {
                    BlockRange const part{blocks.first, cut};
                    transfers.push_back({part, pool.holders[holder], requests_[i].receiver, i});
                    rest -= static_cast<std::int64_t>(sizes_.bytes(part));
                    blocks.first = cut;
                }
                if (!blocks.empty()) {
                    note_surplus();
                    ++holder;
                    rest = left();
                }
            }
        }
        note_surplus();
        for (++holder; holder < pool.holders.size(); ++holder) {
            rest = left();
            note_surplus();
        }
    }

private:
    std::span<RangeRequest const> requests_;
    BlockSizes const& sizes_;
    std::vector<std::int64_t> surplus_;
};

/// Divides the pools, by bytes.
std::vector<RangeTransfer> divide(std::span<RangeRequest const> requests, BlockSizes const& sizes,
                                  std::span<Pool const> pools, Pes const& pes, std::uint64_t& bound) {
    Csr<std::uint32_t> graph;
    std::vector<std::uint64_t> bytes;
    for (auto const& pool : pools) {
        for (auto const pe : pool.holders) graph.push_value(pes.number(pe));
        graph.end_row();
        bytes.push_back(pool.bytes);
    }
    auto const shares = matching::min_b_shares(graph, bytes, pes.size());
    bound = shares.b;
    std::vector<RangeTransfer> transfers;
    Dealer dealer(requests, sizes, pes.size());
    for (std::size_t i = 0; i < pools.size(); ++i) {
        auto const share = std::span(shares.share).subspan(graph.offsets[i], pools[i].holders.size());
        dealer.deal(pools[i], pes, share, transfers);
    }
    return transfers;
}

/// Gives whole blocks, one by one.
std::vector<RangeTransfer> match(std::span<RangeRequest const> requests, BlockSizes const& sizes,
                                 std::span<Pool const> pools, Pes const& pes) {
    Csr<std::uint32_t> graph;
    std::vector<std::uint64_t> bytes;
    std::vector<RangeTransfer> transfers;
    for (auto const& pool : pools) {
        for (auto const i : pool.requests) {
            auto const& [blocks, receiver] = requests[i];
            for (auto block = blocks.first; block < blocks.last; block = advance(block, 1)) {
                for (auto const pe : pool.holders) graph.push_value(pes.number(pe));
                graph.end_row();
                bytes.push_back(sizes.bytes(block));
                transfers.push_back({{block, advance(block, 1)}, {}, receiver, i});
            }
        }
    }
    auto const matching = matching::min_b_matching(graph, bytes, pes.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].sender = pes[matching.right_of[i]];
    return transfers;
}

/// Neighbouring parts of a request with the same sender become one. Precondition: sorted.
void join(std::vector<RangeTransfer>& transfers) {
    std::size_t kept = 0;
    for (auto const& transfer : transfers) {
        if (kept > 0) {
            auto& last = transfers[kept - 1];
            if (last.request == transfer.request && last.sender == transfer.sender &&
                last.blocks.last == transfer.blocks.first) {
                last.blocks.last = transfer.blocks.last;
                continue;
            }
        }
        transfers[kept++] = transfer;
    }
    transfers.resize(kept);
}

std::uint64_t largest(std::span<RangeTransfer const> transfers, BlockSizes const& sizes, Pes const& pes,
                      PeId RangeTransfer::*end) {
    std::vector<std::uint64_t> bytes(pes.size(), 0);
    std::uint64_t most = 0;
    for (auto const& transfer : transfers) {
        auto& sum = bytes[pes.number(transfer.*end)];
        sum += sizes.bytes(transfer.blocks);
        most = std::max(most, sum);
    }
    return most;
}

}  // namespace

RangeSenders choose_range_senders(std::span<RangeRequest const> requests, CsrView<PeId> holders,
                                  BlockSizes const& sizes) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    constexpr std::uint64_t many_edges = 1 << 22;
    RangeSenders senders;
    auto const pools = pool(requests, holders, sizes, senders);
    Pes pes;
    std::uint64_t num_edges = 0;  // from blocks to holders
    for (auto const& pool : pools) {
        for (auto const pe : pool.holders) pes.note(pe);
        for (auto const i : pool.requests) {
            pes.note(requests[i].receiver);
            num_edges += requests[i].blocks.size() * pool.holders.size();
        }
    }
    pes.count();
    senders.transfers = divide(requests, sizes, pools, pes, senders.most_sent_bound);
    senders.most_sent = largest(senders.transfers, sizes, pes, &RangeTransfer::sender);
    if (senders.most_sent > senders.most_sent_bound + senders.most_sent_bound / 20 && num_edges < many_edges) {
        auto matched = match(requests, sizes, pools, pes);
        auto const most = largest(matched, sizes, pes, &RangeTransfer::sender);
        if (most < senders.most_sent) {
            senders.transfers = std::move(matched);
            senders.most_sent = most;
        }
    }
    senders.most_received = largest(senders.transfers, sizes, pes, &RangeTransfer::receiver);
    std::sort(senders.transfers.begin(), senders.transfers.end(), [](auto const& a, auto const& b) {
        return std::pair(a.request, a.blocks.first) < std::pair(b.request, b.blocks.first);
    });
    join(senders.transfers);
    return senders;
}

}  // namespace regraft::schedule
