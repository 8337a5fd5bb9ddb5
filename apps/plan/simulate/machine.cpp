#include "simulate/machine.hpp"

#include <algorithm>

#include "recover/failures.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::plan::simulated {

std::string_view name_of(Unit unit) {
    constexpr std::array<std::string_view, 4> names{"rank", "node", "rack", "switch"};
    return names[static_cast<std::size_t>(unit)];
}

std::optional<Unit> unit_of(std::string_view name) {
    for (auto const unit : all_units) {
        if (name_of(unit) == name) return unit;
    }
    return std::nullopt;
}

std::uint32_t Machine::count(Unit unit) const {
    return size(unit) == 0 ? 0 : num_nodes(ranks, size(unit));
}

IdRange<PeId> Machine::members(Unit unit, std::uint32_t number) const {
    REGRAFT_EXPECTS(number < count(unit));
    auto const first = std::uint64_t{number} * size(unit);
    auto const last = std::min<std::uint64_t>(first + size(unit), ranks);
    return {PeId{static_cast<std::uint32_t>(first)}, PeId{static_cast<std::uint32_t>(last)}};
}

std::vector<std::uint32_t> Machine::of_ranks(Unit unit) const {
    REGRAFT_EXPECTS(size(unit) > 0);
    std::vector<std::uint32_t> numbers(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) numbers[rank] = rank / size(unit);
    return numbers;
}

}  // namespace regraft::plan::simulated
