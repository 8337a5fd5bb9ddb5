#include "c/placement.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/placement/permuted.hpp"

using namespace regraft;

namespace {

void expect_shape(std::uint32_t num_slots, std::uint32_t replicas) {
    c::expect(1 <= replicas && replicas <= num_slots, "1 <= replicas <= num_slots");
}

std::optional<std::uint64_t> seed_of(std::uint64_t seed) {
    return seed == REGRAFT_NO_SEED ? std::nullopt : std::optional(seed);
}

/// Options for ranges, checked: the blocks must not make more than `most` ranges.
placement::RangeOptions range_options(std::uint64_t num_blocks, std::uint64_t range_blocks, std::uint64_t seed,
                                      std::uint64_t most) {
    c::expect(num_blocks <= most || (range_blocks > 0 && num_blocks / range_blocks < most), "fewer ranges of blocks");
    return {.range_blocks = range_blocks, .seed = seed_of(seed)};
}

/// By nodes, replicas * ranges must stay below 2^63.
std::uint64_t most_ranges(std::uint32_t replicas) {
    return (std::uint64_t{1} << 63) / replicas - 1;
}

}  // namespace

regraft_status regraft_placement_pairwise(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          regraft_placement** placement) {
    return c::guarded([&] {
        expect_shape(num_slots, replicas);
        c::make(placement, placement::Pairwise(num_blocks, num_slots, replicas));
    });
}

regraft_status regraft_placement_permuted(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          uint64_t range_blocks, uint64_t seed, regraft_placement** placement) {
    return c::guarded([&] {
        expect_shape(num_slots, replicas);
        auto const options = range_options(num_blocks, range_blocks, seed, std::uint64_t{1} << 63);
        c::make(placement, placement::Permuted(num_blocks, num_slots, replicas, options));
    });
}

regraft_status regraft_placement_mod_k(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas, uint64_t seed,
                                       regraft_placement** placement) {
    return c::guarded([&] {
        expect_shape(num_slots, replicas);
        c::make(placement, placement::ModK(num_blocks, num_slots, replicas, {.seed = seed_of(seed)}));
    });
}

regraft_status regraft_placement_node_aware(uint64_t num_blocks, uint32_t const* node_of, uint32_t num_slots,
                                            uint32_t replicas, uint64_t range_blocks, uint64_t seed,
                                            regraft_placement** placement) {
    return c::guarded([&] {
        expect_shape(num_slots, replicas);
        auto const nodes = c::span_of(node_of, num_slots, "node_of, not NULL");
        auto const options = range_options(num_blocks, range_blocks, seed, most_ranges(replicas));
        c::make(placement, placement::NodeAware(num_blocks, nodes, replicas, options));
    });
}

regraft_status regraft_placement_over_nodes(regraft_placement const* rule, uint32_t const* node_of, uint32_t num_slots,
                                            uint64_t range_blocks, uint64_t seed, regraft_placement** placement) {
    return c::guarded([&] {
        auto const& any = c::object(rule, "a placement, not NULL").rule;
        auto const [num_blocks, slots, replicas] = any.shape();
        c::expect(num_slots == slots, "as many nodes as the placement has slots");
        auto const nodes = c::span_of(node_of, num_slots, "node_of, not NULL");
        auto const options = range_options(num_blocks, range_blocks, seed, most_ranges(replicas));
        c::make(placement, placement::over_nodes(any, nodes, options));
    });
}

void regraft_placement_free(regraft_placement* placement) {
    delete placement;
}

regraft_status regraft_placement_holders(regraft_placement const* placement, uint64_t block, uint32_t* slots,
                                         uint64_t capacity, uint64_t* count) {
    return c::guarded([&] {
        auto const& rule = c::object(placement, "a placement, not NULL").rule;
        c::expect(block < rule.shape().num_blocks, "a block that there is");
        auto const out = c::span_of(slots, capacity, "slots, not NULL");
        auto& number = c::object(count, "count, not NULL");
        std::vector<placement::Slot> holders;
        rule.holders(BlockId{block}, holders);
        for (std::size_t i = 0; i < std::min(holders.size(), out.size()); ++i) out[i] = value(holders[i]);
        number = holders.size();
    });
}

regraft_status regraft_placement_held(regraft_placement const* placement, uint32_t slot, regraft_range* ranges,
                                      uint64_t capacity, uint64_t* count) {
    return c::guarded([&] {
        auto const& rule = c::object(placement, "a placement, not NULL").rule;
        c::expect(slot < rule.shape().num_slots, "a slot that there is");
        auto const out = c::span_of(ranges, capacity, "ranges, not NULL");
        auto& number = c::object(count, "count, not NULL");
        auto const held = rule.held(placement::Slot{slot});
        for (std::size_t i = 0; i < std::min(held.size(), out.size()); ++i) {
            out[i] = {value(held[i].first), value(held[i].last)};
        }
        number = held.size();
    });
}
