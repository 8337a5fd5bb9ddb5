// The scheme that merging partitions has found, as text and JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "input/input.hpp"
#include "options/options.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/search/merging.hpp"

namespace regraft::phylo {

/// The best scheme as partitions, each named after those that became one, as in "gene1+gene2", with the model that they
/// had in the partition file.
std::vector<msa::PartitionSpec> best_scheme(Dataset const& dataset, Merging const& merging);

/// For the log: what was merged, and the scores before and after it.
std::vector<std::string> merge_lines(Dataset const& dataset, Merging const& merging, Criterion criterion);

/// For PREFIX.json: the values of both schemes, the rounds, and the subsets of the best scheme.
nlohmann::ordered_json to_json(Dataset const& dataset, Merging const& merging, Options const& options);

}  // namespace regraft::phylo
