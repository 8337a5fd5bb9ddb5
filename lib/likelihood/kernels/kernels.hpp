// The computations for every site: conditional likelihoods (CLVs), sums over edges, derivatives. They are written once
// and compiled for every instruction set. All instruction sets give the same bits, because every site has a vector lane
// of its own and all operations are IEEE's, in one order, with fused multiply-add. The sources include the -inl.hpp
// files once for every instruction set.
//
// Sites are processed in blocks of 8. A CLV is [block][category][state][site]; its scalers are [block][category][site]:
// the likelihoods were multiplied by 2^(256 * scaler). Matrices are [category][column][row], rows padded to `stride`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "regraft/core/fixed_sum.hpp"

namespace regraft::likelihood::kernels {

inline constexpr std::size_t block_sites = 8;
/// Tips have masks up to this number of states. With more states, looking up products is faster.
inline constexpr std::size_t most_states_by_mask = 4;
constexpr bool has_masks(std::size_t states) {
    return states == 2 || states == most_states_by_mask;
}

struct Shape {
    std::size_t states = 0;
    std::size_t categories = 0;

    std::size_t stride() const { return (states + 3) / 4 * 4; }
    std::size_t matrix_size() const { return states * stride(); }
    std::size_t matrices_size() const { return categories * matrix_size(); }
    std::size_t block_size() const { return categories * states * block_sites; }
    /// The numbers of SiteSystems for a block.
    std::size_t system_size() const { return states * (states + 3) * block_sites; }
    std::size_t block_scalers() const { return categories * block_sites; }
};

struct Blocks {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// The number of blocks that this many sites fill.
constexpr std::size_t blocks_for(std::size_t num_sites) {
    return (num_sites + block_sites - 1) / block_sites;
}
/// The number of sites after the last block was filled up.
constexpr std::size_t padded(std::size_t num_sites) {
    return blocks_for(num_sites) * block_sites;
}

/// The rate matrices of sites that have frequencies pi of their own: Q = U diag(values) U^T between 1 / sqrt(pi) and
/// sqrt(pi), with values that descend. Sites that only fill the last block have some, too.
struct SiteSystems {
    double const* values = nullptr;       // [block][k][site]
    double const* vectors = nullptr;      // U: [block][k][state][site]
    double const* roots = nullptr;        // sqrt(pi): [block][state][site]
    double const* reciprocals = nullptr;  // 1 / sqrt(pi)
};

/// The view from one end of an edge, in one of three forms: the likelihoods of all sites; for a tip with few states,
/// the masks of its state sets; or, where many sites are alike, every site's class and the rows of the classes.
/// matrices: the likelihoods are multiplied with these along the edge; rows already hold the products.
struct Side {
    double const* clv = nullptr;
    std::uint16_t const* scalers = nullptr;
    std::uint8_t const* masks = nullptr;
    std::uint32_t const* classes = nullptr;
    double const* matrices = nullptr;
    double const* rows = nullptr;  // [category][class][state], padded like matrices
    std::size_t num_classes = 0;
    /// The systems of sites with frequencies of their own. Then matrices are [category] times, there are no rows, and
    /// classes are numbers of sets of states.
    SiteSystems const* systems = nullptr;
    std::uint64_t const* sets = nullptr;
};

/// The weights of a block's sites; behind the last site 0.
using Weights = std::int64_t const*;

/// Replaces x by exp(x), or by log(x).
void exponentials(std::span<double> x);
void logarithms(std::span<double> x);
/// Replaces x by exp(x) - minus, exact to the last digits. Each minus is 0 or 1; there are as many as sites in the
/// blocks that x fills.
void exponentials_minus(std::span<double> x, double const* minus);

/// matrix = diagonal * identity + vectors * diag(factors) * inverse for one category: [column][row] with rows padded by
/// 0, nothing below 0. columns: vectors as [k][row], padded; inverse: [k][column], not padded; factors: [k].
void transition(Shape shape, double const* columns, double const* inverse, double const* factors, double diagonal,
                double* matrix);

/// clv = (left's matrices * left) .* (right's matrices * right), scaled up where all states of a site are small.
void combine(Shape shape, Side const& left, Side const& right, double* clv, std::uint16_t* scalers, Blocks blocks);

/// Makes the rows of classes from their likelihoods (a Side with clv), or from the products with these if it has
/// matrices. num_classes includes those that only fill the last block.
void make_rows(Shape shape, Side const& side, std::size_t num_classes, double* rows, Blocks blocks);

/// Values that are the same for all sites of an edge: [category][state] frequencies, [category] weights. invariant:
/// [site] the amount to add to a site's likelihood, or null.
struct Root {
    double const* frequencies = nullptr;
    double const* weights = nullptr;
    double const* invariant = nullptr;
    SiteSystems const* systems = nullptr;  // instead of frequencies, if those of sites differ
};

/// Adds the sites' log-likelihoods at an edge. near is inner and has likelihoods without matrices. per_site: [site], or
/// null.
void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks);

/// Fills table, [block][category][state][site]: a site's likelihood at length t is the sum of table times weight *
/// exp(eigenvalue * rate * t), up to a factor if the site cannot be invariant. Both sides have the inverse eigenvectors
/// as matrices.
void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks);

/// Fills table, which has the form of a CLV, with near's likelihoods times far's products: the likelihood of a site in
/// each category with each state at near's node, without frequencies and weights, up to a factor if the site cannot be
/// invariant. near: as for add_loglh.
void make_products(Shape shape, Side const& near, Side const& far, double const* invariant, double* table,
                   Blocks blocks);

/// Adds the log-likelihood and its first and second derivative at a length. terms: [3][category][state].
void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks);

/// What the terms are made of if sites have systems of their own.
struct SiteTerms {
    SiteSystems const* systems = nullptr;
    double const* speeds = nullptr;   // [category] times per length
    double const* weights = nullptr;  // [category]
    double length = 0;
};
/// The same with these terms.
void add_site_derivatives(Shape shape, double const* table, SiteTerms const& terms, double const* invariant,
                          Weights weights, std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums,
                          Blocks blocks);

}  // namespace regraft::likelihood::kernels
