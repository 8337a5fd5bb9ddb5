// Householder's reflection splits off the equilibrium, whose eigenvalue is 0; cyclic Jacobi rotations find the other
// eigenvalues. Both keep small frequencies apart from large ones.
#include "likelihood/models/eigensystem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

constexpr double min_frequency = 1e-12;
constexpr double rounding = 0x1p-54;
constexpr int max_sweeps = 40;

/// An n x n matrix, stored by rows.
class Square {
public:
    explicit Square(std::size_t n) : n_(n), cells_(n * n) {}
    double& operator()(std::size_t i, std::size_t j) { return cells_[i * n_ + j]; }
    double operator()(std::size_t i, std::size_t j) const { return cells_[i * n_ + j]; }
    std::size_t size() const { return n_; }

private:
    std::size_t n_;
    std::vector<double> cells_;
};

double dot(std::span<double const> a, std::span<double const> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> normalised(std::span<double const> frequencies) {
    std::vector<double> result;
    for (double f : frequencies) result.push_back(std::max(f, min_frequency));
    auto const sum = std::accumulate(result.begin(), result.end(), 0.0);
    for (double& f : result) f /= sum;
    return result;
}

/// The matrix sqrt(pi) Q / sqrt(pi) with mean rate 1.
Square symmetric_rates(std::span<double const> exchangeabilities, std::span<double const> pi,
                       std::span<double const> roots) {
    auto const n = pi.size();
    Square rates(n);
    double mean = 0;
    auto const* exchangeability = exchangeabilities.data();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j, ++exchangeability) {
            rates(i, j) = rates(j, i) = *exchangeability * (roots[i] * roots[j]);
            rates(i, i) -= *exchangeability * pi[j];
            rates(j, j) -= *exchangeability * pi[i];
            mean += 2 * *exchangeability * (pi[i] * pi[j]);
        }
    }
    REGRAFT_EXPECTS(mean > 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) rates(i, j) /= mean;
    }
    return rates;
}

/// I - u u^T / scale maps the unit vector `equilibrium` to the axis of its largest part.
struct Reflection {
    explicit Reflection(std::span<double const> equilibrium)
        : axis(
              static_cast<std::size_t>(std::max_element(equilibrium.begin(), equilibrium.end()) - equilibrium.begin())),
          u(equilibrium.begin(), equilibrium.end()),
          scale(1 + equilibrium[axis]) {
        u[axis] += 1;
    }

    Square matrix() const {
        Square result(u.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j < u.size(); ++j) result(i, j) = (i == j ? 1.0 : 0.0) - u[i] * u[j] / scale;
        }
        return result;
    }

    /// Replaces a by H a H, a rank-2 update by rows.
    void apply(Square& a) const {
        std::vector<double> w(u.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j < u.size(); ++j) w[i] += a(i, j) * u[j];
            w[i] /= scale;
        }
        auto const half = dot(u, w) / (2 * scale);
        for (std::size_t i = 0; i < u.size(); ++i) w[i] -= half * u[i];
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j < u.size(); ++j) a(i, j) -= u[i] * w[j] + w[i] * u[j];
        }
    }

    std::size_t axis;
    std::vector<double> u;
    double scale;
};

struct Rotation {
    double c;
    double s;
    /// Rotates elements of columns or rows p, q: (x, y) becomes (c x - s y, s x + c y).
    void turn(double& x, double& y) const {
        double const old = x;
        x = c * old - s * y;
        y = s * old + c * y;
    }
};

/// The smaller of the two rotations that make a(p, q) 0.
Rotation annihilating(double pp, double qq, double pq) {
    double const theta = (qq - pp) / (2 * pq);
    double const t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    double const c = 1 / std::sqrt(t * t + 1);
    return {c, t * c};
}

/// Makes the symmetric matrix diagonal except for row and column `axis`, which it leaves alone, and rotates the columns
/// of `vectors` with it. An element counts as 0 relative to the geometric mean of its diagonal elements, so that small
/// eigenvalues stay exact.
void diagonalise(Square& a, Square& vectors, std::size_t axis) {
    auto const n = a.size();
    bool done = false;
    for (int sweep = 0; sweep < max_sweeps && !done; ++sweep) {
        done = true;
        for (std::size_t p = 0; p < n; ++p) {
            for (std::size_t q = p + 1; q < n; ++q) {
                if (p == axis || q == axis) continue;
                if (std::abs(a(p, q)) <= rounding * std::sqrt(std::abs(a(p, p))) * std::sqrt(std::abs(a(q, q))))
                    continue;
                done = false;
                auto const rotation = annihilating(a(p, p), a(q, q), a(p, q));
                for (std::size_t k = 0; k < n; ++k) rotation.turn(a(k, p), a(k, q));
                for (std::size_t k = 0; k < n; ++k) rotation.turn(a(p, k), a(q, k));
                for (std::size_t k = 0; k < n; ++k) rotation.turn(vectors(k, p), vectors(k, q));
                a(p, q) = a(q, p) = 0;
            }
        }
    }
}

/// The axes in the order of descending eigenvalues, that of the equilibrium first.
std::vector<std::size_t> descending(Square const& diagonal, std::size_t axis) {
    std::vector<std::size_t> order(diagonal.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order.front(), order[axis]);
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](std::size_t k, std::size_t l) { return diagonal(k, k) > diagonal(l, l); });
    return order;
}

}  // namespace

Eigensystem eigensystem(std::span<double const> exchangeabilities, std::span<double const> frequencies) {
    auto const n = frequencies.size();
    REGRAFT_EXPECTS(exchangeabilities.size() == n * (n - 1) / 2);
    Eigensystem system{normalised(frequencies), std::vector<double>(n), std::vector<double>(n * n),
                       std::vector<double>(n * n)};
    std::vector<double> roots;
    for (double f : system.frequencies) roots.push_back(std::sqrt(f));

    auto a = symmetric_rates(exchangeabilities, system.frequencies, roots);
    Reflection const reflection(roots);
    reflection.apply(a);
    auto vectors = reflection.matrix();
    diagonalise(a, vectors, reflection.axis);

    auto const order = descending(a, reflection.axis);
    for (std::size_t k = 0; k < n; ++k) {
        system.values[k] = k == 0 ? 0.0 : std::min(a(order[k], order[k]), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            double const u = k == 0 ? roots[i] : vectors(i, order[k]);
            system.vectors[i * n + k] = u / roots[i];
            system.inverse[k * n + i] = u * roots[i];
        }
    }
    return system;
}

}  // namespace regraft::likelihood
