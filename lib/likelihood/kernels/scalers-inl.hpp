// The scalers of the two sides of a node or an edge.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "likelihood/kernels/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

constexpr std::uint16_t most_scaler = 0xffff;

/// scaler[i] += left[i] + right[i] for the block's sites; a null pointer counts as zeros.
HWY_INLINE void add_scalers(std::size_t count, std::uint16_t const* left, std::uint16_t const* right,
                            std::uint16_t* sum) {
    for (std::size_t i = 0; i < count; ++i) {
        auto const both = (left == nullptr ? 0U : left[i]) + (right == nullptr ? 0U : right[i]);
        sum[i] = static_cast<std::uint16_t>(std::min<std::uint32_t>(both, most_scaler));
    }
}

/// The factors by which the categories of the block's sites must be multiplied to have a common scaler, and that
/// scaler.
class BlockScale {
public:
    /// Sites that can be invariant get the scaler 0: their likelihood is not small, because it includes that of being
    /// invariant.
    HWY_INLINE void read(std::size_t categories, Side const& near, Side const& far, double const* invariant,
                         std::size_t block) {
        auto const size = categories * block_sites;
        auto const of = [&](Side const& side) {
            return side.scalers == nullptr ? nullptr : side.scalers + block * size;
        };
        auto const* a = of(near);
        auto const* b = of(far);
        std::uint32_t any = 0;
        for (std::size_t i = 0; i < size; ++i) any |= (a == nullptr ? 0U : a[i]) | (b == nullptr ? 0U : b[i]);
        is_one_ = any == 0;
        if (is_one_) return;
        factor_.resize(size);
        std::vector<std::uint16_t>& sum = sum_;
        sum.resize(size);
        add_scalers(size, a, b, sum.data());
        for (std::size_t site = 0; site < block_sites; ++site) {
            std::uint32_t least = most_scaler;
            for (std::size_t c = 0; c < categories; ++c)
                least = std::min<std::uint32_t>(least, sum[c * block_sites + site]);
            if (invariant != nullptr && invariant[block * block_sites + site] > 0) least = 0;
            scaler_[site] = least;
            for (std::size_t c = 0; c < categories; ++c) {
                constexpr std::array<double, 5> powers{1, 0x1p-256, 0x1p-512, 0x1p-768, 0};
                factor_[c * block_sites + site] = powers[std::min<std::size_t>(sum[c * block_sites + site] - least, 4)];
            }
        }
    }
    bool is_one() const { return is_one_; }
    HWY_INLINE Vector factor(std::size_t category, std::size_t site) const {
        return hn::LoadU(sites, &factor_[category * block_sites + site]);
    }
    HWY_INLINE Vector scaler(std::size_t site) const { return hn::LoadU(sites, &scaler_[site]); }

private:
    bool is_one_ = true;
    std::vector<double> factor_;
    std::vector<std::uint16_t> sum_;
    std::array<double, block_sites> scaler_{};
};

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
