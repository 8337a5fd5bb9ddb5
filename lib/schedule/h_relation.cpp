#include "regraft/schedule/h_relation.hpp"

#include <algorithm>
#include <cstddef>

#include "regraft/core/contracts.hpp"
#include "regraft/matching/b_matching.hpp"
#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::schedule {
namespace {

/// Numbers PEs 0, 1, ... in order, leaving out those that do not occur. Memory: 4 bytes * largest PeId.
class PeIndex {
public:
    void note(PeId pe) {
        if (value(pe) >= number_.size()) number_.resize(std::size_t{value(pe)} + 1, 0);
        number_[value(pe)] = 1;
    }
    void number() {
        for (std::size_t pe = 0; pe < number_.size(); ++pe) {
            if (number_[pe] == 0) continue;
            number_[pe] = size();
            pes_.push_back(PeId{static_cast<std::uint32_t>(pe)});
        }
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(pes_.size()); }
    std::uint32_t operator[](PeId pe) const { return number_[value(pe)]; }
    PeId pe(std::uint32_t number) const { return pes_[number]; }

private:
    std::vector<std::uint32_t> number_;
    std::vector<PeId> pes_;
};

bool contains(std::span<PeId const> holders, PeId pe) {
    return std::find(holders.begin(), holders.end(), pe) != holders.end();
}

Csr<Transfer> rounds_by_colour(std::span<Transfer const> transfers, std::span<std::uint32_t const> colours,
                               std::uint32_t num_rounds) {
    Csr<Transfer> rounds;
    rounds.offsets.assign(std::size_t{num_rounds} + 1, 0);
    for (auto const colour : colours) ++rounds.offsets[colour + 1];
    for (std::size_t i = 0; i < num_rounds; ++i) rounds.offsets[i + 1] += rounds.offsets[i];
    rounds.values.resize(transfers.size());
    auto next = rounds.offsets;
    for (std::size_t i = 0; i < transfers.size(); ++i) rounds.values[next[colours[i]]++] = transfers[i];
    return rounds;
}

}  // namespace

HRelation h_relation(std::span<Request const> requests, CsrView<PeId> holders) {
    REGRAFT_EXPECTS(holders.size() == requests.size());
    HRelation plan;
    std::vector<std::size_t> remote;
    PeIndex index;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const [block, receiver] = requests[i];
        if (holders[i].empty()) {
            plan.unservable.push_back(requests[i]);
        } else if (contains(holders[i], receiver)) {
            plan.local.push_back({block, receiver, receiver});
        } else {
            remote.push_back(i);
            index.note(receiver);
            for (auto const pe : holders[i]) index.note(pe);
        }
    }
    index.number();

    Csr<std::uint32_t> graph;
    graph.offsets.reserve(remote.size() + 1);
    for (auto const i : remote) {
        for (auto const pe : holders[i]) graph.push_value(index[pe]);
        graph.end_row();
    }
    auto const senders = matching::min_b_matching(graph, index.size());

    std::vector<Edge> edges;
    std::vector<Transfer> transfers;
    edges.reserve(remote.size());
    transfers.reserve(remote.size());
    for (std::size_t i = 0; i < remote.size(); ++i) {
        auto const [block, receiver] = requests[remote[i]];
        edges.push_back({senders.right_of[i], index[receiver]});
        transfers.push_back({block, index.pe(senders.right_of[i]), receiver});
    }
    plan.b = senders.b;
    plan.h = largest_degree(edges);
    plan.rounds = rounds_by_colour(transfers, colour_edges(edges), plan.h);
    return plan;
}

}  // namespace regraft::schedule
