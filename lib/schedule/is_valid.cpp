// Re-derives everything that colourings, Senders, HRelations and RangeSenders promise; shares no code with the solvers.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "regraft/schedule/h_relation.hpp"
#include "regraft/schedule/range_senders.hpp"

namespace regraft::schedule {
namespace {

bool differ_at(std::span<Edge const> edges, std::span<std::uint32_t const> colours, std::uint32_t Edge::*side) {
    std::vector<std::size_t> ends;
    for (auto const& edge : edges) {
        if (edge.*side >= ends.size()) ends.resize(edge.*side + std::size_t{1}, 0);
        ++ends[edge.*side];
    }
    std::size_t sum = 0;
    for (auto& end : ends) end = std::exchange(sum, sum + end);
    std::vector<std::uint32_t> by_vertex(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) by_vertex[ends[edges[e].*side]++] = colours[e];
    auto first = by_vertex.begin();
    for (auto const end : ends) {
        auto const last = by_vertex.begin() + static_cast<std::ptrdiff_t>(end);
        std::sort(first, last);
        if (std::adjacent_find(first, last) != last) return false;
        first = last;
    }
    return true;
}

/// A number per PE.
template <class Number>
class PerPe {
public:
    Number& operator[](PeId pe) {
        if (value(pe) >= numbers_.size()) numbers_.resize(value(pe) + std::size_t{1}, Number{});
        return numbers_[value(pe)];
    }
    Number largest() const { return numbers_.empty() ? Number{} : *std::max_element(numbers_.begin(), numbers_.end()); }

private:
    std::vector<Number> numbers_;
};

bool has(std::span<PeId const> row, PeId pe) {
    return std::find(row.begin(), row.end(), pe) != row.end();
}

/// Takes the first element away from `rest` and returns it; none if there is none.
template <class T>
std::optional<T> take(std::span<T const>& rest) {
    if (rest.empty()) return std::nullopt;
    auto const first = rest.front();
    rest = rest.subspan(1);
    return first;
}

/// Whether the three lists, each in the order of the requests, serve each request once and as they promise.
bool serves_each_once(Senders const& senders, std::span<Request const> requests, CsrView<PeId> holders) {
    std::span<Transfer const> transfers(senders.transfers);
    std::span<Transfer const> local(senders.local);
    std::span<Request const> unservable(senders.unservable);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const [block, receiver] = requests[i];
        auto const row = holders[i];
        if (row.empty()) {
            if (take(unservable) != requests[i]) return false;
        } else if (has(row, receiver)) {
            if (take(local) != Transfer{block, receiver, receiver}) return false;
        } else {
            auto const transfer = take(transfers);
            if (!transfer || transfer->block != block || transfer->receiver != receiver) return false;
            if (!has(row, transfer->sender)) return false;
        }
    }
    return transfers.empty() && local.empty() && unservable.empty();
}

bool counts_blocks(Senders const& senders) {
    PerPe<std::uint32_t> sent;
    PerPe<std::uint32_t> received;
    for (auto const& transfer : senders.transfers) {
        ++sent[transfer.sender];
        ++received[transfer.receiver];
    }
    return senders.b == sent.largest() && senders.r == received.largest();
}

/// Whether most_bytes is right, and near enough to its bound. Precondition: serves_each_once.
bool counts_bytes(Senders const& senders, std::span<Request const> requests, CsrView<PeId> holders,
                  std::span<std::uint64_t const> bytes) {
    if (bytes.empty()) return senders.most_bytes == 0 && senders.most_bytes_bound == 0;
    PerPe<std::uint64_t> sent;
    std::uint64_t largest = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (holders[i].empty() || has(holders[i], requests[i].receiver)) continue;
        sent[senders.transfers[next++].sender] += bytes[i];
        largest = std::max(largest, bytes[i]);
    }
    return senders.most_bytes == sent.largest() && senders.most_bytes_bound <= senders.most_bytes &&
           senders.most_bytes <= senders.most_bytes_bound + largest;
}

/// A request or a transfer, which sorts by its contents, and its position in its list.
struct NumberedRequest {
    BlockId block{};
    PeId receiver{};
    std::uint32_t origin = 0;
    friend bool operator<(NumberedRequest const& a, NumberedRequest const& b) {
        return std::tie(a.block, a.receiver, a.origin) < std::tie(b.block, b.receiver, b.origin);
    }
};

/// The transfers of all rounds in the order of the requests. None if their number is not that of the requests that
/// other PEs must serve.
std::optional<std::vector<Transfer>> in_order_of_requests(std::span<Transfer const> transfers,
                                                          std::span<Request const> requests, CsrView<PeId> holders) {
    std::vector<NumberedRequest> wanted;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (holders[i].empty() || has(holders[i], requests[i].receiver)) continue;
        wanted.push_back({requests[i].block, requests[i].receiver, static_cast<std::uint32_t>(wanted.size())});
    }
    if (wanted.size() != transfers.size()) return std::nullopt;
    std::vector<NumberedRequest> sent;
    for (auto const& transfer : transfers) {
        sent.push_back({transfer.block, transfer.receiver, static_cast<std::uint32_t>(sent.size())});
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(sent.begin(), sent.end());
    std::vector<Transfer> result(transfers.size());
    for (std::size_t i = 0; i < sent.size(); ++i) result[wanted[i].origin] = transfers[sent[i].origin];
    return result;
}

/// The messages of a round, one after the other.
std::vector<Transfer> messages_of(std::span<Transfer const> round, Messages messages) {
    std::vector<Transfer> result(round.begin(), round.end());
    if (messages == Messages::bundled) {
        auto const same = [](auto const& a, auto const& b) { return a.sender == b.sender && a.receiver == b.receiver; };
        result.erase(std::unique(result.begin(), result.end(), same), result.end());
    }
    return result;
}

/// Whether PEs send and receive at most one message per round, and the busiest PE sends or receives h in all rounds, of
/// which there are h.
bool has_valid_rounds(HRelation const& plan, Messages messages) {
    PerPe<std::uint32_t> sent;
    PerPe<std::uint32_t> received;
    PerPe<std::size_t> last_sent;  // round + 1
    PerPe<std::size_t> last_received;
    std::vector<std::uint64_t> pairs;
    for (std::size_t i = 0; i < plan.rounds.size(); ++i) {
        for (auto const& message : messages_of(plan.rounds[i], messages)) {
            if (std::exchange(last_sent[message.sender], i + 1) == i + 1) return false;
            if (std::exchange(last_received[message.receiver], i + 1) == i + 1) return false;
            ++sent[message.sender];
            ++received[message.receiver];
            pairs.push_back(std::uint64_t{value(message.sender)} << 32 | value(message.receiver));
        }
    }
    if (messages == Messages::bundled) {
        std::sort(pairs.begin(), pairs.end());
        if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end()) return false;
    }
    return plan.h == std::max(sent.largest(), received.largest()) && plan.rounds.size() == plan.h;
}

}  // namespace

bool is_proper_colouring(std::span<Edge const> edges, std::span<std::uint32_t const> colours,
                         std::uint32_t num_colours) {
    if (colours.size() != edges.size()) return false;
    if (std::any_of(colours.begin(), colours.end(), [&](auto colour) { return colour >= num_colours; })) return false;
    return differ_at(edges, colours, &Edge::left) && differ_at(edges, colours, &Edge::right);
}

bool is_valid(Senders const& senders, std::span<Request const> requests, CsrView<PeId> holders,
              Options const& options) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    REGRAFT_EXPECTS(options.bytes.empty() || options.bytes.size() == requests.size());
    return serves_each_once(senders, requests, holders) && counts_blocks(senders) &&
           counts_bytes(senders, requests, holders, options.bytes);
}

bool is_valid(HRelation const& plan, std::span<Request const> requests, CsrView<PeId> holders, Options const& options) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    auto transfers = in_order_of_requests(plan.rounds.values, requests, holders);
    if (!transfers) return false;
    PerPe<std::uint32_t> received;
    for (auto const& transfer : *transfers) ++received[transfer.receiver];
    Senders const senders{*std::move(transfers), plan.local,      plan.unservable,      plan.b,
                          received.largest(),    plan.most_bytes, plan.most_bytes_bound};
    return is_valid(senders, requests, holders, options) && has_valid_rounds(plan, options.messages);
}

bool is_valid(RangeSenders const& senders, std::span<RangeRequest const> requests, CsrView<PeId> holders,
              BlockSizes const& sizes, std::span<std::uint32_t const> node_of) {
    auto const holds = [&](std::uint64_t i, PeId pe) {
        return std::find(holders[i].begin(), holders[i].end(), pe) != holders[i].end();
    };
    auto const together = [&](PeId a, PeId b) { return node_of.empty() || node_of[value(a)] == node_of[value(b)]; };
    auto const is_near = [&](std::uint64_t i) {
        return std::any_of(holders[i].begin(), holders[i].end(),
                           [&](PeId pe) { return together(pe, requests[i].receiver); });
    };
    std::vector<BlockId> next;  // of every request: the first block that is not served yet
    for (auto const& request : requests) next.push_back(request.blocks.first);
    std::map<PeId, std::uint64_t> sent, received;
    std::uint64_t last_request = 0;
    for (auto const& [blocks, sender, receiver, i] : senders.transfers) {
        if (i >= requests.size() || i < last_request || blocks.empty()) return false;
        last_request = i;
        if (receiver != requests[i].receiver || holds(i, receiver) || !holds(i, sender)) return false;
        if (!together(sender, receiver) && is_near(i)) return false;
        if (blocks.first != next[i] || blocks.last > requests[i].blocks.last) return false;
        next[i] = blocks.last;
        sent[sender] += sizes.bytes(blocks);
        received[receiver] += sizes.bytes(blocks);
    }
    auto const serve_whole = [&](std::uint64_t i) {
        if (i >= requests.size() || next[i] != requests[i].blocks.first) return false;
        next[i] = requests[i].blocks.last;
        return true;
    };
    for (auto const& [blocks, sender, receiver, i] : senders.local) {
        if (i >= requests.size() || blocks != requests[i].blocks || sender != receiver) return false;
        if (receiver != requests[i].receiver || !holds(i, sender)) return false;
        if (!serve_whole(i)) return requests[i].blocks.empty();
    }
    for (auto const i : senders.unservable) {
        if (i >= requests.size() || !holders[i].empty()) return false;
        if (!serve_whole(i)) return false;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (next[i] != requests[i].blocks.last) return false;
    }
    auto const most = [](std::map<PeId, std::uint64_t> const& bytes) {
        std::uint64_t result = 0;
        for (auto const& entry : bytes) result = std::max(result, entry.second);
        return result;
    };
    return senders.most_sent == most(sent) && senders.most_received == most(received) &&
           senders.most_sent_bound <= senders.most_sent;
}

}  // namespace regraft::schedule
