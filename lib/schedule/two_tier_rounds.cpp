// Takes the rounds of an optimal colouring, and deals the messages of two rounds at a time to these two anew, such that
// each gets half of what each PE and each node sends and receives. Which two rounds meet follows dimension exchange on
// a hypercube (Cybenko 1989).
#include "regraft/schedule/two_tier_rounds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::schedule {
namespace {

constexpr auto none = std::numeric_limits<std::uint32_t>::max();
/// The largest number of sweeps over all dimensions. More of them hardly improve the rounds.
constexpr int most_sweeps = 2;

/// Messages by number, the largest first.
struct SizedMessages {
    std::vector<Edge> ends;
    std::vector<std::uint64_t> bytes;
    std::span<std::uint32_t const> node_of;

    /// Whether message i goes from one node to another.
    bool crosses(std::uint32_t i) const { return node_of[ends[i].left] != node_of[ends[i].right]; }
};

/// The messages of each round, ascending.
using Rounds = std::vector<std::vector<std::uint32_t>>;

/// Deals the messages of two rounds to the same two rounds anew. Partners get different rounds. On the side of senders,
/// and likewise of receivers, the two messages of a PE are partners. Messages that cross the border of a node and are
/// the only ones of their PEs are partners in pairs. Links between partners alternate between the two sides, and so
/// form paths and even cycles, along which the rounds alternate (de Werra 1971).
class RoundsDealer {
public:
    RoundsDealer(SizedMessages const& messages, std::uint32_t num_nodes)
        : messages_(messages), at_pe_(messages.node_of.size(), none), at_node_(num_nodes, none) {}

    void deal(std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& second) {
        both_.resize(first.size() + second.size());
        std::merge(first.begin(), first.end(), second.begin(), second.end(), both_.begin());
        find_partners(&Edge::left, partner_[0]);
        find_partners(&Edge::right, partner_[1]);
        half_.assign(both_.size(), undealt);
        first.clear();
        second.clear();
        for (std::uint32_t i = 0; i < both_.size(); ++i) {
            if (half_[i] == undealt) {
                half_[i] = 0;
                follow(i, 0);
                follow(i, 1);
            }
            (half_[i] == 0 ? first : second).push_back(both_[i]);
        }
    }

private:
    static constexpr std::uint8_t undealt = 2;

    /// Finds the partners on one side. At a node, messages next to each other in the order of sizes become partners, so
    /// that both rounds get about as many bytes.
    void find_partners(std::uint32_t Edge::*end, std::vector<std::uint32_t>& partner) {
        partner.assign(both_.size(), none);
        auto const meet = [&](std::uint32_t& waiting, std::uint32_t i) {
            auto const other = std::exchange(waiting, waiting == none ? i : none);
            if (other == none) return;
            partner[i] = other;
            partner[other] = i;
        };
        auto const pe = [&](std::uint32_t i) { return messages_.ends[both_[i]].*end; };
        for (std::uint32_t i = 0; i < both_.size(); ++i) meet(at_pe_[pe(i)], i);
        for (std::uint32_t i = 0; i < both_.size(); ++i) {
            at_pe_[pe(i)] = none;
            if (partner[i] == none && messages_.crosses(both_[i])) meet(at_node_[messages_.node_of[pe(i)]], i);
        }
        for (std::uint32_t i = 0; i < both_.size(); ++i) at_node_[messages_.node_of[pe(i)]] = none;
    }

    /// Deals all messages that are linked to message i, beginning with its partner on this side.
    void follow(std::uint32_t i, std::size_t side) {
        auto half = half_[i];
        for (auto next = partner_[side][i]; next != none && half_[next] == undealt; next = partner_[side][next]) {
            half = half_[next] = static_cast<std::uint8_t>(1 - half);
            side = 1 - side;
        }
    }

    SizedMessages const& messages_;
    std::vector<std::uint32_t> at_pe_;    // by PE: a message that has no partner yet; none between two uses
    std::vector<std::uint32_t> at_node_;  // the same by node
    std::vector<std::uint32_t> both_;     // the messages of both rounds, ascending
    std::array<std::vector<std::uint32_t>, 2> partner_;  // [side][index in both_]
    std::vector<std::uint8_t> half_;                     // the round of each message in both_: 0, 1 or undealt
};

/// Sums the bytes that cross the borders of nodes.
class Borders {
public:
    Borders(SizedMessages const& messages, std::uint32_t num_nodes)
        : messages_(messages), out_(num_nodes, 0), in_(num_nodes, 0) {}

    /// The bytes that the busiest node of a round sends to other nodes, or receives from them.
    std::uint64_t busiest(std::span<std::uint32_t const> round) {
        std::uint64_t most = 0;
        each(round, [&](std::uint64_t& sum, std::uint64_t bytes) { most = std::max(most, sum += bytes); });
        each(round, [&](std::uint64_t& sum, std::uint64_t) { sum = 0; });
        return most;
    }
    std::uint64_t sum_of_busiest(Rounds const& rounds) {
        std::uint64_t sum = 0;
        for (auto const& round : rounds) sum += busiest(round);
        return sum;
    }

private:
    template <class Change>
    void each(std::span<std::uint32_t const> round, Change change) {
        for (auto const i : round) {
            if (!messages_.crosses(i)) continue;
            change(out_[messages_.node_of[messages_.ends[i].left]], messages_.bytes[i]);
            change(in_[messages_.node_of[messages_.ends[i].right]], messages_.bytes[i]);
        }
    }

    SizedMessages const& messages_;
    std::vector<std::uint64_t> out_;  // by node; 0 between two uses
    std::vector<std::uint64_t> in_;   // the same
};

/// For each bit in turn, deals each round anew together with the round whose number differs in this bit.
void sweep(Rounds& rounds, RoundsDealer& dealer) {
    for (std::size_t bit = 1; bit < rounds.size(); bit *= 2) {
        for (std::size_t round = 0; round < rounds.size(); ++round) {
            auto const other = round | bit;
            if (round < other && other < rounds.size()) dealer.deal(rounds[round], rounds[other]);
        }
    }
}

}  // namespace

std::vector<std::uint32_t> two_tier_rounds(std::span<Edge const> messages, std::span<std::uint64_t const> bytes,
                                           std::span<std::uint32_t const> node_of) {
    REGRAFT_EXPECTS(bytes.size() == messages.size());
    auto colours = colour_edges(messages);
    if (messages.empty()) return colours;
    std::vector<std::uint32_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return bytes[a] > bytes[b]; });
    SizedMessages sorted{{}, {}, node_of};
    Rounds rounds(*std::max_element(colours.begin(), colours.end()) + std::size_t{1});
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        sorted.ends.push_back(messages[order[i]]);
        sorted.bytes.push_back(bytes[order[i]]);
        rounds[colours[order[i]]].push_back(i);
    }

    auto const num_nodes = *std::max_element(node_of.begin(), node_of.end()) + 1;
    Borders borders(sorted, num_nodes);
    std::vector<std::uint32_t> all(order.size());
    std::iota(all.begin(), all.end(), 0U);
    auto const bound = borders.busiest(all);
    auto least = borders.sum_of_busiest(rounds);
    RoundsDealer dealer(sorted, num_nodes);
    for (int i = 0; i < most_sweeps && least > bound + bound / 50; ++i) {
        sweep(rounds, dealer);
        auto const now = borders.sum_of_busiest(rounds);
        if (now >= least) continue;
        least = now;
        for (std::uint32_t round = 0; round < rounds.size(); ++round) {
            for (auto const message : rounds[round]) colours[order[message]] = round;
        }
    }
    return colours;
}

}  // namespace regraft::schedule
