// Readers of sides whose sites have rate matrices of their own.
#pragma once

#include <array>
#include <cstddef>

#include "likelihood/kernels/decay-inl.hpp"
#include "likelihood/kernels/site_spectrum-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The product exp(Q t) * likelihoods.
template <class S>
class SiteProduct : public SiteSpectrum<S> {
public:
    SiteProduct(S shape, Side const& side) : SiteSpectrum<S>(shape, side) {}
    HWY_INLINE void begin(std::size_t category) {
        if (category % this->at_once != 0) return;
        SiteSpectrum<S>::begin(category);
        this->in_parts(category, [&](std::size_t first, auto count) INLINED {
            for (std::size_t c = 0; c < count; ++c) make_factors(first + c);
            auto const part = first % this->at_once;
            this->template multiply<count>(
                &factored_[part],
                [&](std::size_t k, std::size_t row, std::size_t v) INLINED { return this->vector(k, row, v); },
                &changes_[part]);
        });
    }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const part = category % this->at_once;
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED {
                auto const change = hn::Mul(changes_[part][v][row + i], this->at(this->reciprocals_, row + i, v));
                auto const before = this->likelihood(category, row + i, v);
                out[v][i] = hn::Max(fma(stays_[part][v], before, change), constant(0));
            });
        });
    }

private:
    /// What the spectrum becomes along the edge; in a short time, its change.
    HWY_NOINLINE void make_factors(std::size_t category) {
        auto const n = this->shape_.states();
        auto const part = category % this->at_once;
        auto const& spectrum = this->spectrum_of(category);
        auto const time = constant(this->side_.matrices[category]);
        for (std::size_t v = 0; v < vectors; ++v) {
            // In a short time little changes: beside the likelihoods themselves, much of it would be lost.
            auto const is_short = hn::Gt(hn::Mul(this->at(this->values_, n - 1, v), time), constant(-1));
            stays_[part][v] = hn::IfThenElseZero(is_short, constant(1));
            factored_[part][v][0] = hn::IfThenZeroElse(is_short, spectrum[v][0]);  // the first eigenvalue is 0
            if (v == 0) this->prefetch_next(category, 0);
            auto const make = [&](auto factor_of) INLINED {
                for (std::size_t k = 1; k < n; ++k) {
                    auto const exponent = hn::Mul(this->at(this->values_, k, v), time);
                    factored_[part][v][k] = hn::Mul(factor_of(exponent), spectrum[v][k]);
                    if (v == 0) this->prefetch_next(category, k);
                }
            };
            // Each site has its own series, whichever sites are beside it.
            auto const is_tiny = hn::Gt(hn::Mul(this->at(this->values_, n - 1, v), time), constant(-1.0 / 8));
            auto const of_short = [&](Vector x) INLINED {
                return hn::IfThenElse(is_tiny, tiny_decay_minus_1(x), short_decay_minus_1(x));
            };
            if (hn::AllTrue(sites, is_tiny)) {
                make([](Vector x) INLINED { return tiny_decay_minus_1(x); });
            } else if (hn::AllTrue(sites, is_short)) {
                make(of_short);
            } else if (hn::AllFalse(sites, is_short)) {
                make([](Vector x) INLINED { return decay(x); });
            } else {
                make([&](Vector x) INLINED { return hn::IfThenElse(is_short, of_short(x), decay(x)); });
            }
        }
    }

    std::array<Rows<vectors>, SiteSpectrum<S>::at_once> stays_;  // 1 where times are short, or 0
    typename SiteSpectrum<S>::PerCategory factored_;
    typename SiteSpectrum<S>::PerCategory changes_;
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
