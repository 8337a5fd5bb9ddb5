// Which candidates are special cases of others.
#pragma once

#include <vector>

#include "regraft/search/candidates.hpp"

namespace regraft::search {

/// Whether the scheme of `spec` is a special case of that of `general`: rates that are equal under general are equal
/// under spec, and the frequencies are the same.
bool is_special_case(likelihood::ModelSpec const& spec, likelihood::ModelSpec const& general);

/// Whether parameters of `general`, or their limits, make it the model `special`, which has fewer parameters.
bool contains(Candidate const& general, Candidate const& special);

/// Raises log-likelihoods to those of models that their models contain: the maximum is at least as high, but an
/// optimiser may have ended at a lower one. The last trial is new, the others have been raised. As a contained model
/// has fewer parameters, a raised one has a worse score than it.
void raise_to_contained(std::vector<TriedModel>& trials);

}  // namespace regraft::search
