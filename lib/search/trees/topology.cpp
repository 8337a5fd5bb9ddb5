#include "regraft/search/topology.hpp"

#include <algorithm>
#include <ranges>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase escape_phase("escape");

constexpr std::uint32_t interchanges = 4;         // of an escape
constexpr std::uint32_t most_tried = 30;          // interchanges, where the constraint forbids some
constexpr std::uint32_t interchanges_within = 3;  // in edges, around a random edge

/// The half-edge at the relative position place / 2^64 in the list. Precondition: !half_edges.empty().
HalfEdge at(std::vector<HalfEdge> const& half_edges, std::uint64_t place) {
    return half_edges[((place >> 32) * half_edges.size()) >> 32];
}

}  // namespace

void fit_lengths(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges) {
    constexpr double enough_gain = 1e-2;
    optimise_branches(likelihood, edges, enough_gain);
}

bool fit_may_exceed(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges, double now, double least) {
    constexpr double most = 2;  // times the promise
    return now + most * promised_gain(likelihood, edges) > least;
}

Outcome perturb(DistributedLikelihood& likelihood, std::uint64_t seed, std::uint64_t number,
                Constraint const* constraint) {
    likelihood.reach(escape_phase.before);
    auto const& tree = likelihood.tree();
    auto const inner_edges = [&](std::vector<HalfEdge> half_edges) {
        std::erase_if(half_edges, [&](HalfEdge h) { return tree.is_tip(h) || tree.is_tip(tree.back(h)); });
        return half_edges;
    };
    // Multiples of the golden ratio, modulo 1, are spread evenly, however many there are (Knuth, The Art of
    // Computer Programming 3, 6.4).
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
    auto const centre = at(inner_edges(all_subtrees(tree)), mix(seed) + number * golden_ratio);
    Random random(mix(seed) + number);
    std::vector<HalfEdge> places;
    for (std::uint32_t made = 0, tried = 0; made < interchanges && tried < most_tried; ++tried) {
        auto const near = inner_edges(subtrees_near(tree, {centre}, interchanges_within));
        auto const h = near[random.below(near.size())];
        auto const move = likelihood.nni(h, static_cast<std::uint32_t>(random.below(2)));
        if (constraint != nullptr && !constraint->allows(tree)) {
            likelihood.undo(move);
            continue;
        }
        ++made;
        places.push_back(h);
        places.push_back(tree.back(h));
    }
    likelihood.reach(escape_phase.inside);
    auto const edges = edges_near(tree, places, 1);
    for (int pass = 0; pass < 2; ++pass) fit_lengths(likelihood, edges);
    auto const loglh = likelihood.loglh(centre);
    likelihood.reach(escape_phase.after);
    return {loglh, places};
}

std::vector<std::uint64_t> clade_hashes(msa::Tree const& tree) {
    std::vector<std::uint64_t> hashes(tree.num_half_edges());
    for (auto h : msa::postorder(tree, tree.back(0))) {
        if (tree.is_tip(h)) hashes[h] = mix(h);
        for (auto g = tree.next(h); g != h; g = tree.next(g)) hashes[h] ^= hashes[tree.back(g)];
    }
    return hashes;
}

std::uint64_t fingerprint(msa::Tree const& tree) {
    std::uint64_t sum = 0;
    for (auto clade : clade_hashes(tree)) {
        if (clade != 0) sum += mix(clade);
    }
    return sum;
}

std::vector<HalfEdge> all_subtrees(msa::Tree const& tree) {
    std::vector<HalfEdge> result;
    for (auto h : msa::preorder_edges(tree)) {
        for (auto end : {h, tree.back(h)}) {
            if (!tree.is_tip(end)) result.push_back(end);
        }
    }
    return result;
}

std::vector<HalfEdge> subtrees_near(msa::Tree const& tree, std::vector<HalfEdge> const& places, std::uint32_t steps) {
    std::vector<msa::Node> nodes;
    std::vector<bool> seen(tree.num_nodes());
    auto const see = [&](HalfEdge h) {
        if (seen[tree.node(h)]) return;
        seen[tree.node(h)] = true;
        nodes.push_back(tree.node(h));
    };
    for (auto h : places) see(h);
    std::size_t first = 0;
    for (std::uint32_t step = 0; step < steps; ++step) {
        for (auto const last = nodes.size(); first < last; ++first) {
            auto const h = tree.half_edge(nodes[first]);
            see(tree.back(h));
            for (auto g = tree.next(h); g != h; g = tree.next(g)) see(tree.back(g));
        }
    }
    std::vector<HalfEdge> result;
    for (auto node : std::views::reverse(nodes)) {
        auto const h = tree.half_edge(node);
        if (!tree.is_tip(h)) result.insert(result.end(), {h, h + 1, h + 2});
    }
    return result;
}

std::vector<HalfEdge> edges_near(msa::Tree const& tree, std::vector<HalfEdge> const& places, std::uint32_t steps) {
    auto edges = subtrees_near(tree, places, steps);
    std::vector<bool> is_near(tree.num_half_edges());
    for (auto const h : edges) is_near[h] = true;
    std::erase_if(edges, [&](HalfEdge h) { return tree.back(h) < h && is_near[tree.back(h)]; });
    return edges;
}

}  // namespace regraft::search
