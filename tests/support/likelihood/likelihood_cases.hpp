// Random trees, models and sites for likelihoods, and what a Partition says of them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "likelihood/models/eigensystem.hpp"
#include "regraft/core/random.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/likelihood/pruning.hpp"

namespace regraft::test {

struct CaseShape {
    std::uint32_t num_tips = 6;
    std::uint32_t num_states = 4;
    std::size_t num_categories = 4;
    std::size_t num_patterns = 20;
    bool invariant = false;
    bool systems_per_category = false;
    likelihood::Ascertainment ascertainment = likelihood::Ascertainment::none;
};

struct LikelihoodCase {
    msa::Tree tree;
    Mixture mixture;
    likelihood::StateSets sets;
    likelihood::Sites sites;

    std::uint32_t num_states() const { return static_cast<std::uint32_t>(mixture.processes[0].frequencies.size()); }
    /// The weight that PartitionOptions want.
    std::uint64_t total_weight() const {
        auto const sum = [](std::span<std::uint32_t const> weights) {
            return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
        };
        auto const times = sites.ascertainment == likelihood::Ascertainment::lewis ? 2 : 1;
        return times * sum(sites.weights) + sum(sites.left_out);
    }

    /// The likelihoods of all sites by pruning, evaluated at the edge of h, as if that were so long.
    Pruning::Value expected(msa::HalfEdge h, Real length) const {
        auto const sum = total(Pruning(tree, mixture, sets, sites).values(h, length), sites.weights);
        if (sites.ascertainment == likelihood::Ascertainment::none) return sum;
        // The first characters are the states.
        likelihood::Sites constant;
        constant.weights.assign(num_states(), 1);
        constant.rows.resize(tree.num_tips());
        for (auto& row : constant.rows) {
            for (std::uint32_t state = 0; state < num_states(); ++state) row.push_back(static_cast<char>(state));
        }
        return sum + correction(sites, Pruning(tree, mixture, sets, constant).values(h, length));
    }
    Pruning::Value expected(msa::HalfEdge h) const { return expected(h, tree.length(h)); }
};

/// A number whose logarithm is evenly distributed.
inline double log_uniform(Random& random, double least, double most) {
    return least * std::pow(most / least, random.unit());
}

inline msa::Tree with_random_lengths(msa::Tree tree, Random& random, double least = 1e-6, double most = 100) {
    for (auto const h : tree.edges()) tree.set_length(h, log_uniform(random, least, most));
    return tree;
}

inline Process random_process(std::uint32_t num_states, Random& random) {
    Process process;
    for (std::uint32_t i = 0; i < num_states * (num_states - 1) / 2; ++i) {
        process.exchangeabilities.push_back(log_uniform(random, 0.05, 5));
    }
    for (std::uint32_t i = 0; i < num_states; ++i) process.frequencies.push_back(0.1 + random.unit());
    auto const sum = std::accumulate(process.frequencies.begin(), process.frequencies.end(), 0.0);
    for (auto& frequency : process.frequencies) frequency /= sum;
    return process;
}

inline Mixture random_mixture(CaseShape const& shape, Random& random) {
    Mixture mixture;
    mixture.invariant = shape.invariant ? 0.05 + 0.5 * random.unit() : 0;
    mixture.branch_scale = random.below(2) == 0 ? 1 : 0.5 + random.unit();
    double sum = 0;
    for (std::size_t c = 0; c < shape.num_categories; ++c) {
        if (c == 0 || shape.systems_per_category) mixture.processes.push_back(random_process(shape.num_states, random));
        mixture.categories.push_back({mixture.processes.size() - 1, log_uniform(random, 0.01, 5), 0.1 + random.unit()});
        sum += mixture.categories.back().weight;
    }
    for (auto& category : mixture.categories) category.weight *= (1 - mixture.invariant) / sum;
    return mixture;
}

/// Characters below num_states are states, the next one is undetermined, those up to 100 are random sets.
inline likelihood::StateSets random_sets(std::uint32_t num_states, Random& random) {
    auto const all = num_states == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << num_states) - 1;
    likelihood::StateSets sets{};
    for (std::uint32_t c = 0; c <= 100; ++c) {
        auto const some = random.bits() & random.bits() & all;
        sets[c] = c < num_states ? std::uint64_t{1} << c : c == num_states || some == 0 ? all : some;
    }
    return sets;
}

/// Columns with some common history, and ambiguities.
inline likelihood::Sites random_sites(CaseShape const& shape, Random& random) {
    likelihood::Sites sites;
    sites.rows.resize(shape.num_tips);
    for (std::size_t i = 0; i < shape.num_patterns; ++i) {
        sites.weights.push_back(1 + static_cast<std::uint32_t>(random.below(5)));
        auto const common = random.below(shape.num_states);
        auto const changes = random.below(4);  // of 4 cells
        for (auto& row : sites.rows) {
            auto const other = random.below(8) == 0 ? random.below(101) : random.below(shape.num_states);
            row.push_back(static_cast<char>(random.below(4) < changes ? other : common));
        }
    }
    sites.ascertainment = shape.ascertainment;
    using likelihood::Ascertainment;
    if (shape.ascertainment == Ascertainment::felsenstein) sites.left_out.resize(1);
    if (shape.ascertainment == Ascertainment::stamatakis) sites.left_out.resize(shape.num_states);
    for (auto& number : sites.left_out) number = static_cast<std::uint32_t>(random.below(100));
    return sites;
}

/// Whether sites that never change are in the data, or left out.
inline likelihood::Ascertainment random_ascertainment(CaseShape const& shape, Random& random) {
    return shape.invariant ? likelihood::Ascertainment::none : static_cast<likelihood::Ascertainment>(random.below(4));
}

inline LikelihoodCase random_case(CaseShape const& shape, std::uint64_t seed) {
    Random random(seed);
    auto tree = with_random_lengths(msa::random_tree(shape.num_tips, seed), random);
    auto mixture = random_mixture(shape, random);
    auto sets = random_sets(shape.num_states, random);
    return {std::move(tree), std::move(mixture), sets, random_sites(shape, random)};
}

inline likelihood::SiteModel site_model(Mixture const& mixture) {
    likelihood::SiteModel model;
    model.num_states = static_cast<std::uint32_t>(mixture.processes[0].frequencies.size());
    for (auto const& process : mixture.processes) {
        model.systems.push_back(likelihood::eigensystem(process.exchangeabilities, process.frequencies));
    }
    for (auto const& category : mixture.categories) {
        model.categories.push_back({static_cast<std::uint32_t>(category.process), category.rate, category.weight});
    }
    model.invariant = mixture.invariant;
    return model;
}

/// The likelihood with the tree, which must live as long. total_weight: of all parts of the sum.
inline likelihood::Partition partition(LikelihoodCase const& c, msa::Tree const& tree, likelihood::Sites const& sites,
                                       likelihood::PartitionOptions options = {}) {
    options.total_weight = c.total_weight();
    likelihood::Partition result(tree, 0, c.num_states(), c.sets, sites, options);
    result.set_model(site_model(c.mixture), c.mixture.branch_scale);
    return result;
}
inline likelihood::Partition partition(LikelihoodCase const& c, likelihood::PartitionOptions options = {}) {
    return partition(c, c.tree, c.sites, options);
}

/// Everything in a sum: equal where the bits of its value are equal, on every grid.
struct SumBits {
    std::int64_t high = 0;
    std::int64_t low = 0;
    std::int64_t num_strays = 0;
    std::uint64_t strays = 0;
    friend bool operator==(SumBits const&, SumBits const&) = default;
};

inline std::ostream& operator<<(std::ostream& out, SumBits const& bits) {
    return out << bits.high << ' ' << bits.low << ' ' << bits.num_strays << ' ' << std::bit_cast<double>(bits.strays);
}

inline SumBits bits(FixedSum const& sum) {
    auto const strays = sum.strays.value();
    // All NaN count as equal.
    return {sum.high, sum.low, sum.num_strays,
            std::isnan(strays) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(strays)};
}

inline FixedSum loglh_sum(likelihood::Partition& partition, msa::HalfEdge h = 0) {
    FixedSum sum;
    partition.add_loglh(h, sum);
    return sum;
}

inline std::array<FixedSum, 3> derivative_sums(likelihood::Partition& partition, msa::HalfEdge h, double t) {
    std::array<FixedSum, 3> sums;
    partition.focus(h);
    partition.add_derivatives(t, sums);
    return sums;
}

/// The insertion of the pruned h into the middle of the target's edge, which Tree::regraft makes.
inline likelihood::Insertion in_the_middle(msa::Tree const& tree, msa::HalfEdge h, msa::HalfEdge target) {
    auto const half = tree.length(target) / 2;
    return {h, target, {tree.length(h), half, half}};
}

}  // namespace regraft::test
