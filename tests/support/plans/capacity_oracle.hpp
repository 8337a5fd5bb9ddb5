// How many sites survivors could take over of partitions that they work on already, as a maximum flow by Boost's
// push-relabel (Goldberg, Tarjan 1988).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <boost/graph/push_relabel_max_flow.hpp>

#include "regraft/assign/assignment.hpp"
#include "support/plans/flow_network.hpp"
#include "support/plans/site_owners.hpp"

namespace regraft::test {

/// The most lost sites that can go to survivors that have sites of the same partition in before, if each survivor ends
/// with at most limit sites: source -> partition (lost sites) -> survivor -> sink (limit - load).
inline std::uint64_t most_on_old_workers(assign::Assignment const& before, std::span<PeId const> survivors,
                                         std::uint64_t limit) {
    std::map<PartitionId, std::int64_t> lost;
    std::map<std::uint32_t, std::int64_t> capacity;
    std::int64_t all = 0;
    for (std::uint32_t pe = 0; pe < before.size(); ++pe) {
        bool const is_alive = std::find(survivors.begin(), survivors.end(), PeId{pe}) != survivors.end();
        for (auto const& work : before[pe]) {
            if (!is_alive) lost[work.partition] += static_cast<std::int64_t>(work.sites.size());
        }
        auto const load = assign::num_sites(before[pe]);
        if (is_alive) capacity[pe] = static_cast<std::int64_t>(limit - std::min(limit, load));
    }

    FlowNetwork network(2);
    std::size_t const source = 0;
    std::size_t const sink = 1;
    std::map<PartitionId, std::size_t> vertex_of_partition;
    std::map<std::uint32_t, std::size_t> vertex_of_pe;
    for (auto const& [partition, sites] : lost) {
        connect(network, source, vertex_of_partition[partition] = boost::add_vertex(network), sites);
        all += sites;
    }
    for (auto const& [pe, units] : capacity)
        connect(network, vertex_of_pe[pe] = boost::add_vertex(network), sink, units);
    for (auto const& [pe, partition] : pairs(before)) {
        if (capacity.contains(pe) && lost.contains(partition)) {
            connect(network, vertex_of_partition[partition], vertex_of_pe[pe], all);
        }
    }
    return static_cast<std::uint64_t>(boost::push_relabel_max_flow(network, source, sink));
}

}  // namespace regraft::test
