#include "checkpoint/opening.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"

namespace regraft::checkpoint {
namespace {

/// Deals entities to their former homes; those of PEs that are no longer members are balanced.
std::vector<PeId> to_former_homes(std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
    std::vector<PeId> homes;
    std::vector<Survivor> loads(survivors.begin(), survivors.end());
    std::vector<Orphan> others;
    std::vector<std::size_t> which;
    for (auto const& orphan : orphans) {
        auto const found = std::ranges::lower_bound(loads, orphan.home, {}, &Survivor::pe);
        if (found != loads.end() && found->pe == orphan.home) {
            found->bytes += orphan.bytes;
        } else {
            which.push_back(homes.size());
            others.push_back(orphan);
        }
        homes.push_back(orphan.home);
    }
    auto const dealt = balanced(others, loads);
    for (std::size_t k = 0; k < which.size(); ++k) homes[which[k]] = dealt[k];
    return homes;
}

}  // namespace

std::vector<PeId> deal(SavedState const& state, Csr<PeId> const& holders, std::span<PeId const> members, Deal rule) {
    if (!rule) rule = std::ranges::includes(state.members, members) ? Deal(to_former_homes) : Deal(balanced);
    std::vector<Orphan> orphans;
    for (std::size_t i = 0; i < state.entities.size(); ++i) {
        auto const& entity = state.entities[i];
        orphans.push_back(
            {entity.name, entity.bytes, entity.home, holders.size() == 0 ? std::span<PeId const>() : holders[i]});
    }
    std::vector<Survivor> survivors;
    for (auto const pe : members) survivors.push_back({pe, 0});
    auto homes = rule(orphans, survivors);
    REGRAFT_EXPECTS(homes.size() == orphans.size() && "a home for every entity");
    for (auto const home : homes) {
        REGRAFT_EXPECTS(std::binary_search(members.begin(), members.end(), home) && "homes are members");
    }
    return homes;
}

std::vector<BlockRange> at_home(std::span<PeId const> homes, PeId pe) {
    std::vector<BlockRange> blocks;
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (homes[i] == pe) blocks.push_back({BlockId{i}, BlockId{i + 1}});
    }
    return united(std::move(blocks));
}

void expect_frames(SavedState const& state, std::span<BlockRange const> entities, std::span<std::byte const> bytes,
                   std::string const& file) {
    std::vector<std::byte> memory;
    for (auto const& range : entities) {
        for (auto i = value(range.first); i < value(range.last); ++i) {
            auto const& entity = state.entities[i];
            try {
                static_cast<void>(unpacked(bytes.first(entity.stored_bytes), entity.bytes, memory));
            } catch (InputError const& error) {
                throw InputError({file}, "has entity '" + entity.name + "', which cannot be unpacked: " + error.what());
            }
            bytes = bytes.subspan(entity.stored_bytes);
        }
    }
}

}  // namespace regraft::checkpoint
