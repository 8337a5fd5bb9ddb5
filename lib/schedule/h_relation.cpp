// Senders by matching, rounds by colouring.
#include "regraft/schedule/h_relation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/weighted.hpp"
#include "regraft/schedule/edge_colouring.hpp"
#include "regraft/schedule/two_tier_rounds.hpp"
#include "schedule/pe_numbers.hpp"

namespace regraft::schedule {
namespace {

bool contains(std::span<PeId const> holders, PeId pe) {
    return std::find(holders.begin(), holders.end(), pe) != holders.end();
}

/// The requests that another PE must serve, as a graph from requests to holders.
struct Remote {
    PeNumbers numbers;                 // of all holders and receivers
    Csr<std::uint32_t> graph;          // per request the numbers of its holders
    std::vector<std::uint64_t> bytes;  // per request; empty if all blocks have the same size
};

/// Sorts out the requests that are local or lost. Each other request becomes a transfer without a sender.
Senders sort_out(std::span<Request const> requests, CsrView<PeId> holders, Options const& options, Remote& remote) {
    Senders senders;
    senders.transfers.reserve(requests.size());
    for (auto const pe : holders.values) remote.numbers.note(pe);
    for (auto const& request : requests) remote.numbers.note(request.receiver);
    remote.numbers.assign();
    remote.graph.offsets.reserve(requests.size() + 1);
    remote.graph.values.reserve(holders.values.size());
    std::vector<std::uint32_t> received(remote.numbers.size(), 0);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const [block, receiver] = requests[i];
        auto const row = holders[i];
        if (row.empty()) {
            senders.unservable.push_back(requests[i]);
        } else if (contains(row, receiver)) {
            senders.local.push_back({block, receiver, receiver});
        } else {
            for (auto const pe : row) remote.graph.push_value(remote.numbers.number(pe));
            remote.graph.end_row();
            if (!options.bytes.empty()) remote.bytes.push_back(options.bytes[i]);
            senders.transfers.push_back({block, {}, receiver});
            senders.r = std::max(senders.r, ++received[remote.numbers.number(receiver)]);
        }
    }
    return senders;
}

void set_senders(Senders& senders, PeNumbers const& numbers, std::span<std::uint32_t const> sender_of) {
    std::vector<std::uint32_t> sent(numbers.size(), 0);
    for (std::size_t i = 0; i < sender_of.size(); ++i) {
        senders.transfers[i].sender = numbers.pe(sender_of[i]);
        senders.b = std::max(senders.b, ++sent[sender_of[i]]);
    }
}

/// The numbers in `order`, stably sorted by key(number), which is below num_keys.
template <class Key>
std::vector<std::uint32_t> sorted_by(std::span<std::uint32_t const> order, std::size_t num_keys, Key key) {
    std::vector<std::uint32_t> next(num_keys + 1, 0);
    for (auto const i : order) ++next[key(i) + 1];
    for (std::size_t k = 0; k < num_keys; ++k) next[k + 1] += next[k];
    std::vector<std::uint32_t> sorted(order.size());
    for (auto const i : order) sorted[next[key(i)]++] = i;
    return sorted;
}

/// The transfers that travel together: message m is transfers[order[first[m]]], ..., transfers[order[first[m + 1] -
/// 1]].
struct Bundles {
    std::vector<Edge> edges;  // by message
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> first;
};

Bundles bundle(std::span<Edge const> edges, std::size_t num_pes) {
    Bundles bundles;
    bundles.order.resize(edges.size());
    for (std::uint32_t i = 0; i < edges.size(); ++i) bundles.order[i] = i;
    bundles.order = sorted_by(bundles.order, num_pes, [&](auto i) { return edges[i].right; });
    bundles.order = sorted_by(bundles.order, num_pes, [&](auto i) { return edges[i].left; });
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        auto const& edge = edges[bundles.order[i]];
        if (!bundles.edges.empty() && bundles.edges.back() == edge) continue;
        bundles.edges.push_back(edge);
        bundles.first.push_back(i);
    }
    bundles.first.push_back(static_cast<std::uint32_t>(edges.size()));
    return bundles;
}

std::uint32_t num_colours(std::span<std::uint32_t const> colours) {
    return colours.empty() ? 0 : *std::max_element(colours.begin(), colours.end()) + 1;
}

Csr<Transfer> rounds_of(std::span<Transfer const> transfers, std::span<std::uint32_t const> colours) {
    Csr<Transfer> rounds;
    rounds.offsets.assign(num_colours(colours) + std::size_t{1}, 0);
    for (auto const colour : colours) ++rounds.offsets[colour + 1];
    for (std::size_t i = 1; i < rounds.offsets.size(); ++i) rounds.offsets[i] += rounds.offsets[i - 1];
    rounds.values.resize(transfers.size());
    auto next = rounds.offsets;
    for (std::size_t i = 0; i < transfers.size(); ++i) rounds.values[next[colours[i]]++] = transfers[i];
    return rounds;
}

Csr<Transfer> rounds_of(std::span<Transfer const> transfers, Bundles const& bundles,
                        std::span<std::uint32_t const> colours) {
    std::vector<Transfer> bundled(transfers.size());
    std::vector<std::uint32_t> colour_of(transfers.size());
    for (std::size_t m = 0; m < colours.size(); ++m) {
        for (auto i = bundles.first[m]; i < bundles.first[m + 1]; ++i) {
            bundled[i] = transfers[bundles.order[i]];
            colour_of[i] = colours[m];
        }
    }
    return rounds_of(bundled, colour_of);
}

/// The bytes of each transfer; 1 if all have the same size. Transfers are in the order of the requests that they serve.
std::vector<std::uint64_t> bytes_of(std::span<Transfer const> transfers, std::span<Request const> requests,
                                    CsrView<PeId> holders, std::span<std::uint64_t const> of_requests) {
    if (of_requests.empty()) return std::vector<std::uint64_t>(transfers.size(), 1);
    std::vector<std::uint64_t> bytes;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!holders[i].empty() && !contains(holders[i], requests[i].receiver)) bytes.push_back(of_requests[i]);
    }
    return bytes;
}

/// Deals the transfers to rounds. bytes: of each transfer; not used if nodes are unknown.
Csr<Transfer> plan_rounds(std::span<Transfer const> transfers, std::span<std::uint64_t const> bytes,
                          Options const& options) {
    PeNumbers numbers;
    for (auto const& transfer : transfers) {
        numbers.note(transfer.sender);
        numbers.note(transfer.receiver);
    }
    numbers.assign();
    std::vector<Edge> edges(transfers.size());
    for (std::size_t i = 0; i < edges.size(); ++i)
        edges[i] = {numbers.number(transfers[i].sender), numbers.number(transfers[i].receiver)};
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t pe = 0; pe < numbers.size() && !options.node_of.empty(); ++pe)
        nodes.push_back(options.node_of[value(numbers.pe(pe))]);
    auto const deal = [&](std::span<Edge const> messages, std::span<std::uint64_t const> sizes) {
        return nodes.empty() ? colour_edges(messages) : two_tier_rounds(messages, sizes, nodes);
    };
    if (options.messages == Messages::per_block) return rounds_of(transfers, deal(edges, bytes));
    auto const bundles = bundle(edges, numbers.size());
    std::vector<std::uint64_t> sizes(bundles.edges.size(), 0);
    for (std::size_t m = 0; m < sizes.size() && !nodes.empty(); ++m) {
        for (auto i = bundles.first[m]; i < bundles.first[m + 1]; ++i) sizes[m] += bytes[bundles.order[i]];
    }
    return rounds_of(transfers, bundles, deal(bundles.edges, sizes));
}

}  // namespace

Senders choose_senders(std::span<Request const> requests, CsrView<PeId> holders, Options const& options) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    REGRAFT_EXPECTS(options.bytes.empty() || options.bytes.size() == requests.size());
    Remote remote;
    auto senders = sort_out(requests, holders, options, remote);
    if (options.bytes.empty()) {
        auto const good_enough = options.balance == Balance::for_rounds ? senders.r : 0;
        auto const matching =
            matching::min_b_matching(remote.graph, remote.numbers.size(), {.good_enough = good_enough});
        set_senders(senders, remote.numbers, matching.right_of);
    } else {
        auto const matching = matching::min_b_matching(remote.graph, remote.bytes, remote.numbers.size());
        set_senders(senders, remote.numbers, matching.right_of);
        senders.most_bytes = matching.b;
        senders.most_bytes_bound = matching.lower_bound;
    }
    return senders;
}

HRelation h_relation(std::span<Request const> requests, CsrView<PeId> holders, Options const& options) {
    auto senders = choose_senders(requests, holders, options);
    HRelation plan;
    std::vector<std::uint64_t> bytes;
    if (!options.node_of.empty()) bytes = bytes_of(senders.transfers, requests, holders, options.bytes);
    plan.rounds = plan_rounds(senders.transfers, bytes, options);
    plan.local = std::move(senders.local);
    plan.unservable = std::move(senders.unservable);
    plan.b = senders.b;
    plan.h = static_cast<std::uint32_t>(plan.rounds.size());
    plan.most_bytes = senders.most_bytes;
    plan.most_bytes_bound = senders.most_bytes_bound;
    return plan;
}

}  // namespace regraft::schedule
