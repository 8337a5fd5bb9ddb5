// Support of edges by an approximate likelihood-ratio test corrected as by Shimodaira and Hasegawa (SH-aLRT, Guindon et
// al. 2010, Syst. Biol. 59:307).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/rell_samples.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The SH-aLRT support of the inner edge h, from 0 to 1. The alternatives are the two trees after an interchange at h,
/// with the branches around h optimised. In each sample, the log-likelihoods of the three trees are centred by those of
/// the data. The support is the fraction of samples in which the best tree is above the second best by less than this
/// tree, in the data, is above the better alternative. It is 0 if an alternative is better. In the end the tree is as
/// it was, bit by bit. Collective.
double sh_alrt(DistributedLikelihood& likelihood, msa::HalfEdge h, RellSamples const& samples);

}  // namespace regraft::search
#pragma GCC visibility pop
