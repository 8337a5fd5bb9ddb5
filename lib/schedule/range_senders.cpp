#include "regraft/schedule/range_senders.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/matching/shares.hpp"
#include "regraft/matching/weighted.hpp"
#include "schedule/nearest.hpp"
#include "schedule/pe_numbers.hpp"

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

/// The nodes of the PEs, numbered from 0.
class Nodes {
public:
    Nodes(PeNumbers const& pes, std::span<std::uint32_t const> node_of) {
        if (node_of.empty()) return;
        for (std::uint32_t pe = 0; pe < pes.size(); ++pe) node_of_.push_back(node(pes.pe(pe), node_of));
        auto names = node_of_;
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        for (auto& node : node_of_) {
            node = static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), node) - names.begin());
        }
        count_ = static_cast<std::uint32_t>(names.size());
    }
    std::uint32_t size() const { return count_; }
    /// Whether there are several nodes, and PEs share some. If not, what is balanced over PEs is balanced over nodes.
    bool matter() const { return count_ > 1 && count_ < node_of_.size(); }
    std::uint32_t of(std::uint32_t pe) const { return node_of_[pe]; }
    /// For each row of PEs their nodes, each once, in the order in which they appear.
    Csr<std::uint32_t> of_rows(CsrView<std::uint32_t> pes) const {
        Csr<std::uint32_t> rows;
        std::vector<std::uint32_t> row;
        for (std::size_t i = 0; i < pes.size(); ++i) {
            row.clear();
            for (auto const pe : pes[i]) {
                if (std::find(row.begin(), row.end(), of(pe)) == row.end()) row.push_back(of(pe));
            }
            rows.push_row(row);
        }
        return rows;
    }

private:
    std::vector<std::uint32_t> node_of_;  // by number of the PE
    std::uint32_t count_ = 0;
};

/// The data that have to be sent, in rows that may be divided. A row that a receiver's own node can serve has holders
/// on this node only. So a row with holders on several nodes goes to other nodes as a whole.
struct Supply {
    Csr<std::uint32_t> holders;                // per row: the numbers of the PEs that can send it
    std::vector<std::uint64_t> bytes;          // per row
    std::vector<std::uint64_t> bytes_between;  // per row: those that go to other nodes than that of the first holder
};

/// How the rows are divided among their holders.
struct Shares {
    std::vector<std::uint64_t> share;  // the bytes of each holder, parallel to Supply::holders.values
    std::uint64_t most = 0;            // the bytes that the busiest holder sends
    std::uint64_t bound = 0;           // a lower bound of `most`, whatever the nodes send
};

/// Divides each row among nodes, then the part of each node among its PEs.
Shares divide_over_nodes(Supply const& supply, Nodes const& nodes, std::uint32_t num_pes) {
    auto const to_nodes = nodes.of_rows(supply.holders);
    auto const of_nodes = matching::min_b_shares(to_nodes, supply.bytes_between, nodes.size());
    Csr<std::uint32_t> parts;  // a row for each row of supply and each of its nodes
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> place;  // of each value of parts among those of supply.holders
    for (std::size_t row = 0; row < to_nodes.size(); ++row) {
        for (auto e = to_nodes.offsets[row]; e < to_nodes.offsets[row + 1]; ++e) {
            for (auto h = supply.holders.offsets[row]; h < supply.holders.offsets[row + 1]; ++h) {
                if (nodes.of(supply.holders.values[h]) != to_nodes.values[e]) continue;
                parts.push_value(supply.holders.values[h]);
                place.push_back(h);
            }
            parts.end_row();
            bytes.push_back(to_nodes[row].size() == 1 ? supply.bytes[row] : of_nodes.share[e]);
        }
    }
    auto const of_pes = matching::min_b_shares(parts, bytes, num_pes);
    auto const bound = matching::min_b_shares(supply.holders, supply.bytes, num_pes).b;
    Shares shares{std::vector<std::uint64_t>(supply.holders.values.size()), of_pes.b, bound};
    for (std::size_t i = 0; i < place.size(); ++i) shares.share[place[i]] = of_pes.share[i];
    return shares;
}

/// Gives each row to one node, and leaves only this node's holders in it.
void give_to_nodes(Supply& supply, Nodes const& nodes) {
    auto const matching = matching::min_b_matching(nodes.of_rows(supply.holders), supply.bytes_between, nodes.size());
    Csr<std::uint32_t> left;
    for (std::size_t row = 0; row < supply.holders.size(); ++row) {
        for (auto const pe : supply.holders[row]) {
            if (nodes.of(pe) == matching.right_of[row]) left.push_value(pe);
        }
        left.end_row();
    }
    supply.holders = std::move(left);
}

/// Requests with the same holders.
struct Pool {
    Row holders;
    std::vector<std::uint64_t> requests;
    std::uint64_t bytes = 0;
};

/// Sorts out the requests that are local or lost, and pools the rest. Pools are in the order of their first requests.
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

    void deal(Pool const& pool, PeNumbers const& pes, std::span<std::uint64_t const> shares,
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

/// Whether the messages of the pool's holders to the receiver go between nodes.
bool goes_between(PeId receiver, Pool const& pool, PeNumbers const& pes, Nodes const& nodes) {
    return nodes.of(pes.number(receiver)) != nodes.of(pes.number(pool.holders.front()));
}

Shares shares_of(Supply const& supply, Nodes const& nodes, std::uint32_t num_pes) {
    if (nodes.matter()) return divide_over_nodes(supply, nodes, num_pes);
    auto shares = matching::min_b_shares(supply.holders, supply.bytes, num_pes);
    return {std::move(shares.share), shares.b, shares.b};
}

/// Divides the pools, by bytes, and sets senders.most_sent_bound. Returns the bytes that the busiest PE would send if
/// blocks could be divided.
std::uint64_t divide(std::span<RangeRequest const> requests, BlockSizes const& sizes, std::span<Pool const> pools,
                     PeNumbers const& pes, Nodes const& nodes, RangeSenders& senders) {
    Supply supply;
    for (auto const& pool : pools) {
        for (auto const pe : pool.holders) supply.holders.push_value(pes.number(pe));
        supply.holders.end_row();
        supply.bytes.push_back(pool.bytes);
        if (!nodes.matter()) continue;
        auto& between = supply.bytes_between.emplace_back(0);
        for (auto const i : pool.requests) {
            auto const& [blocks, receiver] = requests[i];
            if (goes_between(receiver, pool, pes, nodes)) between += sizes.bytes(blocks);
        }
    }
    auto const shares = shares_of(supply, nodes, pes.size());
    senders.most_sent_bound = shares.bound;
    Dealer dealer(requests, sizes, pes.size());
    for (std::size_t i = 0; i < pools.size(); ++i) {
        auto const share = std::span(shares.share).subspan(supply.holders.offsets[i], pools[i].holders.size());
        dealer.deal(pools[i], pes, share, senders.transfers);
    }
    return shares.most;
}

/// Chooses a sender for each block, without dividing any. Transfers are of single blocks.
std::vector<RangeTransfer> match(std::span<RangeRequest const> requests, BlockSizes const& sizes,
                                 std::span<Pool const> pools, PeNumbers const& pes, Nodes const& nodes) {
    Supply supply;
    std::vector<RangeTransfer> transfers;
    for (auto const& pool : pools) {
        for (auto const i : pool.requests) {
            auto const& [blocks, receiver] = requests[i];
            for (auto block = blocks.first; block < blocks.last; block = advance(block, 1)) {
                for (auto const pe : pool.holders) supply.holders.push_value(pes.number(pe));
                supply.holders.end_row();
                supply.bytes.push_back(sizes.bytes(block));
                if (nodes.matter()) {
                    bool const between = goes_between(receiver, pool, pes, nodes);
                    supply.bytes_between.push_back(between ? supply.bytes.back() : 0);
                }
                transfers.push_back({{block, advance(block, 1)}, {}, receiver, i});
            }
        }
    }
    if (nodes.matter()) give_to_nodes(supply, nodes);
    auto const matching = matching::min_b_matching(supply.holders, supply.bytes, pes.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].sender = pes.pe(matching.right_of[i]);
    return transfers;
}

/// Joins neighbouring parts of a request that have the same sender. Precondition: sorted by request and block.
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

/// The holders of each request that are nearest to its receiver (nearest.hpp).
Csr<PeId> nearest_holders(std::span<RangeRequest const> requests, CsrView<PeId> holders,
                          std::span<std::uint32_t const> node_of) {
    Csr<PeId> rows;
    std::vector<PeId> near;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        nearest(requests[i].receiver, holders[i], node_of, near);
        rows.push_row(near);
    }
    return rows;
}

/// The largest number of bytes that one PE sends, or receives, depending on `end`.
std::uint64_t largest(std::span<RangeTransfer const> transfers, BlockSizes const& sizes, PeNumbers const& pes,
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
                                  BlockSizes const& sizes, std::span<std::uint32_t const> node_of) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    constexpr std::uint64_t many_edges = 1 << 22;
    RangeSenders senders;
    Csr<PeId> near;
    if (!node_of.empty()) {
        near = nearest_holders(requests, holders, node_of);
        holders = near;
    }
    auto const pools = pool(requests, holders, sizes, senders);
    PeNumbers pes;
    std::uint64_t num_edges = 0;  // from blocks to holders
    for (auto const& pool : pools) {
        for (auto const pe : pool.holders) pes.note(pe);
        for (auto const i : pool.requests) {
            pes.note(requests[i].receiver);
            num_edges += requests[i].blocks.size() * pool.holders.size();
        }
    }
    pes.assign();
    Nodes const nodes(pes, node_of);
    auto const aim = divide(requests, sizes, pools, pes, nodes, senders);
    senders.most_sent = largest(senders.transfers, sizes, pes, &RangeTransfer::sender);
    if (senders.most_sent > aim + aim / 20 && num_edges < many_edges) {
        auto matched = match(requests, sizes, pools, pes, nodes);
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
