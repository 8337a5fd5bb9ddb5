// Readers of sides whose sites have rate matrices of their own.
#if defined(REGRAFT_LIKELIHOOD_SITE_READERS_INL) == defined(HWY_TARGET_TOGGLE)  // once per instruction set
#ifdef REGRAFT_LIKELIHOOD_SITE_READERS_INL
#undef REGRAFT_LIKELIHOOD_SITE_READERS_INL
#else
#define REGRAFT_LIKELIHOOD_SITE_READERS_INL
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "likelihood/kernels/elementary-inl.hpp"
#include "likelihood/kernels/shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The likelihoods in the eigenvectors of each site: U^T sqrt(pi) likelihoods.
template <class S>
class SiteSpectrum {
public:
    SiteSpectrum(S shape, Side const& side) : shape_(shape), side_(side) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        auto const n = shape_.states();
        auto const first = block * n * block_sites + site;
        values_ = side_.systems->values + first;
        roots_ = side_.systems->roots + first;
        vectors_ = side_.systems->vectors + block * n * n * block_sites + site;
        if (side_.clv == nullptr) return read_sets(block * block_sites + site);
        at_ = side_.clv + shape_.place(block, 0, 0) + site;
    }
    HWY_INLINE void begin(std::size_t category) {
        if (side_.clv == nullptr && category > 0) return;  // a tip has the same likelihoods in all categories
        for (std::size_t j = 0; j < shape_.states(); ++j) {
            unrolled<vectors>([&](auto v)
                                  INLINED { x_[v][j] = hn::Mul(at(roots_, j, v), likelihood(category, j, v)); });
        }
        shape_.for_rows([&](std::size_t row, auto count) INLINED {
            auto const sum =
                summed<count>(x_, [&](std::size_t j, auto i, auto v) INLINED { return vector(row + i, j, v); });
            unrolled<vectors>(
                [&](auto v) INLINED { unrolled<count>([&](auto i) INLINED { spectrum_[v][row + i] = sum[v][i]; }); });
        });
    }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t, std::size_t row, Group<count>& out) const {
        unrolled<vectors>([&](auto v)
                              INLINED { unrolled<count>([&](auto i) INLINED { out[v][i] = spectrum_[v][row + i]; }); });
    }

protected:
    using PerState = Group<S::most_states>;

    static HWY_INLINE Vector at(double const* numbers, std::size_t number, std::size_t v) {
        return hn::Load(sites, numbers + number * block_sites + v * step);
    }
    HWY_INLINE Vector vector(std::size_t k, std::size_t state, std::size_t v) const {
        return at(vectors_, k * shape_.states() + state, v);
    }
    HWY_INLINE Vector likelihood(std::size_t category, std::size_t state, std::size_t v) const {
        if (side_.clv != nullptr) return at(at_, category * shape_.states() + state, v);
        auto const bit = hn::Set(integers, static_cast<std::int64_t>(std::uint64_t{1} << state));
        return hn::IfThenElseZero(hn::RebindMask(sites, hn::TestBit(sets_[v], bit)), constant(1));
    }
    /// For i below count: the sum of factor(j, i, v) * x[v][j] over all states j.
    template <std::size_t count, class Factor>
    HWY_INLINE Group<count> summed(PerState const& x, Factor factor) const {
        Group<count> sum;
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED { sum[v][i] = hn::Mul(factor(0, i, v), x[v][0]); });
        });
        for (std::size_t j = 1; j < shape_.states(); ++j) {
            unrolled<vectors>([&](auto v) INLINED {
                unrolled<count>([&](auto i) INLINED { sum[v][i] = fma(factor(j, i, v), x[v][j], sum[v][i]); });
            });
        }
        return sum;
    }

    S shape_;
    Side side_;
    double const* values_ = nullptr;
    double const* roots_ = nullptr;
    PerState spectrum_{};

private:
    HWY_INLINE void read_sets(std::size_t site) {
        alignas(64) std::array<std::int64_t, step> sets;
        for (std::size_t v = 0; v < vectors; ++v) {
            for (std::size_t lane = 0; lane < step; ++lane) {
                auto const place = site + v * step + lane;
                sets[lane] = static_cast<std::int64_t>(side_.masks != nullptr ? side_.masks[place]
                                                                              : side_.sets[side_.classes[place]]);
            }
            sets_[v] = hn::Load(integers, sets.data());
        }
    }

    double const* vectors_ = nullptr;
    double const* at_ = nullptr;
    std::array<hn::Vec<Integers>, vectors> sets_{};
    PerState x_{};
};

/// The product exp(Q t) * likelihoods.
template <class S>
class SiteProduct : public SiteSpectrum<S> {
public:
    SiteProduct(S shape, Side const& side) : SiteSpectrum<S>(shape, side) {}
    HWY_INLINE void begin(std::size_t category) {
        SiteSpectrum<S>::begin(category);
        auto const n = this->shape_.states();
        auto const time = constant(this->side_.matrices[category]);
        unrolled<vectors>([&](auto v) INLINED {
            // In a short time little changes: beside the likelihoods themselves, much of it would be lost.
            auto const is_short = hn::Gt(hn::Mul(this->at(this->values_, n - 1, v), time), constant(-1));
            stays_[v] = hn::IfThenElseZero(is_short, constant(1));
        });
        for (std::size_t k = 0; k < n; ++k) {
            unrolled<vectors>([&](auto v) INLINED {
                auto const factor = exponential_minus(hn::Mul(this->at(this->values_, k, v), time), stays_[v]);
                factored_[v][k] = hn::Mul(factor, this->spectrum_[v][k]);
            });
        }
    }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const sum = this->template summed<count>(
            factored_, [&](std::size_t k, auto i, auto v) INLINED { return this->vector(k, row + i, v); });
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED {
                auto const change = hn::Div(sum[v][i], this->at(this->roots_, row + i, v));
                out[v][i] = hn::Max(fma(stays_[v], this->likelihood(category, row + i, v), change), constant(0));
            });
        });
    }

private:
    Rows<vectors> stays_{};  // 1 where times are short, or 0
    typename SiteSpectrum<S>::PerState factored_{};
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
