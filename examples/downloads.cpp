// Which mirror sends which file, and when: files lie on several mirrors, the busiest mirror sends as few as possible,
// and no mirror or site sends or gets two at the same time. A graph of the Boost Graph Library; without MPI.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/property_map/property_map.hpp>

#include "regraft/matching/bgl.hpp"
#include "regraft/schedule/edge_colouring.hpp"

using namespace regraft;

namespace {

/// A vertex of the user's own: a file that a site wants, or a mirror.
struct Node {
    std::string name;
    boost::default_color_type side;  // white: a file
    std::uint32_t number;            // of the site that wants the file, or of the mirror
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Node>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

Vertex add(Graph& graph, Node node) {
    return add_vertex(std::move(node), graph);
}

/// Nine files for four sites. Four of the files are in the east alone.
Graph make_graph() {
    Graph graph;
    std::vector<Vertex> mirrors;
    for (auto const* name : {"east", "west", "north"}) {
        auto const number = static_cast<std::uint32_t>(mirrors.size());
        mirrors.push_back(add(graph, {name, boost::black_color, number}));
    }
    auto const file = [&](char const* name, std::uint32_t site, std::vector<std::size_t> const& on) {
        auto const vertex = add(graph, {name, boost::white_color, site});
        for (auto const mirror : on) add_edge(vertex, mirrors[mirror], graph);
    };
    file("atlas", 0, {0});
    file("books", 1, {0, 1});
    file("coins", 2, {0});
    file("dates", 3, {1, 2});
    file("elves", 0, {0});
    file("faces", 1, {0, 2});
    file("games", 2, {0, 1, 2});
    file("hills", 3, {0});
    file("index", 0, {0, 1});
    return graph;
}

}  // namespace

int main() {
    auto const graph = make_graph();
    std::vector<Vertex> mirror_of(num_vertices(graph));
    auto const mirrors = boost::make_iterator_property_map(mirror_of.begin(), get(boost::vertex_index, graph));
    auto const match = matching::bgl::min_b_matching(graph, get(&Node::side, graph), mirrors);

    // This proves that it cannot be less: these mirrors alone have more than b - 1 files each.
    std::printf("the busiest mirror sends %u files; fewer is impossible because of:", match.b);
    for (auto const mirror : match.hall_set) std::printf(" %s", graph[mirror].name.c_str());
    std::printf("\n");

    // Downloads are edges from mirrors to sites, rounds are their colours.
    std::vector<Vertex> files;
    std::vector<schedule::Edge> downloads;
    for (auto const v : boost::make_iterator_range(vertices(graph))) {
        if (graph[v].side != boost::white_color) continue;
        files.push_back(v);
        downloads.push_back({graph[mirror_of[v]].number, graph[v].number});
    }
    auto const rounds = schedule::colour_edges(downloads);
    auto const num_rounds = schedule::largest_degree(downloads);
    for (std::uint32_t round = 0; round < num_rounds; ++round) {
        std::printf("round %u:", round);
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (rounds[i] != round) continue;
            auto const& [name, side, site] = graph[files[i]];
            std::printf("  %s sends %s to site %u", graph[mirror_of[files[i]]].name.c_str(), name.c_str(), site);
        }
        std::printf("\n");
    }
    bool const right = schedule::is_proper_colouring(downloads, rounds, num_rounds);
    std::printf("%zu downloads in %u rounds%s\n", downloads.size(), num_rounds, right ? "" : ", wrongly");
}
