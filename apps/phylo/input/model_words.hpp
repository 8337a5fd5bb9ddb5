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

/// A model that is to be chosen.
struct ModelToChoose {
    std::string_view begin;     // the model with which the choice begins; empty: the characters decide
    std::string ascertainment;  // the suffix of all candidates, such as +ASC_LEWIS; empty: none
};

/// What the word of a model that is to be chosen stands for: DNA begins with a model of DNA, AA and PROT with one of
/// amino acids, and `auto` and IQ-TREE's words such as MFP with any. None for other words. Throws InputError for such a
/// word with a suffix that is no ascertainment.
std::optional<ModelToChoose> model_to_choose(std::string_view word);
/// Whether the word is such a word, whatever its suffix.
bool is_to_be_chosen(std::string_view word);

/// The text with capital letters.
std::string upper_case(std::string_view text);

/// Whether a word of a partition file is a model or one that is to be chosen.
bool is_model(std::string_view word);

/// The model with the number of states in its name, which IQ-TREE finds in the data: MK+G is MULTI4_MK+G if the last
/// state that occurs is 3. Other models stay as they are.
std::string with_states(std::string_view model, std::function<msa::Histogram()> const& histogram,
                        msa::SetCharacters const& sets);

/// Makes scalers (+B) of the lengths of the partitions' trees, whose mean over all sites is then 1. Leaves partitions
/// as they are, and returns false, if one has no length, or has a scaler or no model yet. site_weights: empty if all
/// are 1.
bool scale_by_lengths(std::span<msa::PartitionSpec> partitions, std::span<std::uint32_t const> site_weights);

}  // namespace regraft::phylo
