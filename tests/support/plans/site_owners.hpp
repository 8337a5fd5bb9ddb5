// Assignments spelled out site by site.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "regraft/assign/assignment.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

/// For every site the PE that works on it; nothing if no PE or more than one does. Sites count from 0.
inline std::vector<std::optional<PeId>> site_owners(assign::Assignment const& assignment, std::uint64_t num_sites) {
    std::vector<std::optional<PeId>> owner(num_sites);
    std::vector<char> seen(num_sites, 0);
    for (std::uint32_t row = 0; row < assignment.size(); ++row) {
        for (auto const& work : assignment[row]) {
            for (auto site = value(work.sites.first); site < value(work.sites.last); ++site) {
                owner.at(site) = seen.at(site) == 0 ? std::optional(PeId{row}) : std::nullopt;
                seen.at(site) = 1;
            }
        }
    }
    return owner;
}

/// All (PE, partition) pairs.
inline std::set<std::pair<std::uint32_t, PartitionId>> pairs(assign::Assignment const& assignment) {
    std::set<std::pair<std::uint32_t, PartitionId>> result;
    for (std::uint32_t row = 0; row < assignment.size(); ++row) {
        for (auto const& work : assignment[row]) result.emplace(row, work.partition);
    }
    return result;
}

/// The begins of partitions with 0 .. max_size - 1 sites each, and the end of the last one.
inline std::vector<std::uint64_t> random_partitions(std::uint64_t num_partitions, std::uint64_t max_size,
                                                    Random& random) {
    std::vector<std::uint64_t> begin{0};
    for (std::uint64_t q = 0; q < num_partitions; ++q) begin.push_back(begin.back() + random.below(max_size));
    return begin;
}

}  // namespace regraft::test
