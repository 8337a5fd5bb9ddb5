// Trees, and sites that evolved along them, for measurements of likelihoods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "regraft/likelihood/model.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::bench {

enum class TreeShape : std::uint8_t {
    random,
    caterpillar,  // all inner nodes except one have a tip
    balanced,     // an inner node has two tips or none
};

/// A tree, a model and sites that evolved under them: 4 states (GTR) or 20 (LG), 4 rates, 2 % of the cells unknown.
struct Evolved {
    Evolved(TreeShape shape, std::uint32_t num_states, std::uint32_t num_taxa, std::size_t num_sites);

    msa::Tree tree;
    msa::HalfEdge root;  // one end of the edge that was made last
    std::vector<double> exchangeabilities;
    likelihood::SiteModel model;
    likelihood::Sites sites;
};

}  // namespace regraft::bench
