// What a search is about: a tree with models.
#pragma once

#include <vector>

#include "regraft/msa/tree.hpp"
#include "regraft/search/likelihood_values.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// A tree with its models, and how likely they make the data.
struct Estimate {
    msa::Tree tree;                  // with branch lengths
    std::vector<ModelSpec> specs{};  // one per partition
    std::vector<Model> models{};     // one per partition
    double loglh = 0;                // log-likelihood of tree and models
};

}  // namespace regraft::search
#pragma GCC visibility pop
