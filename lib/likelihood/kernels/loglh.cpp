// Log-likelihoods at an edge.
#include <cstddef>
#include <numbers>

#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "likelihood/kernels/scalers-inl.hpp"
#include "likelihood/kernels/sides-inl.hpp"
#include "likelihood/kernels/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// Frequencies that all sites share.
template <class S>
class Frequencies {
public:
    Frequencies(S shape, Root const& root) : shape_(shape), frequencies_(root.frequencies) {}
    HWY_INLINE void move_to(std::size_t, std::size_t) const {}
    HWY_INLINE Vector get(std::size_t category, std::size_t state, std::size_t) const {
        return constant(frequencies_[category * shape_.states() + state]);
    }

private:
    S shape_;
    double const* frequencies_;
};

/// Frequencies of each site.
template <class S>
class SiteFrequencies {
public:
    SiteFrequencies(S shape, Root const& root) : shape_(shape), roots_(root.systems->roots) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        at_ = roots_ + block * shape_.states() * block_sites + site;
    }
    HWY_INLINE Vector get(std::size_t, std::size_t state, std::size_t v) const {
        auto const root = hn::Load(sites, at_ + state * block_sites + v * step);
        return hn::Mul(root, root);
    }

private:
    S shape_;
    double const* roots_;
    double const* at_ = nullptr;
};

template <class S, class Near, class Far, class FrequenciesOf>
void add_loglh_of(S shape, Near near, Far far, FrequenciesOf frequencies, Side const& near_side, Side const& far_side,
                  Root const& root, Weights weights, Accumulator& sum, double* per_site, Blocks blocks) {
    constexpr double ln2_256 = 256 * std::numbers::ln2;
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near_side, far_side, root.invariant, block);
        near.move_to(block, site);
        far.move_to(block, site);
        frequencies.move_to(block, site);
        Rows<vectors> likelihood;
        likelihood.fill(constant(0));
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            near.begin(c);
            far.begin(c);
            Rows<vectors> in_category;
            in_category.fill(constant(0));
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> a;
                Group<count> b;
                near.get(c, row, a);
                far.get(c, row, b);
                unrolled<vectors>([&](auto v) INLINED {
                    unrolled<count>([&](auto i) INLINED {
                        in_category[v] = fma(hn::Mul(frequencies.get(c, row + i, v), a[v][i]), b[v][i], in_category[v]);
                    });
                });
            });
            unrolled<vectors>([&](auto v) INLINED {
                if (!scale.is_one()) in_category[v] = hn::Mul(in_category[v], scale.factor(c, site + v * step));
                likelihood[v] = fma(constant(root.weights[c]), in_category[v], likelihood[v]);
            });
        }
        unrolled<vectors>([&](auto v) INLINED {
            auto const first = block * block_sites + site + v * step;
            if (root.invariant != nullptr) {
                likelihood[v] = hn::Add(likelihood[v], hn::LoadU(sites, root.invariant + first));
            }
            auto value = logarithm(likelihood[v]);
            if (!scale.is_one()) value = fma(scale.scaler(site + v * step), constant(-ln2_256), value);
            sum.add(value, hn::LoadU(integers, weights + first));
            if (per_site != nullptr) hn::StoreU(value, sites, per_site + first);
        });
    });
}

}  // namespace

void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    Accumulator accumulator(scale, sum);
    if (root.systems != nullptr) {
        with_known_systems(shape, [&](auto known) {
            add_loglh_of(known, Plain(known, near), SiteProduct(known, far), SiteFrequencies(known, root), near, far,
                         root, weights, accumulator, per_site, blocks);
        });
    } else {
        with_known(shape, [&](auto known) {
            with_product(known, far, [&](auto far_reader) {
                add_loglh_of(known, AnyLikelihoods(known, near), far_reader, Frequencies(known, root), near, far, root,
                             weights, accumulator, per_site, blocks);
            });
        });
    }
    accumulator.finish();
}

}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
