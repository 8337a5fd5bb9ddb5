// Values of single sites: which patterns a PE has, and values of all patterns from all PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "regraft/assign/assignment.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The patterns of some work in each partition, in the order of to_local_sites.
std::vector<std::vector<std::uint64_t>> patterns_by_partition(std::span<assign::Work const> work,
                                                              std::size_t num_partitions);

/// Calls f(partition, number of the site in it, pattern) for all sites: by partitions, and in each in the order in
/// which the partition lists its sites. Precondition: the dataset knows the pattern of each site.
template <class Function>
void for_sites_by_partition(Dataset const& dataset, Function f) {
    for (std::size_t q = 0; q < dataset.partitions.size(); ++q) {
        std::uint64_t number = 0;
        for (auto const& range : dataset.partitions[q].sites) {
            for (std::uint64_t i = 0, size = range.size(); i < size; ++i)
                f(q, number++, dataset.pattern_of_site[range[i]]);
        }
    }
}

/// The values of each of num_patterns patterns, `width` each, on the leading PE; empty on the others. mine: those of
/// this PE's patterns in each partition. Precondition: the work deals each pattern to one member. Collective, uniform.
std::vector<double> gather_values(ft::Communicator& comm, std::uint64_t num_patterns, assign::Assignment const& work,
                                  std::span<std::vector<double> const> mine, std::size_t width = 1);

/// The text of PREFIX.siteLH, in the format of TREE-PUZZLE: a line per tree with the value of each site, in the order
/// of the alignment. loglh: [tree][pattern].
std::string site_table(Dataset const& dataset, std::span<std::vector<double> const> loglh);

}  // namespace regraft::phylo
