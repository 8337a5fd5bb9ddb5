#include "likelihood/kernels/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likelihood/kernels/kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file again for every instruction set
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

/// For lambdas: if one is called as a function, arrays of vectors that it captures move to memory.
#undef INLINED
#define INLINED HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The vectors: they have as many sites of a block as fit.
using Sites = hn::CappedTag<double, block_sites>;
using Vector = hn::Vec<Sites>;
using Integers = hn::RebindToSigned<Sites>;
using Unsigned = hn::RebindToUnsigned<Sites>;
using Mask = hn::Mask<Sites>;
constexpr Sites sites;
constexpr Integers integers;
constexpr Unsigned unsigneds;
constexpr std::size_t step = hn::MaxLanes(sites);

/// a * b + c, rounded once.
HWY_INLINE Vector fma(Vector a, Vector b, Vector c) {
#if HWY_NATIVE_FMA
    return hn::MulAdd(a, b, c);
#else
    alignas(64) std::array<double, step> x;
    alignas(64) std::array<double, step> y;
    alignas(64) std::array<double, step> z;
    hn::Store(a, sites, x.data());
    hn::Store(b, sites, y.data());
    hn::Store(c, sites, z.data());
    for (std::size_t i = 0; i < step; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return hn::Load(sites, z.data());
#endif
}

HWY_INLINE Vector constant(double x) {
    return hn::Set(sites, x);
}

/// Adding this rounds x to an integer, for |x| < 2^51: its bits are those of the shift plus the integer.
constexpr double rounding_shift = 0x1.8p52;
HWY_INLINE Vector shifted(Vector x) {
    return hn::Add(x, constant(rounding_shift));
}
HWY_INLINE Vector unshifted(Vector x) {
    return hn::Sub(x, constant(rounding_shift));
}
HWY_INLINE hn::Vec<Integers> shifted_integer(Vector x) {
    return hn::Sub(hn::BitCast(integers, x), hn::BitCast(integers, constant(rounding_shift)));
}

// --- elementary functions

/// exp(x) by Cody and Waite's reduction and Taylor's series to degree 13.
HWY_INLINE Vector exponential(Vector x) {
    constexpr double ln2_high = 0x1.62e42fefa39efp-1;
    constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
    constexpr double least = -708;
    constexpr double most = 709;
    auto const in_range = hn::Min(hn::Max(x, constant(least)), constant(most));
    auto const n = shifted(hn::Mul(in_range, constant(std::numbers::log2e)));
    auto r = fma(unshifted(n), constant(-ln2_high), in_range);
    r = fma(unshifted(n), constant(-ln2_low), r);
    constexpr std::array<double, 14> factorial{1.0,       1.0,        2.0,         6.0,         24.0,
                                               120.0,     720.0,      5040.0,      40320.0,     362880.0,
                                               3628800.0, 39916800.0, 479001600.0, 6227020800.0};
    auto sum = constant(1 / factorial.back());
    for (std::size_t i = factorial.size() - 1; i-- > 0;) sum = fma(sum, r, constant(1 / factorial[i]));
    auto const power = hn::ShiftLeft<52>(hn::Add(shifted_integer(n), hn::Set(integers, 1023)));
    auto const result = hn::Mul(sum, hn::BitCast(sites, power));
    auto const infinite =
        hn::IfThenElse(hn::Gt(x, constant(most)), constant(std::numeric_limits<double>::infinity()), result);
    auto const bounded = hn::IfThenElseZero(hn::Not(hn::Lt(x, constant(least))), infinite);
    return hn::IfThenElse(hn::Eq(x, x), bounded, x);
}

/// exp(x) - minus, where minus is 0 or 1. Taylor's series to degree 16 is used where the difference would cancel.
HWY_INLINE Vector exponential(Vector x, Vector minus) {
    constexpr double most = 0.5;
    constexpr std::array<double, 15> reciprocal{1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                                1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11,
                                                1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16};
    auto sum = constant(1);
    for (std::size_t i = reciprocal.size(); i-- > 0;) sum = fma(hn::Mul(sum, x), constant(reciprocal[i]), constant(1));
    auto const cancels = hn::And(hn::Le(hn::Abs(x), constant(most)), hn::Gt(minus, constant(0)));
    return hn::IfThenElse(cancels, hn::Mul(sum, x), hn::Sub(exponential(x), minus));
}

/// log(x) by the series of Ng's fdlibm in s = f / (2 + f), for x = 2^k (1 + f).
HWY_INLINE Vector logarithm(Vector x) {
    constexpr double ln2_high = 6.93147180369123816490e-01;
    constexpr double ln2_low = 1.90821492927058770002e-10;
    constexpr std::array<double, 7> l{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                      2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                      1.479819860511658591e-01};
    constexpr std::uint64_t root_half = 0x3fe6a09e00000000;  // upper bits of sqrt(1/2)
    constexpr std::uint64_t one = 0x3ff0000000000000;
    constexpr double least = std::numeric_limits<double>::min();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto const is_small = hn::Lt(x, constant(least));
    auto const normal = hn::IfThenElse(is_small, hn::Mul(x, constant(0x1p54)), x);
    auto const bits = hn::Add(hn::BitCast(unsigneds, normal), hn::Set(unsigneds, one - root_half));
    // k + 1023 as a double: its bits are the low bits of 2^52.
    auto const exponent = hn::Or(hn::ShiftRight<52>(bits), hn::BitCast(unsigneds, constant(0x1p52)));
    auto k = hn::Sub(hn::BitCast(sites, exponent), constant(0x1p52 + 1023));
    k = hn::Sub(k, hn::IfThenElseZero(is_small, constant(54)));
    auto const fraction = hn::And(bits, hn::Set(unsigneds, 0x000fffffffffffff));
    auto const f = hn::Sub(hn::BitCast(sites, hn::Add(fraction, hn::Set(unsigneds, root_half))), constant(1));
    auto const half_square = hn::Mul(constant(0.5), hn::Mul(f, f));
    auto const s = hn::Div(f, hn::Add(constant(2), f));
    auto const z = hn::Mul(s, s);
    auto const w = hn::Mul(z, z);
    auto const even = hn::Mul(w, fma(w, fma(w, constant(l[5]), constant(l[3])), constant(l[1])));
    auto const odd = hn::Mul(z, fma(w, fma(w, fma(w, constant(l[6]), constant(l[4])), constant(l[2])), constant(l[0])));
    auto const tail = hn::Add(hn::Mul(s, hn::Add(half_square, hn::Add(even, odd))), hn::Mul(k, constant(ln2_low)));
    auto const result = hn::Add(hn::Mul(k, constant(ln2_high)), hn::Sub(f, hn::Sub(half_square, tail)));
    auto const regular = hn::And(hn::Gt(x, constant(0)), hn::Lt(x, constant(infinity)));
    auto const not_above =
        hn::IfThenElse(hn::Eq(x, constant(0)), constant(-infinity), constant(std::numeric_limits<double>::quiet_NaN()));
    auto const special = hn::IfThenElse(hn::Eq(x, constant(infinity)), x, not_above);
    return hn::IfThenElse(regular, result, special);
}

template <class Function>
void for_vectors(std::span<double> x, Function function) {
    alignas(64) std::array<double, step> part;
    for (std::size_t i = 0; i < x.size(); i += step) {
        auto const count = std::min(step, x.size() - i);
        part.fill(1);
        std::copy_n(&x[i], count, part.begin());
        hn::Store(function(hn::Load(sites, part.data())), sites, part.data());
        std::copy_n(part.begin(), count, &x[i]);
    }
}

void exponentials(std::span<double> x) {
    for_vectors(x, [](auto v) HWY_ATTR { return exponential(v); });
}
void exponentials_minus(std::span<double> x, double const* minus) {
    for_vectors(x, [&](auto v) HWY_ATTR {
        auto const result = exponential(v, hn::LoadU(sites, minus));
        minus += step;
        return result;
    });
}
void logarithms(std::span<double> x) {
    for_vectors(x, [](auto v) HWY_ATTR { return logarithm(v); });
}

// --- matrices

/// Computes a transition matrix. Lanes are rows.
void transition(Shape shape, double const* columns, double const* inverse, double const* factors, double diagonal,
                double* matrix) {
    using Rows = hn::CappedTag<double, 4>;
    constexpr Rows rows;
    auto const n = shape.states;
    auto const stride = shape.stride();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < stride; i += hn::MaxLanes(rows)) {
            auto sum = hn::Zero(rows);
            if (j - i < hn::MaxLanes(rows)) {
                auto const is_diagonal = hn::Eq(hn::Iota(rows, 0), hn::Set(rows, static_cast<double>(j - i)));
                sum = hn::IfThenElseZero(is_diagonal, hn::Set(rows, diagonal));
            }
            for (std::size_t k = 0; k < n; ++k) {
                auto const factor = hn::Set(rows, factors[k] * inverse[k * n + j]);
                sum = hn::Add(sum, hn::Mul(factor, hn::LoadU(rows, columns + k * stride + i)));
            }
            hn::StoreU(hn::Max(sum, hn::Zero(rows)), rows, matrix + j * stride + i);
        }
    }
}

// --- contributions of the sides of a node or an edge

template <class Function, std::size_t... i>
HWY_INLINE void call_each(Function f, std::index_sequence<i...>) {
    (f(std::integral_constant<std::size_t, i>()), ...);
}

/// Calls f(0), f(1), ... with constants, so that arrays of vectors stay in registers.
template <std::size_t count, class Function>
HWY_INLINE void unrolled(Function f) {
    call_each(f, std::make_index_sequence<count>());
}

template <std::size_t count>
using Rows = std::array<Vector, count>;

/// Number of vectors that are computed at once within a block, so that each load of a matrix serves all of them.
constexpr std::size_t vectors = step < block_sites ? 2 : 1;
template <std::size_t count>
using Group = std::array<Rows<count>, vectors>;

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

    static constexpr bool may_have_masks = known_states == 0 || has_masks(known_states);

    /// Calls f(first row, number of rows as a constant) for parts of all states.
    template <class Function>
    HWY_INLINE void for_rows(Function f) const {
        std::size_t row = 0;
        for (; row + rows_at_once <= states(); row += rows_at_once) {
            f(row, std::integral_constant<std::size_t, rows_at_once>());
        }
        if constexpr (known_states == 0 || known_states % rows_at_once != 0) {
            for (; row < states(); ++row) f(row, std::integral_constant<std::size_t, 1>());
        }
    }

private:
    Shape shape_;
};

/// The likelihoods of a CLV without a matrix.
template <class S>
class Plain {
public:
    Plain(S shape, Side const& side) : shape_(shape), clv_(side.clv) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = clv_ + shape_.place(block, 0, 0) + site; }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const* x = at_ + shape_.place(0, category, row);
        unrolled<vectors>([&](auto v) INLINED {
            unrolled<count>([&](auto i) INLINED { out[v][i] = hn::Load(sites, x + v * step + i * block_sites); });
        });
    }

private:
    S shape_;
    double const* clv_;
    double const* at_ = nullptr;
};

/// The product matrix * likelihoods.
template <class S>
class Product {
public:
    static constexpr int kind = 2;
    Product(S shape, Side const& side) : shape_(shape), clv_(side.clv), matrices_(side.matrices) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = clv_ + shape_.place(block, 0, 0) + site; }
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const n = shape_.states();
        auto const* x = at_ + shape_.place(0, category, 0);
        auto const* column = matrices_ + category * n * shape_.stride() + row;
        Rows<vectors> likelihood;
        auto const load = [&](std::size_t j) INLINED {
            unrolled<vectors>([&](auto v) INLINED { likelihood[v] = hn::Load(sites, x + v * step + j * block_sites); });
        };
        load(0);
        unrolled<count>([&](auto i) INLINED {
            auto const entry = constant(column[i]);
            unrolled<vectors>([&](auto v) INLINED { out[v][i] = hn::Mul(entry, likelihood[v]); });
        });
        for (std::size_t j = 1; j < n; ++j) {
            column += shape_.stride();
            load(j);
            unrolled<count>([&](auto i) INLINED {
                auto const entry = constant(column[i]);
                unrolled<vectors>([&](auto v) INLINED { out[v][i] = fma(entry, likelihood[v], out[v][i]); });
            });
        }
    }
    /// Prefetches the likelihoods behind those of a category.
    HWY_INLINE void prefetch(std::size_t category) const {
        if (has_masks(shape_.states())) return;
        auto const* next = at_ + shape_.place(0, category + 1, 0);
        for (std::size_t j = 0; j < shape_.states(); ++j) hwy::Prefetch(next + j * block_sites);
    }

private:
    S shape_;
    double const* clv_;
    double const* matrices_;
    double const* at_ = nullptr;
};

/// The masks or classes of a vector's sites, widened.
template <class Code>
HWY_INLINE hn::Vec<Integers> widened(Code const* codes) {
    alignas(64) std::array<std::int64_t, step> wide;
    for (std::size_t i = 0; i < step; ++i) wide[i] = codes[i];
    return hn::Load(integers, wide.data());
}

/// The product matrix * tip for few states: it equals the product with likelihoods of 0 and 1.
template <class S>
class MaskProduct {
public:
    static constexpr int kind = 0;
    MaskProduct(S shape, Side const& side) : shape_(shape), masks_(side.masks), matrices_(side.matrices) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) {
        unrolled<vectors>([&](auto v) INLINED {
            auto const masks = widened(masks_ + block * block_sites + site + v * step);
            unrolled<most_states_by_mask>([&](auto j) INLINED {
                auto const is_in = hn::TestBit(masks, hn::Set(integers, std::int64_t{1} << j));
                likelihood_[v][j] = hn::IfThenElseZero(hn::RebindMask(sites, is_in), constant(1));
            });
        });
    }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const n = shape_.states();
        auto const* column = matrices_ + category * n * shape_.stride() + row;
        unrolled<count>([&](auto i) INLINED {
            auto const entry = constant(column[i]);
            unrolled<vectors>([&](auto v) INLINED { out[v][i] = hn::Mul(entry, likelihood_[v][0]); });
        });
        unrolled<most_states_by_mask - 1>([&](auto before) INLINED {
            constexpr auto j = before + 1;
            if (j >= n) return;
            column += shape_.stride();
            unrolled<count>([&](auto i) INLINED {
                auto const entry = constant(column[i]);
                unrolled<vectors>([&](auto v) INLINED { out[v][i] = fma(entry, likelihood_[v][j], out[v][i]); });
            });
        });
    }

private:
    S shape_;
    std::uint8_t const* masks_;
    double const* matrices_;
    Group<most_states_by_mask> likelihood_{};
};

/// Rows of classes, looked up by the class of a site.
template <class S>
class RowOfClass {
public:
    static constexpr int kind = 1;
    RowOfClass(S shape, Side const& side)
        : shape_(shape), classes_(side.classes), rows_(side.rows), num_classes_(side.num_classes) {}
    HWY_INLINE void move_to(std::size_t block, std::size_t site) { at_ = classes_ + block * block_sites + site; }
    HWY_INLINE void prefetch(std::size_t) const {}
    template <std::size_t count>
    HWY_INLINE void get(std::size_t category, std::size_t row, Group<count>& out) const {
        auto const* rows = rows_ + category * num_classes_ * shape_.stride() + row;
        unrolled<vectors>([&](auto v) INLINED { look_up(rows, at_ + v * step, out[v]); });
    }

private:
    template <std::size_t count>
    HWY_INLINE void look_up(double const* rows, std::uint32_t const* classes, Rows<count>& out) const {
#if HWY_MAX_BYTES >= 32
        if constexpr (count >= 4) {
            unrolled<(count + 3) / 4>([&](auto part) INLINED {
                constexpr auto first = 4 * part;
                auto const four = transposed(rows + first, classes);
                unrolled<std::min<std::size_t>(4, count - first)>([&](auto i) INLINED { out[first + i] = four[i]; });
            });
            return;
        }
#endif
        auto const stride = hn::Set(integers, static_cast<std::int64_t>(shape_.stride()));
        auto const place = hn::Mul(widened(classes), stride);
        unrolled<count>([&](auto i) INLINED { out[i] = hn::GatherIndex(sites, rows + i, place); });
    }

#if HWY_MAX_BYTES >= 32
    /// Four states for four sites, from four neighbouring numbers of each class.
    HWY_INLINE Rows<4> transposed(double const* rows, std::uint32_t const* classes) const {
        auto const of_site = [&](std::size_t i) INLINED { return rows + classes[i] * shape_.stride(); };
        Rows<4> x;
        unrolled<4>([&](auto i) INLINED {
            if constexpr (step == 4) {
                x[i] = hn::LoadU(sites, of_site(i));
            } else {
                constexpr hn::Half<Sites> half;
                x[i] = hn::Combine(sites, hn::LoadU(half, of_site(i + 4)), hn::LoadU(half, of_site(i)));
            }
        });
        auto const low01 = hn::InterleaveLower(sites, x[0], x[1]);
        auto const high01 = hn::InterleaveUpper(sites, x[0], x[1]);
        auto const low23 = hn::InterleaveLower(sites, x[2], x[3]);
        auto const high23 = hn::InterleaveUpper(sites, x[2], x[3]);
        return {hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low23), low01),
                hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high23), high01),
                hn::OddEvenBlocks(low23, hn::SwapAdjacentBlocks(low01)),
                hn::OddEvenBlocks(high23, hn::SwapAdjacentBlocks(high01))};
    }
#endif

    S shape_;
    std::uint32_t const* classes_;
    double const* rows_;
    std::size_t num_classes_;
    std::uint32_t const* at_ = nullptr;
};

// --- scaling

constexpr double small = 0x1p-256;
constexpr double up = 0x1p256;
constexpr std::uint16_t most_scaler = 0xffff;

/// scaler[i] += left[i] + right[i] for the block's sites; a null pointer counts as zeros.
HWY_INLINE void add_scalers(std::size_t count, std::uint16_t const* left, std::uint16_t const* right,
                            std::uint16_t* sum) {
    for (std::size_t i = 0; i < count; ++i) {
        auto const both = (left == nullptr ? 0U : left[i]) + (right == nullptr ? 0U : right[i]);
        sum[i] = static_cast<std::uint16_t>(std::min<std::uint32_t>(both, most_scaler));
    }
}

/// Scales sites whose states are all small up, until one is not small. Sites without any likelihood stay.
HWY_NOINLINE void scale_up(std::size_t states, Vector largest, double* clv, std::uint16_t* scalers) {
    for (;;) {
        auto const is_small = hn::And(hn::Lt(largest, constant(small)), hn::Gt(largest, constant(0)));
        if (hn::AllFalse(sites, is_small)) return;
        auto const factor = hn::IfThenElse(is_small, constant(up), constant(1));
        for (std::size_t i = 0; i < states; ++i) {
            hn::Store(hn::Mul(hn::Load(sites, clv + i * block_sites), factor), sites, clv + i * block_sites);
        }
        largest = hn::Mul(largest, factor);
        alignas(64) std::array<double, step> factors;
        hn::Store(factor, sites, factors.data());
        for (std::size_t i = 0; i < step; ++i) {
            if (factors[i] > 1 && scalers[i] < most_scaler) ++scalers[i];
        }
    }
}

template <class S, class Left, class Right>
void combine_sides(S shape, Left left, Right right, Side const& left_side, Side const& right_side, double* clv,
                   std::uint16_t* scalers, Blocks blocks) {
    auto const scalers_per_block = shape.categories() * block_sites;
    auto const of = [&](Side const& side) {
        return side.scalers == nullptr ? nullptr : side.scalers + blocks.first * scalers_per_block;
    };
    add_scalers((blocks.last - blocks.first) * scalers_per_block, of(left_side), of(right_side),
                scalers + blocks.first * scalers_per_block);
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        left.move_to(block, site);
        right.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto* const out = clv + shape.place(block, c, 0) + site;
            Rows<vectors> largest;
            largest.fill(constant(0));
            left.prefetch(c);
            right.prefetch(c);
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> a;
                Group<count> b;
                left.get(c, row, a);
                right.get(c, row, b);
                unrolled<vectors>([&](auto v) INLINED {
                    unrolled<count>([&](auto i) INLINED {
                        auto const x = hn::Mul(a[v][i], b[v][i]);
                        largest[v] = hn::Max(largest[v], x);
                        hn::Store(x, sites, out + v * step + (row + i) * block_sites);
                    });
                });
            });
            unrolled<vectors>([&](auto v) INLINED {
                if (hn::AllFalse(sites, hn::Lt(largest[v], constant(small)))) return;
                auto const place = block * scalers_per_block + c * block_sites + site + v * step;
                scale_up(shape.states(), largest[v], out + v * step, scalers + place);
            });
        }
    });
}

/// Calls f with a reader of the side, of the kind that the side needs.
template <class S, class Function>
HWY_INLINE void with_product(S shape, Side const& side, Function f) {
    if constexpr (S::may_have_masks) {
        if (side.masks != nullptr) return f(MaskProduct<S>(shape, side));
    }
    if (side.classes != nullptr) return f(RowOfClass<S>(shape, side));
    f(Product<S>(shape, side));
}

/// Calls f with the shape as a type. If fused multiply-add is emulated, one type suffices.
template <class Function>
HWY_INLINE void with_known(Shape shape, Function f) {
#if HWY_NATIVE_FMA
    if (shape.states == 4) return f(Known<4>(shape));
    if (shape.states == 20) return f(Known<20>(shape));
#endif
    f(Known<0>(shape));
}

void combine(Shape shape, Side const& left, Side const& right, double* clv, std::uint16_t* scalers, Blocks blocks) {
    with_known(shape, [&](auto known) {
        with_product(known, left, [&](auto a) {
            with_product(known, right, [&](auto b) {
                // In one order only, which halves the code: a product commutes, so both orders give the same bits.
                if constexpr (std::decay_t<decltype(a)>::kind <= std::decay_t<decltype(b)>::kind) {
                    combine_sides(known, a, b, left, right, clv, scalers, blocks);
                } else {
                    combine_sides(known, b, a, right, left, clv, scalers, blocks);
                }
            });
        });
    });
}

template <class S, class Reader>
void make_rows_of(S shape, Reader reader, std::size_t num_classes, double* rows, Blocks blocks) {
    alignas(64) std::array<double, step> number;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        reader.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> x;
                reader.get(c, row, x);
                unrolled<vectors>([&](auto v) INLINED {
                    auto const first = c * num_classes + block * block_sites + site + v * step;
                    unrolled<count>([&](auto i) INLINED {
                        hn::Store(x[v][i], sites, number.data());
                        for (std::size_t lane = 0; lane < step; ++lane) {
                            rows[(first + lane) * shape.stride() + row + i] = number[lane];
                        }
                    });
                });
            });
        }
    });
}

void make_rows(Shape shape, Side const& side, std::size_t num_classes, double* rows, Blocks blocks) {
    with_known(shape, [&](auto known) {
        if (side.matrices == nullptr) {
            make_rows_of(known, Plain(known, side), num_classes, rows, blocks);
        } else {
            make_rows_of(known, Product(known, side), num_classes, rows, blocks);
        }
    });
}

// --- sums over sites

/// Parts of a FixedSum, one per lane.
class Accumulator {
public:
    Accumulator(FixedScale const& scale, FixedSum& sum)
        : sum_(&sum),
          bound_(constant(scale.bound)),
          high_factor_(constant(scale.high_factor)),
          low_factor_(constant(scale.low_factor)),
          high_(hn::Zero(integers)),
          low_(hn::Zero(integers)) {}

    HWY_INLINE void add(Vector value, hn::Vec<Integers> weight) {
        auto const regular = hn::Le(hn::Abs(value), bound_);
        if (!hn::AllTrue(sites, regular)) {
            add_strays(value, weight, regular);
            value = hn::IfThenElseZero(regular, value);
        }
        auto const scaled = hn::Mul(value, high_factor_);
        auto const coarse = shifted(scaled);
        auto const rest = hn::Sub(scaled, unshifted(coarse));
        high_ = hn::Add(high_, weighted(shifted_integer(coarse), weight));
        low_ = hn::Add(low_, weighted(shifted_integer(shifted(hn::Mul(rest, low_factor_))), weight));
    }

    void finish() const {
        alignas(64) std::array<std::int64_t, step> high;
        alignas(64) std::array<std::int64_t, step> low;
        hn::Store(high_, integers, high.data());
        hn::Store(low_, integers, low.data());
        for (std::size_t i = 0; i < step; ++i) {
            sum_->high += high[i];
            sum_->low += low[i];
        }
    }

private:
    /// The low 64 bits of the product; weights have 32 bits.
    static HWY_INLINE hn::Vec<Integers> weighted(hn::Vec<Integers> x, hn::Vec<Integers> weight) {
#if HWY_TARGET == HWY_SCALAR
        return hn::Set(integers, hn::GetLane(x) * hn::GetLane(weight));
#else
        constexpr hn::Repartition<std::uint32_t, Sites> halves;
        auto const bits = hn::BitCast(unsigneds, x);
        auto const w = hn::BitCast(halves, weight);
        auto const low = hn::MulEven(hn::BitCast(halves, bits), w);
        auto const high = hn::MulEven(hn::BitCast(halves, hn::ShiftRight<32>(bits)), w);
        return hn::BitCast(integers, hn::Add(low, hn::ShiftLeft<32>(high)));
#endif
    }

    HWY_NOINLINE void add_strays(Vector value, hn::Vec<Integers> weight, Mask regular) const {
        alignas(64) std::array<double, step> values;
        alignas(64) std::array<std::int64_t, step> weights;
        alignas(64) std::array<double, step> is_regular;
        hn::Store(value, sites, values.data());
        hn::Store(weight, integers, weights.data());
        hn::Store(hn::IfThenElseZero(regular, constant(1)), sites, is_regular.data());
        for (std::size_t i = 0; i < step; ++i) {
            if (is_regular[i] != 0 || weights[i] == 0) continue;
            ++sum_->num_strays;
            sum_->strays.add(values[i], static_cast<std::uint32_t>(weights[i]));
        }
    }

    FixedSum* sum_;
    Vector bound_;
    Vector high_factor_;
    Vector low_factor_;
    hn::Vec<Integers> high_;
    hn::Vec<Integers> low_;
};

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

template <class S, class Near, class Far>
void add_loglh_of(S shape, Near near, Far far, Side const& near_side, Side const& far_side, Root const& root,
                  Weights weights, Accumulator& sum, double* per_site, Blocks blocks) {
    constexpr double ln2_256 = 256 * std::numbers::ln2;
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near_side, far_side, root.invariant, block);
        near.move_to(block, site);
        far.move_to(block, site);
        Rows<vectors> likelihood;
        likelihood.fill(constant(0));
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto const* frequency = root.frequencies + c * shape.states();
            Rows<vectors> in_category;
            in_category.fill(constant(0));
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> a;
                Group<count> b;
                near.get(c, row, a);
                far.get(c, row, b);
                unrolled<vectors>([&](auto v) INLINED {
                    unrolled<count>([&](auto i) INLINED {
                        in_category[v] = fma(hn::Mul(constant(frequency[row + i]), a[v][i]), b[v][i], in_category[v]);
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

void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    Accumulator accumulator(scale, sum);
    with_known(shape, [&](auto known) {
        with_product(known, far, [&](auto far_reader) {
            auto const add = [&](auto near_reader) {
                add_loglh_of(known, near_reader, far_reader, near, far, root, weights, accumulator, per_site, blocks);
            };
            if (near.classes == nullptr) return add(Plain(known, near));
            add(RowOfClass(known, near));
        });
    });
    accumulator.finish();
}

// --- derivatives

template <class S, class Near, class Far>
void make_table_of(S shape, Near near, Far far, Side const& near_side, Side const& far_side, double const* invariant,
                   double* table, Blocks blocks) {
    BlockScale scale;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        if (site == 0) scale.read(shape.categories(), near_side, far_side, invariant, block);
        near.move_to(block, site);
        far.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto* const out = table + shape.place(block, c, 0) + site;
            Rows<vectors> factor;
            unrolled<vectors>(
                [&](auto v) INLINED { factor[v] = scale.is_one() ? constant(1) : scale.factor(c, site + v * step); });
            near.prefetch(c);
            far.prefetch(c);
            shape.for_rows([&](std::size_t row, auto count) INLINED {
                Group<count> a;
                Group<count> b;
                near.get(c, row, a);
                far.get(c, row, b);
                unrolled<vectors>([&](auto v) INLINED {
                    unrolled<count>([&](auto i) INLINED {
                        auto const x = hn::Mul(hn::Mul(a[v][i], b[v][i]), factor[v]);
                        hn::Store(x, sites, out + v * step + (row + i) * block_sites);
                    });
                });
            });
        }
    });
}

void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    with_known(shape, [&](auto known) {
        with_product(known, far, [&](auto far_reader) {
            auto const make = [&](auto near_reader) {
                make_table_of(known, near_reader, far_reader, near, far, invariant, table, blocks);
            };
            if (near.classes == nullptr) return make(Product(known, near));
            make(RowOfClass(known, near));
        });
    });
}

/// A likelihood that is impossible, or impossible within a very short time, is 0 or, by rounding, below. It must not
/// make the sum over all sites NaN.
constexpr double least_likelihood = 0x1p-600;

template <class S>
void add_derivatives_of(S shape, double const* table, double const* terms, double const* invariant, Weights weights,
                        std::array<Accumulator, 3>& sums, Blocks blocks) {
    auto const per_order = shape.categories() * shape.states();
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        Group<3> total;
        total.fill({constant(0), constant(0), constant(0)});
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto const* x = table + shape.place(block, c, 0) + site;
            auto const* term = terms + c * shape.states();
            Group<3> in_category;
            in_category.fill({constant(0), constant(0), constant(0)});
            for (std::size_t k = 0; k < shape.states(); ++k) {
                Rows<vectors> likelihood;
                unrolled<vectors>([&](auto v)
                                      INLINED { likelihood[v] = hn::Load(sites, x + v * step + k * block_sites); });
                unrolled<3>([&](auto order) INLINED {
                    auto const factor = constant(term[order * per_order + k]);
                    unrolled<vectors>([&](auto v) INLINED {
                        in_category[v][order] = fma(factor, likelihood[v], in_category[v][order]);
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

void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    std::array accumulators{Accumulator(scales[0], sums[0]), Accumulator(scales[1], sums[1]),
                            Accumulator(scales[2], sums[2])};
    with_known(shape,
               [&](auto known) { add_derivatives_of(known, table, terms, invariant, weights, accumulators, blocks); });
    for (auto const& accumulator : accumulators) accumulator.finish();
}

}  // namespace
}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace regraft::likelihood {
namespace kernels {
namespace {
HWY_EXPORT(exponentials);
HWY_EXPORT(exponentials_minus);
HWY_EXPORT(logarithms);
HWY_EXPORT(transition);
HWY_EXPORT(combine);
HWY_EXPORT(make_rows);
HWY_EXPORT(add_loglh);
HWY_EXPORT(make_table);
HWY_EXPORT(add_derivatives);
}  // namespace

void exponentials(std::span<double> x) {
    HWY_DYNAMIC_DISPATCH(exponentials)(x);
}
void exponentials_minus(std::span<double> x, double const* minus) {
    HWY_DYNAMIC_DISPATCH(exponentials_minus)(x, minus);
}
void logarithms(std::span<double> x) {
    HWY_DYNAMIC_DISPATCH(logarithms)(x);
}
void transition(Shape shape, double const* columns, double const* inverse, double const* factors, double diagonal,
                double* matrix) {
    HWY_DYNAMIC_DISPATCH(transition)(shape, columns, inverse, factors, diagonal, matrix);
}
void combine(Shape shape, Side const& left, Side const& right, double* clv, std::uint16_t* scalers, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(combine)(shape, left, right, clv, scalers, blocks);
}
void make_rows(Shape shape, Side const& side, std::size_t num_classes, double* rows, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(make_rows)(shape, side, num_classes, rows, blocks);
}
void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(add_loglh)(shape, near, far, root, weights, scale, sum, per_site, blocks);
}
void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(make_table)(shape, near, far, invariant, table, blocks);
}
void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    HWY_DYNAMIC_DISPATCH(add_derivatives)(shape, table, terms, invariant, weights, scales, sums, blocks);
}

}  // namespace kernels
}  // namespace regraft::likelihood

#endif
