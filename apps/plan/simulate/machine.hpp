// The machine on which a job runs: ranks on nodes, nodes in racks, racks behind switches. Each of them fails as a
// whole.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::plan::simulated {

/// The parts of a machine that fail as a whole, from the smallest to the largest.
enum class Unit : std::uint8_t { rank, node, rack, network_switch };
inline constexpr std::array all_units{Unit::rank, Unit::node, Unit::rack, Unit::network_switch};

/// The name of a unit: "rank", "node", "rack" or "switch".
std::string_view name_of(Unit unit);
/// The unit with this name, if any.
std::optional<Unit> unit_of(std::string_view name);

/// The ranks of a machine, and how they are grouped.
struct Machine {
    std::uint32_t ranks = 1;
    /// By Unit: how many consecutive ranks make a unit; the last one may have fewer. 0: there are no such units.
    std::array<std::uint32_t, 4> ranks_of_unit{1, 1, 0, 0};

    std::uint32_t size(Unit unit) const { return ranks_of_unit[static_cast<std::size_t>(unit)]; }  // in ranks
    /// The number of units of this kind.
    std::uint32_t count(Unit unit) const;
    /// The ranks of a unit. Precondition: number < count(unit).
    IdRange<PeId> members(Unit unit, std::uint32_t number) const;
    /// The number of each rank's unit. Precondition: there are such units.
    std::vector<std::uint32_t> of_ranks(Unit unit) const;
};

}  // namespace regraft::plan::simulated
