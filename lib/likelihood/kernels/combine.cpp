// Conditional likelihoods from those of two children, and rows of classes.
#include <array>
#include <cstddef>
#include <cstdint>

#include "likelihood/kernels/kernels.hpp"
#include "likelihood/kernels/scalers-inl.hpp"
#include "likelihood/kernels/sides-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace regraft::likelihood::kernels::HWY_NAMESPACE {
namespace {

constexpr double small = 0x1p-256;
constexpr double up = 0x1p256;

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
void combine_products(S shape, Left left, Right right, double* clv, std::uint16_t* scalers, Blocks blocks) {
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        left.move_to(block, site);
        right.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            auto* const out = clv + shape.place(block, c, 0) + site;
            Rows<vectors> largest;
            largest.fill(constant(0));
            multiply(shape, left, right, c, out, [&](auto v, Vector x) INLINED {
                largest[v] = hn::Max(largest[v], x);
                return x;
            });
            unrolled<vectors>([&](auto v) INLINED {
                if (hn::AllFalse(sites, hn::Lt(largest[v], constant(small)))) return;
                auto const place = (block * shape.categories() + c) * block_sites + site + v * step;
                scale_up(shape.states(), largest[v], out + v * step, scalers + place);
            });
        }
    });
}

template <class S, class Reader>
void make_rows_of(S shape, Reader reader, std::size_t num_classes, double* rows, Blocks blocks) {
    alignas(64) std::array<double, step> number;
    for_groups(blocks, [&](std::size_t block, std::size_t site) INLINED {
        reader.move_to(block, site);
        for (std::size_t c = 0; c < shape.categories(); ++c) {
            reader.begin(c);
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

}  // namespace

void combine(Shape shape, Side const& left, Side const& right, double* clv, std::uint16_t* scalers, Blocks blocks) {
    auto const first = blocks.first * shape.block_scalers();
    auto const of = [&](Side const& side) { return side.scalers == nullptr ? nullptr : side.scalers + first; };
    add_scalers((blocks.last - blocks.first) * shape.block_scalers(), of(left), of(right), scalers + first);
    if (left.systems != nullptr) {
        return with_known_systems(shape, [&](auto known) {
            combine_products(known, SiteProduct(known, left), SiteProduct(known, right), clv, scalers, blocks);
        });
    }
    with_known(shape, [&](auto known) {
        with_products(known, left, right, [&](auto a, auto b) { combine_products(known, a, b, clv, scalers, blocks); });
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

}  // namespace regraft::likelihood::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
