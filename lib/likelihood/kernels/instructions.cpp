#include "regraft/likelihood/instructions.hpp"

#include <algorithm>
#include <atomic>
#include <span>

#include <hwy/targets.h>

#include "likelihood/kernels/kernels.hpp"
#include "regraft/core/contracts.hpp"

// REGRAFT_FOR_SETS(F) is F(set) for each instruction set that meson.build compiles the kernels for, the fastest first.
// Each set has all kernels, in a namespace of its own.
#define REGRAFT_FOR_KERNELS(F, set) \
    F(set, exponentials)            \
    F(set, logarithms)              \
    F(set, exponentials_minus)      \
    F(set, transition)              \
    F(set, combine)                 \
    F(set, make_rows)               \
    F(set, add_loglh)               \
    F(set, make_table)              \
    F(set, make_products)           \
    F(set, add_derivatives)         \
    F(set, add_site_derivatives)

#define REGRAFT_DECLARE_KERNEL(set, kernel) decltype(kernels::kernel) kernel;
#define REGRAFT_DECLARE(set)                             \
    namespace regraft::likelihood::kernels::N_##set {    \
        REGRAFT_FOR_KERNELS(REGRAFT_DECLARE_KERNEL, set) \
    }
REGRAFT_FOR_SETS(REGRAFT_DECLARE)

namespace regraft::likelihood {
namespace {

/// The kernels of an instruction set.
struct Set {
    std::int64_t target = 0;
#define REGRAFT_POINT_TO_KERNEL(set, kernel) decltype(&kernels::kernel) kernel;
    REGRAFT_FOR_KERNELS(REGRAFT_POINT_TO_KERNEL, )

    std::string_view name() const {
        switch (target) {
            case HWY_AVX3:
                return "avx512";
            case HWY_AVX2:
                return "avx2";
            case HWY_SSE4:
                return "sse4";
            case HWY_NEON:
                return "neon";
            default:
                return "scalar";
        }
    }
    bool runs_here() const {
        return ((hwy::SupportedTargets() | HWY_SCALAR) & target) != 0;
    }
};

#define REGRAFT_KERNEL_OF_SET(set, kernel) kernels::N_##set::kernel,
#define REGRAFT_SET(set) Set{HWY_##set, REGRAFT_FOR_KERNELS(REGRAFT_KERNEL_OF_SET, set)},
constexpr Set sets[] = {REGRAFT_FOR_SETS(REGRAFT_SET)};  // NOLINT(*-avoid-c-arrays): as many as there are

/// The sets that this CPU has.
std::vector<Set const*> const& available() {
    static auto const found = [] {
        std::vector<Set const*> runs;
        for (auto const& set : sets) {
            if (set.runs_here()) runs.push_back(&set);
        }
        REGRAFT_EXPECTS(!runs.empty());
        return runs;
    }();
    return found;
}

std::atomic<Set const*>& choice() {
    static std::atomic<Set const*> chosen = available().front();
    return chosen;
}

Set const& used() {
    return *choice().load(std::memory_order_relaxed);
}

}  // namespace

std::vector<std::string_view> available_instructions() {
    std::vector<std::string_view> names;
    for (auto const* set : available()) names.push_back(set->name());
    return names;
}

void use_instructions(std::string_view name) {
    auto const& sets = available();
    auto const found = std::find_if(sets.begin(), sets.end(), [&](auto* set) { return set->name() == name; });
    REGRAFT_EXPECTS(found != sets.end());
    choice() = *found;
}

std::string_view used_instructions() {
    return used().name();
}

namespace kernels {

void exponentials(std::span<double> x) {
    used().exponentials(x);
}
void logarithms(std::span<double> x) {
    used().logarithms(x);
}
void exponentials_minus(std::span<double> x, double const* minus) {
    used().exponentials_minus(x, minus);
}
void transition(Shape shape, double const* columns, double const* inverse, double const* factors, double diagonal,
                double* matrix) {
    used().transition(shape, columns, inverse, factors, diagonal, matrix);
}
void combine(Shape shape, Side const& left, Side const& right, double* clv, std::uint16_t* scalers, Blocks blocks) {
    used().combine(shape, left, right, clv, scalers, blocks);
}
void make_rows(Shape shape, Side const& side, std::size_t num_classes, double* rows, Blocks blocks) {
    used().make_rows(shape, side, num_classes, rows, blocks);
}
void add_loglh(Shape shape, Side const& near, Side const& far, Root const& root, Weights weights,
               FixedScale const& scale, FixedSum& sum, double* per_site, Blocks blocks) {
    used().add_loglh(shape, near, far, root, weights, scale, sum, per_site, blocks);
}
void make_table(Shape shape, Side const& near, Side const& far, double const* invariant, double* table, Blocks blocks) {
    used().make_table(shape, near, far, invariant, table, blocks);
}
void make_products(Shape shape, Side const& near, Side const& far, double const* invariant, double* table,
                   Blocks blocks) {
    used().make_products(shape, near, far, invariant, table, blocks);
}
void add_derivatives(Shape shape, double const* table, double const* terms, double const* invariant, Weights weights,
                     std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums, Blocks blocks) {
    used().add_derivatives(shape, table, terms, invariant, weights, scales, sums, blocks);
}
void add_site_derivatives(Shape shape, double const* table, SiteTerms const& terms, double const* invariant,
                          Weights weights, std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums,
                          Blocks blocks) {
    used().add_site_derivatives(shape, table, terms, invariant, weights, scales, sums, blocks);
}

}  // namespace kernels
}  // namespace regraft::likelihood
