// Probabilities of change along a branch from the rate matrix itself, without eigenvectors: the oracle of eigensystems.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "regraft/likelihood/site_model.hpp"

namespace regraft::testing {

/// n x n, by rows.
using Matrix = std::vector<long double>;

inline Matrix product(Matrix const& a, Matrix const& b, std::size_t n) {
    Matrix result(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) result[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    }
    return result;
}

/// Q_ij = exchangeability_ij pi_j, mean rate 1.
inline Matrix rate_matrix(std::span<double const> exchangeabilities, std::span<double const> frequencies) {
    auto const n = frequencies.size();
    long double sum = 0;
    for (double f : frequencies) sum += f;
    Matrix q(n * n);
    long double mean = 0;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j, ++pair) {
            q[i * n + j] = exchangeabilities[pair] * (frequencies[j] / sum);
            q[j * n + i] = exchangeabilities[pair] * (frequencies[i] / sum);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j != i) q[i * n + i] -= q[i * n + j];
        }
        mean -= q[i * n + i] * frequencies[i] / sum;
    }
    for (auto& rate : q) rate /= mean;
    return q;
}

/// The matrix with rows scaled to sum 1.
inline Matrix with_rows_of_one(Matrix p, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += p[i * n + j];
        for (std::size_t j = 0; j < n; ++j) p[i * n + j] /= sum;
    }
    return p;
}

/// exp(q t), by Taylor's series of a part of t, and squares. All terms are positive, so even small results are exact.
inline Matrix transition(Matrix q, std::size_t n, long double t) {
    long double fastest = 0;
    for (std::size_t i = 0; i < n; ++i) fastest = fastest > -q[i * n + i] ? fastest : -q[i * n + i];
    int squares = 0;
    while (fastest * t > 0.5L) {
        t /= 2;
        ++squares;
    }
    // exp(q t) is exp((q + fastest I) t) but for a factor
    for (std::size_t i = 0; i < n; ++i) q[i * n + i] += fastest;
    Matrix sum(n * n);
    Matrix term(n * n);
    for (std::size_t i = 0; i < n; ++i) sum[i * n + i] = term[i * n + i] = 1;
    for (int k = 1; k < 40; ++k) {
        term = product(term, q, n);
        for (auto& cell : term) cell *= t / k;
        for (std::size_t cell = 0; cell < n * n; ++cell) sum[cell] += term[cell];
    }
    sum = with_rows_of_one(sum, n);
    for (; squares > 0; --squares) sum = with_rows_of_one(product(sum, sum, n), n);
    return sum;
}

/// vectors diag(values) inverse: Q again.
inline Matrix rates_of(likelihood::Eigensystem const& system) {
    auto const n = system.frequencies.size();
    Matrix q(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) {
                q[i * n + j] +=
                    static_cast<long double>(system.vectors[i * n + k]) * system.values[k] * system.inverse[k * n + j];
            }
        }
    }
    return q;
}

/// vectors diag(exp(values t)) inverse, in doubles, as kernels do it.
inline std::vector<double> transition_of(likelihood::Eigensystem const& system, double t) {
    auto const n = system.frequencies.size();
    std::vector<double> p(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            auto const left = system.vectors[i * n + k] * std::exp(system.values[k] * t);
            for (std::size_t j = 0; j < n; ++j) p[i * n + j] += left * system.inverse[k * n + j];
        }
    }
    return p;
}

/// Unseen states count a little (site_model.hpp).
inline std::vector<double> floored(std::vector<double> frequencies) {
    for (double& f : frequencies) f = f < 1e-12 ? 1e-12 : f;
    return frequencies;
}

}  // namespace regraft::testing
