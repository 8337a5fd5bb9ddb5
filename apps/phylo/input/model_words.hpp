// Words for models, and lengths of trees, that a partition file of another program may have.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "regraft/msa/characters.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::phylo {

/// The model with which a choice begins that the word stands for: one of DNA for DNA, of amino acids for AA and PROT,
/// and an empty one for `auto` and IQ-TREE's words such as MFP, where the characters decide. None for other words.
std::optional<std::string_view> choice_of(std::string_view word);

/// Whether a word of a partition file is a model or one that is to be chosen.
bool is_model(std::string_view word);

/// The model with the number of states in its name, which IQ-TREE finds in the data: MK+G is MULTI4_MK+G if the last
/// state that occurs is 3. Other models stay as they are.
std::string with_states(std::string_view model, std::function<msa::Histogram()> const& histogram);

/// Makes scalers (+B) of the lengths of the partitions' trees, whose mean over all sites is then 1. Leaves partitions
/// as they are, and returns false, if one has no length, or has a scaler or no model yet. site_weights: empty if all
/// are 1.
bool scale_by_lengths(std::span<msa::PartitionSpec> partitions, std::span<std::uint32_t const> site_weights);

}  // namespace regraft::phylo
