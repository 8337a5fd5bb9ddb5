// Log-likelihoods and their derivatives at any length of an edge, and what they are made of.
#include <array>
#include <cstddef>
#include <span>

#include "likelihood/kernels/decay-inl.hpp"
#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "likelihood/kernels/scalers-inl.hpp"
#include "likelihood/kernels/sides-inl.hpp"
#include "likelihood/kernels/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

template <class S, class Left, class Right>
void make_table_of(S shape, Left left, Right right, Side const& near, Side const& far, double const* invariant,
                   double* table, Blocks blocks) {
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near, far, invariant, block);
        left.move_to(block, site);
        right.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            Rows<vectors> factor;
            unrolled<vectors>(
                [&](auto v) INLINED { factor[v] = scale.is_one() ? constant(1) : scale.factor(c, site + v * step); });
            multiply(shape, left, right, c, table + shape.place(block, c, 0) + site,
                     [&](auto v, Vector x) INLINED { return hn::Mul(x, factor[v]); });
        }
    });
}

/// A likelihood that is impossible, or impossible within a very short time, is 0 or, by rounding, below. It must not
/// make the sum over all sites NaN.
constexpr double least_likelihood = 0x1p-600;

/// Terms that all sites share.
template <class S>
class Terms {
public:
    Terms(S shape, double const* terms) : shape_(shape), terms_(terms) {}
    HWY_INLINE void move_to(std::size_t, std::size_t) const {}
    HWY_INLINE void get(std::size_t category, std::size_t k, Group<3>& out) const {
        auto const per_order = shape_.categories() * shape_.states();
        unrolled<3>([&](auto order) INLINED {
            auto const term = constant(terms_[order * per_order + category * shape_.states() + k]);
            unrolled<vectors>([&](auto v) INLINED { out[v][order] = term; });
        });
    }

private:
    S shape_;
    double const* terms_;
};

/// Terms of each site.
template <class S>
class TermsOfSites {
public:
    TermsOfSites(S shape, SiteTerms const& terms) : shape_(shape), terms_(terms) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        values_ = terms_.systems->values + block * shape_.states() * block_sites + site;
    }
    HWY_INLINE void get(std::size_t category, std::size_t k, Group<3>& out) const {
        unrolled<vectors>([&](auto v) INLINED {
            auto const value = hn::Load(sites, values_ + k * block_sites + v * step);
            auto const exponent = hn::Mul(value, constant(terms_.speeds[category]));
            auto const power = decay(hn::Mul(exponent, constant(terms_.length)));
            out[v][0] = hn::Mul(power, constant(terms_.weights[category]));
            out[v][1] = hn::Mul(exponent, out[v][0]);
            out[v][2] = hn::Mul(exponent, out[v][1]);
        });
    }

private:
    S shape_;
    SiteTerms terms_;
    double const* values_ = nullptr;
};

template <class S, class TermsOf>
void add_derivatives_of(S shape, double const* table, TermsOf terms, double const* invariant, Weights weights,
                        std::array<Accumulator, 3>& sums, Blocks blocks) {
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        terms.move_to(block, site);
        Group<3> total;
        total.fill({constant(0), constant(0), constant(0)});
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto const* x = table + shape.place(block, c, 0) + site;
            Group<3> in_category;
            in_category.fill({constant(0), constant(0), constant(0)});
            for (std::size_t k = 0; k < shape.states(); ++k) {
                Rows<vectors> likelihood;
                unrolled<vectors>([&](auto v)
                                      INLINED { likelihood[v] = hn::Load(sites, x + v * step + k * block_sites); });
                Group<3> factor;
                terms.get(c, k, factor);
                unrolled<3>([&](auto order) INLINED {
                    unrolled<vectors>([&](auto v) INLINED {
                        in_category[v][order] = fma(factor[v][order], likelihood[v], in_category[v][order]);
                    });
                });
            }
            unrolled<vectors>([&](auto v) INLINED {
                unrolled<3>([&](auto order)
                                INLINED { total[v][order] = hn::Add(total[v][order], in_category[v][order]); });
            });
        }
        unrolled<vectors>([&](auto v) INLINED {
            auto const first = block * block_sites + site + v * step;
            auto& [likelihood, first_sum, second_sum] = total[v];
            if (invariant != nullptr) likelihood = hn::Add(likelihood, hn::LoadU(sites, invariant + first));
            likelihood = hn::Max(likelihood, constant(least_likelihood));
            auto const weight = hn::LoadU(integers, weights + first);
            auto const reciprocal = hn::Div(constant(1), likelihood);
            auto const slope = hn::Mul(first_sum, reciprocal);
            auto const curvature = hn::Sub(hn::Mul(second_sum, reciprocal), hn::Mul(slope, slope));
            sums[0].add(logarithm(likelihood), weight);
            sums[1].add(slope, weight);
            sums[2].add(curvature, weight);
        });
    });
}

template <template <class> class TermsOf, class Given>
void add_derivatives_with(Shape shape, double const* table, Given const& terms, double const* invariant,
                          Weights weights, std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums,
                          Blocks blocks) {
    std::array accumulators{Accumulator(scales[0], sums[0]), Accumulator(scales[1], sums[1]),
                            Accumulator(scales[2], sums[2])};
    with_known(shape, [&](auto known) {
        add_derivatives_of(known, table, TermsOf<decltype(known)>(known, terms), invariant, weights, accumulators,
                           blocks);
    });
    for (auto const& accumulator : accumulators) accumulator.finish();
}

}  // namespace

void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    if (near.systems != nullptr) {
        return with_known_systems(shape, [&](auto known) {
            make_table_of(known, SiteSpectrum(known, near), SiteSpectrum(known, far), near, far, invariant, table,
                          blocks);
        });
    }
    with_known(shape, [&](auto known) {
        with_products(known, near, far,
                      [&](auto a, auto b) { make_table_of(known, a, b, near, far, invariant, table, blocks); });
    });
}

void make_products(Shape shape, Side const& near, Side const& far, double const* invariant, double* table,
                   Blocks blocks) {
    if (far.systems != nullptr) {
        return with_known_systems(shape, [&](auto known) {
            make_table_of(known, Plain(known, near), SiteProduct(known, far), near, far, invariant, table, blocks);
        });
    }
    // Only for what is reported after a search: readers of any kind are fast enough.
    with_known(shape, [&](auto known) {
        make_table_of(known, AnyLikelihoods(known, near), AnyProduct(known, far), near, far, invariant, table, blocks);
    });
}

void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    add_derivatives_with<Terms>(shape, table, terms, invariant, weights, scales, sums, blocks);
}

void add_site_derivatives(Shape shape, double const* table, SiteTerms const& terms, double const* invariant,
                          Weights weights, std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums,
                          Blocks blocks) {
    add_derivatives_with<TermsOfSites>(shape, table, terms, invariant, weights, scales, sums, blocks);
}

}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
