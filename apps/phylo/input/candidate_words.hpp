// The words of --models and --rates, and the candidates for which they stand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::phylo {

/// The candidates of each partition whose model is to be chosen, and null for the others. specs: one per partition,
/// with its alphabet. Partitions of a kind share a set. Throws InputError if a word of the options is no
/// candidate, if nothing is to be chosen although they restrict the choice, or if they leave nothing to a partition.
std::vector<std::shared_ptr<CandidateSet const>> candidates_of(Options const& options,
                                                               std::vector<msa::PartitionSpec> const& partitions,
                                                               std::vector<ModelSpec> const& specs);

}  // namespace regraft::phylo
