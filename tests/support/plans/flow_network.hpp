// A network for the maximum flows of Boost.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/graph/adjacency_list.hpp>

namespace regraft::test {

using FlowEdge = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>::edge_descriptor;
using FlowNetwork =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                          boost::property<boost::edge_capacity_t, std::int64_t,
                                          boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                                          boost::property<boost::edge_reverse_t, FlowEdge>>>>;

/// Adds an edge of this capacity and its reverse, of capacity 0.
inline FlowEdge connect(FlowNetwork& network, std::size_t from, std::size_t to, std::int64_t capacity) {
    auto const forth = boost::add_edge(from, to, network).first;
    auto const back = boost::add_edge(to, from, network).first;
    boost::put(boost::edge_capacity, network, forth, capacity);
    boost::put(boost::edge_reverse, network, forth, back);
    boost::put(boost::edge_reverse, network, back, forth);
    return forth;
}

}  // namespace regraft::test
