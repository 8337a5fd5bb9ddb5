// Likelihoods in the eigenvectors of sites that have rate matrices of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hwy/cache_control.h>

#include "likelihood/kernels/shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// The likelihoods in the eigenvectors of each site: U^T sqrt(pi) likelihoods. Some categories are computed at once, so
/// that the eigenvectors, which hardly fit into the cache, are loaded once. The large parts are functions of their own:
/// what they compute goes through memory in any case, and inlining them into all kernels takes minutes to compile.
template <class S>
class SiteSpectrum {
public:
    SiteSpectrum(S shape, Side const& side) : shape_(shape), side_(side) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        auto const n = shape_.states();
        auto const first = block * n * block_sites + site;
        values_ = side_.systems->values + first;
        roots_ = side_.systems->roots + first;
        reciprocals_ = side_.systems->reciprocals + first;
        vectors_ = side_.systems->vectors + block * n * n * block_sites + site;
        if (side_.clv == nullptr) return read_sets(block * block_sites + site);
        at_ = side_.clv + shape_.place(block, 0, 0) + site;
    }
    HWY_INLINE void begin(std::size_t category) {
        if (category % at_once != 0) return;
        // A tip has the same likelihoods in all categories.
        if (side_.clv == nullptr && category == 0) make_spectra(0, std::integral_constant<std::size_t, 1>());
        if (side_.clv == nullptr) return;
        in_parts(category, [&](std::size_t first, auto count) INLINED { make_spectra(first, count); });
    }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const& spectrum = spectrum_of(category);
        unrolled<vectors>([&](auto v)
                              INLINED { unrolled<count>([&](auto i) INLINED { out[v][i] = spectrum[v][row + i]; }); });
    }

protected:
    static constexpr std::size_t at_once = 4;  // categories
    using PerState = Group<S::most_states>;
    using PerCategory = std::array<PerState, at_once>;

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
    /// Prefetches a part of the likelihoods of the next block.
    HWY_INLINE void prefetch_next(std::size_t category, std::size_t state) const {
        if (side_.clv == nullptr) return;
        hwy::Prefetch(at_ + ((shape_.categories() + category) * shape_.states() + state) * block_sites);
    }
    HWY_INLINE PerState const& spectrum_of(std::size_t category) const {
        return spectra_[side_.clv == nullptr ? 0 : category % at_once];
    }

    /// Calls f(first category, number as a constant) for the categories that begin with this one.
    template <class Function>
    HWY_INLINE void in_parts(std::size_t category, Function f) const {
        auto const end = shape_.categories() < category + at_once ? shape_.categories() : category + at_once;
        if (end - category == at_once) return f(category, std::integral_constant<std::size_t, at_once>());
        for (auto c = category; c < end; ++c) f(c, std::integral_constant<std::size_t, 1>());
    }
    /// For `count` categories: out[v][row] is the sum of factor(j, row, v) * x[v][j] over all states j.
    template <std::size_t count, class Factor>
    HWY_NOINLINE void multiply(PerState const* x, Factor factor, PerState* out) const {
        constexpr std::size_t rows_at_once = count == 1 ? S::rows_at_once : step == 8 ? 5 : 2;
        for (std::size_t v = 0; v < vectors; ++v) {
            shape_.template for_rows<rows_at_once>([&](std::size_t row, auto rows) INLINED {
                std::array<Rows<rows>, count> sum;
                unrolled<count>([&](auto c) INLINED {
                    unrolled<rows>([&](auto i) INLINED { sum[c][i] = hn::Mul(factor(0, row + i, v), x[c][v][0]); });
                });
                for (std::size_t j = 1; j < shape_.states(); ++j) {
                    Rows<rows> factors;
                    unrolled<rows>([&](auto i) INLINED { factors[i] = factor(j, row + i, v); });
                    unrolled<count>([&](auto c) INLINED {
                        unrolled<rows>([&](auto i) INLINED { sum[c][i] = fma(factors[i], x[c][v][j], sum[c][i]); });
                    });
                }
                unrolled<count>(
                    [&](auto c) INLINED { unrolled<rows>([&](auto i) INLINED { out[c][v][row + i] = sum[c][i]; }); });
            });
        }
    }

    S shape_;
    Side side_;
    double const* values_ = nullptr;
    double const* roots_ = nullptr;
    double const* reciprocals_ = nullptr;

private:
    template <class Count>
    HWY_NOINLINE void make_spectra(std::size_t category, Count count) {
        PerCategory x;
        for (std::size_t c = 0; c < count; ++c) {
            for (std::size_t j = 0; j < shape_.states(); ++j) {
                unrolled<vectors>(
                    [&](auto v) INLINED { x[c][v][j] = hn::Mul(at(roots_, j, v), likelihood(category + c, j, v)); });
            }
        }
        multiply<count>(
            x.data(), [&](std::size_t j, std::size_t row, std::size_t v) INLINED { return vector(row, j, v); },
            &spectra_[category % at_once]);
    }
    HWY_INLINE void read_sets(std::size_t site) {
        alignas(64) std::array<std::int64_t, step> sets;
        for (std::size_t v = 0; v < vectors; ++v) {
            for (std::size_t lane = 0; lane < step; ++lane) {
                auto const place = site + v * step + lane;
                auto const set = side_.masks != nullptr ? side_.masks[place] : side_.sets[side_.classes[place]];
                sets[lane] = static_cast<std::int64_t>(set);
            }
            sets_[v] = hn::Load(integers, sets.data());
        }
    }

    double const* vectors_ = nullptr;
    double const* at_ = nullptr;
    std::array<hn::Vec<Integers>, vectors> sets_{};
    PerCategory spectra_;
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
