// Ranges, hashes and exact sums for callers in C.
#include <bit>
#include <cstdint>

#include "c/sums.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/random.hpp"

using namespace regraft;

namespace {

/// Sums with these indices.
template <class Sums>
Sums& sums_with(Sums* sums, std::uint64_t first, std::uint64_t count) {
    auto& all = c::object(sums, "sums, not NULL");
    c::expect(first <= all.size() && count <= all.size() - first, "sums that there are");
    return all;
}

/// A number from the state that the caller keeps.
template <class Draw>
auto draw(regraft_random* random, Draw number) {
    if (random == nullptr) return decltype(number(std::declval<Random&>())){};
    auto state = std::bit_cast<Random>(*random);
    auto const drawn = number(state);
    *random = std::bit_cast<regraft_random>(state);
    return drawn;
}

}  // namespace

regraft_range regraft_even_part(uint64_t count, uint64_t index, uint64_t parts) {
    if (index >= parts) return {0, 0};
    auto const part = even_part<BlockId>(count, index, parts);
    return {value(part.first), value(part.last)};
}

uint64_t regraft_hash(void const* bytes, uint64_t size) {
    if (bytes == nullptr) size = 0;
    return hash({static_cast<std::byte const*>(bytes), static_cast<std::size_t>(size)});
}

uint64_t regraft_mix(uint64_t x) {
    return mix(x);
}

void regraft_random_seed(regraft_random* random, uint64_t seed) {
    if (random != nullptr) *random = std::bit_cast<regraft_random>(Random(seed));
}

double regraft_random_unit(regraft_random* random) {
    return draw(random, [](Random& from) { return from.unit(); });
}

uint64_t regraft_random_below(regraft_random* random, uint64_t n) {
    return n == 0 ? 0 : draw(random, [n](Random& from) { return from.below(n); });
}

regraft_status regraft_sums_create(uint64_t count, regraft_sums** sums) {
    return c::guarded([&] { c::make(sums, count); });
}

regraft_status regraft_sums_create_scaled(uint64_t count, double bound, uint64_t most_values, regraft_sums** sums) {
    return c::guarded([&] {
        c::expect(FixedScale::is_bound(bound), "a bound that is a power of two");
        c::expect(most_values < std::uint64_t{1} << 50, "fewer than 2^50 values");
        c::make(sums, count, FixedScale::of(bound, most_values));
    });
}

void regraft_sums_free(regraft_sums* sums) {
    delete sums;
}

regraft_status regraft_sums_add(regraft_sums* sums, uint64_t index, double const* values, uint64_t count) {
    return c::guarded([&] {
        auto& into = sums_with(sums, index, 1);
        for (double const x : c::span_of(values, count, "values, not NULL")) into.add(index, x);
    });
}

regraft_status regraft_sums_add_each(regraft_sums* sums, uint64_t first, double const* values, uint64_t count) {
    return c::guarded([&] {
        auto& into = sums_with(sums, first, count);
        auto const each = c::span_of(values, count, "values, not NULL");
        for (std::uint64_t i = 0; i < count; ++i) into.add(first + i, each[i]);
    });
}

regraft_status regraft_sums_values(regraft_sums const* sums, uint64_t first, double* values, uint64_t count) {
    return c::guarded([&] {
        auto const& from = sums_with(sums, first, count);
        auto const out = c::span_of(values, count, "room for the values, not NULL");
        for (std::uint64_t i = 0; i < count; ++i) out[i] = from.value(first + i);
    });
}

regraft_status regraft_sums_clear(regraft_sums* sums) {
    return c::guarded([&] { c::object(sums, "sums, not NULL").clear(); });
}
