// Felsenstein's pruning (1981) in long double, an oracle: transition probabilities by uniformisation, every conditional
// likelihood with the logarithm of its own scale. Shares no code with the library's kernels.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::test {

using Real = long double;

/// n x n, by rows.
struct RealMatrix {
    explicit RealMatrix(std::size_t size) : n(size), cells(size * size) {}
    Real& operator()(std::size_t i, std::size_t j) { return cells[i * n + j]; }
    Real operator()(std::size_t i, std::size_t j) const { return cells[i * n + j]; }

    std::size_t n;
    std::vector<Real> cells;
};

inline RealMatrix operator*(RealMatrix const& a, RealMatrix const& b) {
    RealMatrix product(a.n);
    for (std::size_t i = 0; i < a.n; ++i) {
        for (std::size_t k = 0; k < a.n; ++k) {
            for (std::size_t j = 0; j < a.n; ++j) product(i, j) += a(i, k) * b(k, j);
        }
    }
    return product;
}

/// Exchangeabilities (upper triangle by rows) and frequencies, sum 1, of a reversible process.
struct Process {
    std::vector<double> exchangeabilities;
    std::vector<double> frequencies;
};

/// The rate matrix with mean rate 1.
inline RealMatrix rate_matrix(Process const& process) {
    auto const n = process.frequencies.size();
    RealMatrix q(n);
    Real mean = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j, ++next) {
            q(i, j) = Real{process.exchangeabilities[next]} * process.frequencies[j];
            q(j, i) = Real{process.exchangeabilities[next]} * process.frequencies[i];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        Real out = 0;
        for (std::size_t j = 0; j < n; ++j) out += q(i, j);
        q(i, i) = -out;
        mean += process.frequencies[i] * out;
    }
    for (auto& cell : q.cells) cell /= mean;
    return q;
}

/// exp(q t). With m the fastest rate, q = m (b - 1), and b has no negative elements: nothing cancels, so that small
/// probabilities are as exact as large ones. Halves t until the series is short.
inline RealMatrix transition_probabilities(RealMatrix const& q, Real t) {
    Real fastest = 0;
    for (std::size_t i = 0; i < q.n; ++i) fastest = std::max(fastest, -q(i, i));
    int halvings = 0;
    for (auto mean_events = fastest * t; mean_events > 0.125L; mean_events /= 2) ++halvings;
    auto const events = std::ldexp(fastest * t, -halvings);
    auto b = q;
    for (auto& cell : b.cells) cell /= fastest;
    for (std::size_t i = 0; i < q.n; ++i) b(i, i) += 1;

    RealMatrix term(q.n);
    for (std::size_t i = 0; i < q.n; ++i) term(i, i) = std::exp(-events);
    auto sum = term;
    constexpr int num_terms = 16;  // 0.125^16 / 16! < 2^-92
    for (int k = 1; k < num_terms && events > 0; ++k) {
        term = term * b;
        for (auto& cell : term.cells) cell *= events / k;
        for (std::size_t i = 0; i < sum.cells.size(); ++i) sum.cells[i] += term.cells[i];
    }
    for (; halvings > 0; --halvings) sum = sum * sum;
    return sum;
}

/// A mixture of processes, and of sites that never change.
struct Mixture {
    struct Category {
        std::size_t process;
        double rate;
        double weight;
    };
    std::vector<Process> processes;
    std::vector<Category> categories;
    double invariant = 0;  // these have the categories' frequencies, each by its weight
    double branch_scale = 1;
};

class Pruning {
public:
    /// Log-likelihood of a site and its derivatives by a branch's length.
    struct Value {
        Real loglh;
        Real first;
        Real second;
    };

    Pruning(msa::Tree const& tree, Mixture mixture, likelihood::StateSets const& sets, likelihood::Sites const& sites,
            std::uint32_t length_set = 0)
        : tree_(tree), mixture_(std::move(mixture)), sets_(sets), sites_(sites), length_set_(length_set) {
        for (auto const& process : mixture_.processes) rates_.push_back(rate_matrix(process));
    }

    /// The likelihood of each pattern, evaluated at the edge of h, as if that were so long.
    std::vector<Value> values(msa::HalfEdge h, Real length) const {
        std::vector<Sum> sums(num_sites());
        for (auto const& category : mixture_.categories) add_category(category, h, length, sums);
        std::vector<Value> result;
        for (std::size_t site = 0; site < num_sites(); ++site) result.push_back(value(site, sums[site]));
        return result;
    }
    std::vector<Value> values(msa::HalfEdge h) const { return values(h, tree_.length(h, length_set_)); }

private:
    /// The likelihoods of all sites: [site][state], multiplied with exp(log_scale).
    struct Conditional {
        std::vector<Real> likelihoods;
        std::vector<Real> log_scale;
    };
    /// value, d/dt and d2/dt2 of a likelihood, each multiplied with exp(log_scale).
    struct Sum {
        Real value = 0;
        Real first = 0;
        Real second = 0;
        Real log_scale = 0;
    };

    std::size_t num_sites() const { return sites_.weights.size(); }
    std::size_t num_states() const { return mixture_.processes[0].frequencies.size(); }

    Conditional tip(msa::HalfEdge h) const {
        Conditional result{std::vector<Real>(num_sites() * num_states()), std::vector<Real>(num_sites())};
        for (std::size_t site = 0; site < num_sites(); ++site) {
            auto const set = sets_[static_cast<unsigned char>(sites_.rows[h][site])];
            for (std::size_t i = 0; i < num_states(); ++i) result.likelihoods[site * num_states() + i] = set >> i & 1U;
        }
        return result;
    }

    void multiply_by_branch(Conditional& parent, RealMatrix const& p, Conditional const& child) const {
        auto const n = num_states();
        for (std::size_t site = 0; site < num_sites(); ++site) {
            for (std::size_t i = 0; i < n; ++i) {
                Real sum = 0;
                for (std::size_t j = 0; j < n; ++j) sum += p(i, j) * child.likelihoods[site * n + j];
                parent.likelihoods[site * n + i] *= sum;
            }
            parent.log_scale[site] += child.log_scale[site];
        }
    }

    void normalise(Conditional& conditional) const {
        auto const n = num_states();
        for (std::size_t site = 0; site < num_sites(); ++site) {
            auto const states = std::span(conditional.likelihoods).subspan(site * n, n);
            auto const largest = *std::max_element(states.begin(), states.end());
            if (largest == 0) continue;
            for (auto& x : states) x /= largest;
            conditional.log_scale[site] += std::log(largest);
        }
    }

    /// The conditional likelihoods of the subtree at h's node when h's edge is cut.
    Conditional conditional(Mixture::Category const& category, msa::HalfEdge h) const {
        std::vector<Conditional> known(tree_.num_half_edges());
        for (auto const g : msa::postorder(tree_, h)) {
            if (tree_.is_tip(g)) {
                known[g] = tip(g);
                continue;
            }
            known[g] = {std::vector<Real>(num_sites() * num_states(), 1), std::vector<Real>(num_sites())};
            for (auto side = tree_.next(g); side != g; side = tree_.next(side)) {
                auto const child = tree_.back(side);
                auto const p =
                    transition_probabilities(rates_[category.process], time(category, tree_.length(side, length_set_)));
                multiply_by_branch(known[g], p, known[child]);
                known[child] = {};
            }
            normalise(known[g]);
        }
        return std::move(known[h]);
    }

    Real time(Mixture::Category const& category, Real length) const {
        return length * mixture_.branch_scale * category.rate;
    }

    void add_category(Mixture::Category const& category, msa::HalfEdge h, Real length, std::vector<Sum>& sums) const {
        auto const n = num_states();
        auto const& q = rates_[category.process];
        auto const p = transition_probabilities(q, time(category, length));
        auto const first = q * p;
        auto const second = q * first;
        auto const speed = time(category, 1);
        auto const near = conditional(category, h);
        auto const far = conditional(category, tree_.back(h));
        auto const& frequencies = mixture_.processes[category.process].frequencies;
        for (std::size_t site = 0; site < num_sites(); ++site) {
            auto const across = [&](RealMatrix const& m) {
                Real sum = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    for (std::size_t j = 0; j < n; ++j) {
                        sum +=
                            frequencies[i] * near.likelihoods[site * n + i] * m(i, j) * far.likelihoods[site * n + j];
                    }
                }
                return category.weight * sum;
            };
            add(sums[site], {across(p), speed * across(first), speed * speed * across(second),
                             near.log_scale[site] + far.log_scale[site]});
        }
    }

    static void add(Sum& sum, Sum const& term) {
        if (term.value == 0) return;
        auto const scale = sum.value == 0 ? term.log_scale : std::max(sum.log_scale, term.log_scale);
        auto const a = sum.value == 0 ? 0 : std::exp(sum.log_scale - scale);
        auto const b = std::exp(term.log_scale - scale);
        sum = {a * sum.value + b * term.value, a * sum.first + b * term.first, a * sum.second + b * term.second, scale};
    }

    /// The frequencies of the states that all tips may have.
    Real unchanged(std::size_t site) const {
        auto states = ~std::uint64_t{0};
        for (auto const& row : sites_.rows) states &= sets_[static_cast<unsigned char>(row[site])];
        Real sum = 0;
        Real weights = 0;
        for (auto const& category : mixture_.categories) {
            auto const& frequencies = mixture_.processes[category.process].frequencies;
            weights += category.weight;
            for (std::size_t i = 0; i < num_states(); ++i) {
                if ((states >> i & 1U) != 0) sum += category.weight * frequencies[i];
            }
        }
        return sum / weights;
    }

    Value value(std::size_t site, Sum sum) const {
        if (mixture_.invariant > 0) add(sum, {mixture_.invariant * unchanged(site), 0, 0, 0});
        auto const slope = sum.first / sum.value;
        return {std::log(sum.value) + sum.log_scale, slope, sum.second / sum.value - slope * slope};
    }

    msa::Tree const& tree_;
    Mixture mixture_;
    likelihood::StateSets const& sets_;
    likelihood::Sites const& sites_;
    std::uint32_t length_set_;
    std::vector<RealMatrix> rates_;
};

inline Pruning::Value operator+(Pruning::Value const& a, Pruning::Value const& b) {
    return {a.loglh + b.loglh, a.first + b.first, a.second + b.second};
}
inline Pruning::Value operator*(Real factor, Pruning::Value const& a) {
    return {factor * a.loglh, factor * a.first, factor * a.second};
}

/// The sum over all patterns, as often as they occur.
inline Pruning::Value total(std::span<Pruning::Value const> values, std::span<std::uint32_t const> weights) {
    Pruning::Value sum{};
    for (std::size_t i = 0; i < values.size(); ++i) sum = sum + Real{1} * weights[i] * values[i];
    return sum;
}

/// log of the sum of exp(values).
inline Pruning::Value log_of_sum(std::span<Pruning::Value const> values) {
    auto const largest = std::max_element(values.begin(), values.end(), [](auto const& a, auto const& b) {
                             return a.loglh < b.loglh;
                         })->loglh;
    Real sum = 0;
    Real first = 0;
    Real second = 0;
    for (auto const& value : values) {
        auto const x = std::exp(value.loglh - largest);
        sum += x;
        first += x * value.first;
        second += x * (value.second + value.first * value.first);
    }
    auto const slope = first / sum;
    return {std::log(sum) + largest, slope, second / sum - slope * slope};
}

/// log(1 - exp(value)).
inline Pruning::Value log_of_rest(Pruning::Value const& value) {
    auto const p = std::exp(value.loglh);
    auto const rest = -std::expm1(value.loglh);
    auto const slope = -p * value.first / rest;
    return {std::log1p(-p), slope, -p * (value.second + value.first * value.first) / rest - slope * slope};
}

/// The term that Leache et al. (2015) add for sites that were left out. constant: patterns with one state everywhere.
inline Pruning::Value correction(likelihood::Sites const& sites, std::span<Pruning::Value const> constant) {
    using likelihood::Ascertainment;
    Real size = 0;
    for (auto const weight : sites.weights) size += weight;
    if (sites.ascertainment == Ascertainment::lewis) return -size * log_of_rest(log_of_sum(constant));
    if (sites.left_out.empty()) return {};
    if (sites.ascertainment == Ascertainment::felsenstein) return Real{1} * sites.left_out[0] * log_of_sum(constant);
    return total(constant, sites.left_out);
}

}  // namespace regraft::test
