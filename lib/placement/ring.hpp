// Functions that placements share: even parts dealt to slots on a ring, and copies of a part at even distances on it.
#pragma once

#include <cstdint>

#include "regraft/core/contracts.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::placement {

/// Precondition: 1 <= replicas <= num_slots.
inline Shape checked(Shape const& shape) {
    REGRAFT_EXPECTS(1 <= shape.replicas && shape.replicas <= shape.num_slots);
    return shape;
}

/// The inverse of even_part: the number of the part, among `parts` even parts of n things, that has thing i.
/// Precondition: i < n.
inline std::uint64_t part_of(std::uint64_t n, std::uint64_t i, std::uint64_t parts) {
    REGRAFT_EXPECTS(i < n);
    __extension__ using Wide = unsigned __int128;
    // This is the last part g with floor(n * g / parts) <= i, which means n * g < parts * (i + 1).
    return static_cast<std::uint64_t>((Wide{parts} * (Wide{i} + 1) - 1) / n);
}

/// The slot that keeps copy `copy` of what belongs to slot `home`: it is floor(copy * p / r) slots further. Since r <=
/// p, different copies are on different slots.
inline Slot partner(Shape const& shape, std::uint64_t home, std::uint32_t copy) {
    REGRAFT_EXPECTS(copy < shape.replicas);
    auto const distance = std::uint64_t{copy} * shape.num_slots / shape.replicas;
    return Slot{static_cast<std::uint32_t>((home + distance) % shape.num_slots)};
}

/// The inverse of partner: the slot to which copy `copy` on `slot` belongs.
inline std::uint64_t home(Shape const& shape, Slot slot, std::uint32_t copy) {
    auto const distance = std::uint64_t{copy} * shape.num_slots / shape.replicas;
    return (value(slot) + shape.num_slots - distance) % shape.num_slots;
}

}  // namespace regraft::placement
