// Rounds of optimisation, which several tasks make.
#pragma once

#include <cstdint>

#include "regraft/search/effort.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

/// From so many tips on, computing less pays more than making fewer reductions.
inline constexpr std::uint32_t many_tips = 1000;
inline bool has_many_tips(msa::Tree const& tree) {
    return tree.num_tips() >= many_tips;
}
/// What a search of this tree saves if its options say `saves`.
inline Saves saves_at(Saves saves, msa::Tree const& tree) {
    return has_many_tips(tree) ? Saves::computation : saves;
}

/// Makes the next step of a round, of which there are two: all branches, then all models. position: the number of the
/// step, which grows. If lengths are fixed, there are only the models. Returns whether this was the last step.
/// Collective.
bool optimise_next(std::uint64_t& position, DistributedLikelihood& likelihood, double epsilon,
                   Lengths lengths = Lengths::change, Saves saves = Saves::reductions);

/// Goes to a higher maximum, if there is one that no single length or parameter leads to. Returns whether there was.
/// Collective.
bool leave_maximum(DistributedLikelihood& likelihood, double epsilon, Lengths lengths = Lengths::change);

}  // namespace regraft::search
