// Ranges, hashes and exact sums for callers in C.
#include <bit>

#include "c/sums.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/random.hpp"

using namespace regraft;

namespace {

std::span<ExactSum> sums_within(regraft_sums* sums, std::uint64_t first, std::uint64_t count) {
    auto& all = c::object(sums, "sums, not NULL").sums;
    c::expect(first <= all.size() && count <= all.size() - first, "sums that there are");
    return std::span(all).subspan(first, count);
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

void regraft_sums_free(regraft_sums* sums) {
    delete sums;
}

regraft_status regraft_sums_add(regraft_sums* sums, uint64_t index, double const* values, uint64_t count) {
    return c::guarded([&] {
        auto& sum = sums_within(sums, index, 1).front();
        for (double const x : c::span_of(values, count, "values, not NULL")) sum.add(x);
    });
}

regraft_status regraft_sums_add_each(regraft_sums* sums, uint64_t first, double const* values, uint64_t count) {
    return c::guarded([&] {
        auto const into = sums_within(sums, first, count);
        auto const each = c::span_of(values, count, "values, not NULL");
        for (std::size_t i = 0; i < into.size(); ++i) into[i].add(each[i]);
    });
}

regraft_status regraft_sums_values(regraft_sums const* sums, uint64_t first, double* values, uint64_t count) {
    return c::guarded([&] {
        auto const from = sums_within(const_cast<regraft_sums*>(sums), first, count);  // only read below
        auto const out = c::span_of(values, count, "room for the values, not NULL");
        for (std::size_t i = 0; i < from.size(); ++i) out[i] = from[i].value();
    });
}

regraft_status regraft_sums_clear(regraft_sums* sums) {
    return c::guarded([&] {
        for (auto& sum : c::object(sums, "sums, not NULL").sums) sum = {};
    });
}
