// What the text and the JSON of a result share.
#pragma once

#include <cstdint>
#include <vector>

#include "input/input.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/search/model_choice.hpp"

namespace regraft::phylo {

/// A trial of one partition with its scores; the best comes first.
struct RankedModel {
    TriedModel trial;
    Scores scores;
    double weight = 0;
};

std::vector<RankedModel> ranked(Dataset const& dataset, PartitionChoice const& choice, Criterion criterion);

std::vector<std::uint32_t> numbers(std::vector<PeId> const& pes);

}  // namespace regraft::phylo
