#include "evolved.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string_view>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::bench {
namespace {

using likelihood::Eigensystem;
using msa::HalfEdge;

constexpr double mean_length = 0.08;
constexpr double unknown_share = 0.02;
constexpr std::string_view nucleotides = "ACGT";
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";

double length(Random& random) {
    return std::max(1e-4, -mean_length * std::log1p(-random.unit()));
}

/// Takes out one of the subtrees that wait to be joined, the oldest first.
HalfEdge take(std::deque<HalfEdge>& open, TreeShape shape, Random& random) {
    if (shape == TreeShape::random) std::swap(open.front(), open[random.below(open.size())]);
    auto const h = open.front();
    open.pop_front();
    return h;
}

msa::Tree grow(TreeShape shape, std::uint32_t num_taxa, HalfEdge& root, Random& random) {
    msa::Tree tree(num_taxa);
    std::deque<HalfEdge> open;
    for (HalfEdge tip = 0; tip < num_taxa; ++tip) open.push_back(tip);
    for (msa::Node v = num_taxa; v < tree.num_nodes(); ++v) {
        auto const h = tree.half_edge(v);
        tree.connect(tree.next(h), take(open, shape, random), length(random));
        tree.connect(tree.next(tree.next(h)), take(open, shape, random), length(random));
        if (shape == TreeShape::caterpillar) {
            open.push_front(h);
        } else {
            open.push_back(h);
        }
    }
    root = std::max(open.front(), open.back());
    tree.connect(open.front(), open.back(), length(random));
    return tree;
}

/// How states change along an edge at a rate: rows of cumulated probabilities.
std::vector<double> transitions(Eigensystem const& eigen, double time) {
    auto const n = eigen.frequencies.size();
    std::vector<double> result(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) {
                sum += eigen.vectors[i * n + k] * std::exp(eigen.values[k] * time) * eigen.inverse[k * n + j];
            }
            result[i * n + j] = sum;
        }
    }
    return result;
}

std::size_t draw(double const* cumulated, std::size_t n, Random& random) {
    auto const at = std::upper_bound(cumulated, cumulated + n, random.unit()) - cumulated;
    return std::min(static_cast<std::size_t>(at), n - 1);
}

class Evolution {
public:
    Evolution(msa::Tree const& tree, HalfEdge root, likelihood::SiteModel const& model)
        : root_(root), num_states_(model.num_states), num_rates_(model.categories.size()), state_(tree.num_nodes()) {
        auto const& eigen = model.systems[0];
        double sum = 0;
        for (auto const frequency : eigen.frequencies) start_.push_back(sum += frequency);
        auto const add_step = [&](HalfEdge from, HalfEdge to) {
            steps_.push_back({tree.node(from), tree.node(to), {}});
            for (auto const& category : model.categories) {
                steps_.back().by_rate.push_back(transitions(eigen, tree.length(from) * category.rate));
            }
        };
        root_ = tree.node(root);
        add_step(root, tree.back(root));
        for (auto const top : {root, tree.back(root)}) {
            auto const order = msa::postorder(tree, top);
            for (auto g = order.rbegin(); g != order.rend(); ++g) {
                for (auto side = tree.next(*g); side != *g; side = tree.next(side)) add_step(side, tree.back(side));
            }
        }
    }

    /// The states of all nodes.
    std::vector<std::size_t> const& draw_site(Random& random) {
        auto const rate = random.below(num_rates_);
        state_[root_] = draw(start_.data(), num_states_, random);
        for (auto const& step : steps_) {
            state_[step.to] = draw(&step.by_rate[rate][state_[step.from] * num_states_], num_states_, random);
        }
        return state_;
    }

private:
    struct Step {
        msa::Node from;
        msa::Node to;
        std::vector<std::vector<double>> by_rate;
    };
    msa::Node root_;
    std::size_t num_states_;
    std::size_t num_rates_;
    std::vector<double> start_;
    std::vector<Step> steps_;
    std::vector<std::size_t> state_;
};

likelihood::Sites evolve(msa::Tree const& tree, HalfEdge root, likelihood::SiteModel const& model,
                         std::size_t num_sites, Random& random) {
    auto const letters = model.num_states == 4 ? nucleotides : amino_acids;
    Evolution evolution(tree, root, model);
    likelihood::Sites sites;
    sites.rows.assign(tree.num_tips(), std::string(num_sites, '-'));
    for (std::size_t site = 0; site < num_sites; ++site) {
        sites.weights.push_back(static_cast<std::uint32_t>(1 + random.below(3)));
        auto const& state = evolution.draw_site(random);
        for (std::uint32_t tip = 0; tip < tree.num_tips(); ++tip) {
            if (random.unit() >= unknown_share) sites.rows[tip][site] = letters[state[tip]];
        }
    }
    return sites;
}

}  // namespace

Evolved::Evolved(TreeShape shape, std::uint32_t num_states, std::uint32_t num_taxa, std::size_t num_sites)
    : tree(num_taxa), root(0) {
    REGRAFT_EXPECTS(num_states == 4 || num_states == 20);
    Random random(num_states);
    tree = grow(shape, num_taxa, root, random);
    auto const spec = likelihood::parse_model(
        num_states == 4 ? "GTR{1.2/3.1/0.9/1.1/3.4/1}+FU{0.3/0.2/0.22/0.28}+G4m{0.6}" : "LG+G4m{0.8}");
    auto const values = likelihood::start_model(spec, {});
    if (num_states == 4) {
        exchangeabilities = values.rates;
    } else {
        auto const& known = spec.matrices[0].exchangeabilities;
        exchangeabilities.assign(known.begin(), known.end());
    }
    model = likelihood::site_model(spec, values);
    sites = evolve(tree, root, model, num_sites, random);
}

}  // namespace regraft::bench
