// Loops over blocks, categories and states, for shapes that may be known at compile time.
#pragma once

#include <cstddef>
#include <type_traits>

#include "likelihood/kernels/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

/// Calls f(block, first site in it) for all groups.
template <class Function>
HWY_INLINE void for_groups(Blocks blocks, Function f) {
    for (auto block = blocks.first; block < blocks.last; ++block) {
        for (std::size_t site = 0; site < block_sites; site += vectors * step) f(block, site);
    }
}

/// A shape whose number of states may be known at compile time (0: it is not).
template <std::size_t known_states>
class Known {
public:
    explicit Known(Shape shape) : shape_(shape) {}
    std::size_t states() const { return known_states == 0 ? shape_.states : known_states; }
    std::size_t categories() const { return shape_.categories; }
    std::size_t stride() const { return (states() + 3) / 4 * 4; }
    /// The position in a CLV where a state of a block's sites begins.
    std::size_t place(std::size_t block, std::size_t category, std::size_t state) const {
        return ((block * categories() + category) * states() + state) * block_sites;
    }
    /// Number of rows of a group that are computed at once: as many as fit into registers, and enough to hide the
    /// latency of an addition.
    static constexpr std::size_t rows_at_once = known_states == 0   ? 4
                                                : known_states <= 4 ? known_states
                                                                    : (step == 8 ? 20 : 4);

    static constexpr bool is_known = known_states != 0;
    static constexpr std::size_t most_states = known_states == 0 ? 64 : known_states;
    static constexpr bool may_have_masks = known_states == 0 || has_masks(known_states);

    /// Calls f(first row, number of rows as a constant) for parts of all states.
    template <std::size_t at_once = rows_at_once, class Function>
    HWY_INLINE void for_rows(Function f) const {
        std::size_t row = 0;
        for (; row + at_once <= states(); row += at_once) f(row, std::integral_constant<std::size_t, at_once>());
        if constexpr (known_states == 0 || known_states % at_once != 0) {
            for (; row < states(); ++row) f(row, std::integral_constant<std::size_t, 1>());
        }
    }

private:
    Shape shape_;
};

/// Calls f with the shape as a type. Nucleotides and amino acids have types of their own; all other alphabets share
/// one, whose loops are general. If fused multiply-add is emulated, that type suffices.
template <class Function>
HWY_INLINE void with_known(Shape shape, Function f) {
#if HWY_NATIVE_FMA
    if (shape.states == 4) return f(Known<4>(shape));
    if (shape.states == 20) return f(Known<20>(shape));
#endif
    f(Known<0>(shape));
}

/// The same where sites have rate matrices of their own, which in practice only amino acids have.
template <class Function>
HWY_INLINE void with_known_systems(Shape shape, Function f) {
#if HWY_NATIVE_FMA
    if (shape.states == 20) return f(Known<20>(shape));
#endif
    f(Known<0>(shape));
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
