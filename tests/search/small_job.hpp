// A likelihood of a small random alignment under each linkage of branch lengths.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "small_dataset.hpp"

namespace regraft::phylo::test {

[[maybe_unused]] constexpr std::array linkages{BranchLinkage::linked, BranchLinkage::scaled, BranchLinkage::unlinked};

struct SmallJob {
    ft::Communicator comm{MPI_COMM_WORLD};
    SmallDataset data;
    BranchLinkage linkage;
    DistributedLikelihood likelihood;

    SmallJob(std::uint64_t seed, BranchLinkage how, std::uint32_t num_taxa = 8)
        : data(small_dataset(seed, num_taxa)), linkage(how), likelihood(fresh(some_tree(data, seed, how))) {}

    DistributedLikelihood fresh(msa::Tree const& tree) { return fresh(tree, data.models); }
    DistributedLikelihood fresh(msa::Tree const& tree, std::vector<Model> const& models) {
        return {comm, tree, data.specs, models, linkage, my_sites(data, comm), partition_options(data)};
    }
};

}  // namespace regraft::phylo::test
