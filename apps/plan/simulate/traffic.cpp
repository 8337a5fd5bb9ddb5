#include "simulate/traffic.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "regraft/schedule/edge_colouring.hpp"
#include "regraft/schedule/two_tier_rounds.hpp"

namespace regraft::plan::simulated {
namespace {

double transfer_seconds(std::uint64_t bytes, double gbps) {
    return static_cast<double>(bytes) / (gbps * 1e9);
}

/// One message for each pair of ranks, sorted; none from a rank to itself. Returns those from a rank to itself.
std::vector<Message> merge(std::vector<Message>& messages) {
    std::sort(messages.begin(), messages.end(),
              [](Message const& a, Message const& b) { return std::tuple(a.from, a.to) < std::tuple(b.from, b.to); });
    std::vector<Message> local;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < messages.size();) {
        auto merged = messages[i];
        for (++i; i < messages.size() && messages[i].from == merged.from && messages[i].to == merged.to; ++i)
            merged.bytes += messages[i].bytes;
        if (merged.from == merged.to) {
            local.push_back(merged);
        } else if (merged.bytes > 0) {
            messages[kept++] = merged;
        }
    }
    messages.resize(kept);
    return local;
}

}  // namespace

Network::Network(std::vector<std::uint32_t> node_of, Constants const& constants, Transport transport)
    : node_of_(std::move(node_of)), constants_(constants), transport_(transport) {
    auto const nodes = node_of_.empty() ? 0 : std::size_t{*std::max_element(node_of_.begin(), node_of_.end())} + 1;
    for (auto* const side : {&senders_, &receivers_}) {
        side->ranks.resize(node_of_.size());
        side->nodes.resize(nodes);
        side->ranks_of_node.resize(nodes);
    }
    if (constants.cores_per_node == 0) return;
    std::vector<std::uint32_t> ranks(nodes, 0);
    for (auto const node : node_of_) crowding_ = std::max(crowding_, ++ranks[node] / constants.cores_per_node);
}

void Network::add(Side& side, PeId rank, std::uint64_t bytes, bool within) {
    auto& work = side.ranks[value(rank)];
    if (work.is_idle()) side.busy.push_back(rank);
    work.alpha_us += within ? constants_.alpha_within_us : constants_.alpha_between_us;
    (within ? work.within : work.between) += bytes;
    if (!within) side.nodes[node_of_[value(rank)]] += bytes;
}

void Network::add(Message const& message, Into memory) {
    bool const within = node_of_[value(message.from)] == node_of_[value(message.to)];
    (within ? volume_.bytes_within : volume_.bytes_between) += message.bytes;
    add(senders_, message.from, message.bytes, within);
    add(receivers_, message.to, message.bytes, within);
    if (memory == Into::fresh_memory) receivers_.ranks[value(message.to)].fresh += message.bytes;
}

void Network::copy(Message const& message) {
    auto& work = receivers_.ranks[value(message.to)];
    if (work.is_idle()) receivers_.busy.push_back(message.to);
    work.copied += message.bytes;
}

/// Within a node the receiver copies the bytes, and the sender only says where they are.
double Network::seconds_of(Work const& work, bool receives) const {
    return 1e-6 * work.alpha_us + transfer_seconds(receives ? work.within : 0, constants_.within_gbps) +
           transfer_seconds(work.between, constants_.between_gbps) +
           transfer_seconds(work.copied, constants_.memory_gbps) + transfer_seconds(work.fresh, constants_.fresh_gbps);
}

double Network::take_slowest(Side& side) {
    double most = 0;
    for (auto const rank : side.busy) {
        auto const node = node_of_[value(rank)];
        auto const of_rank = seconds_of(side.ranks[value(rank)], &side == &receivers_);
        side.ranks_of_node[node] += of_rank;
        auto const of_cores =
            constants_.cores_per_node > 0 ? side.ranks_of_node[node] / constants_.cores_per_node : of_rank;
        most = std::max({most, of_rank, of_cores, transfer_seconds(side.nodes[node], constants_.node_gbps)});
    }
    for (auto const rank : side.busy) {
        auto const node = node_of_[value(rank)];
        side.ranks[value(rank)] = {};
        side.nodes[node] = 0;
        side.ranks_of_node[node] = 0;
    }
    side.busy.clear();
    return most;
}

double Network::take_slowest() {
    return std::max(take_slowest(senders_), take_slowest(receivers_));
}

Volume Network::finish(std::uint64_t members) {
    auto const fixed_us = constants_.exchange_us + static_cast<double>(members) * constants_.exchange_us_per_rank;
    volume_.seconds = senders_.busy.empty() ? 0 : 1e-6 * fixed_us;
    volume_.seconds += take_slowest();
    return std::exchange(volume_, {});
}

std::vector<std::uint32_t> Network::rounds_of(std::span<Message const> messages) const {
    std::vector<schedule::Edge> edges;
    std::vector<std::uint64_t> bytes;
    for (auto const& message : messages) {
        edges.push_back({value(message.from), value(message.to)});
        bytes.push_back(message.bytes);
    }
    return transport_ == Transport::two_tier ? schedule::two_tier_rounds(edges, bytes, node_of_)
                                             : schedule::colour_edges(edges);
}

Volume Network::exchange(std::vector<Message> messages, std::uint64_t members, Into memory) {
    for (auto const& message : merge(messages)) copy(message);
    if (transport_ == Transport::collective) {
        for (auto const& message : messages) add(message, memory);
        return finish(members);
    }
    volume_.seconds = take_slowest();  // what is copied, before the first round
    auto const colours = rounds_of(messages);
    std::vector<std::vector<Message>> rounds;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (colours[i] >= rounds.size()) rounds.resize(std::size_t{colours[i]} + 1);
        rounds[colours[i]].push_back(messages[i]);
    }
    for (auto const& round : rounds) {
        for (auto const& message : round) add(message, memory);
        volume_.seconds += take_slowest();
    }
    return std::exchange(volume_, {});
}

}  // namespace regraft::plan::simulated
