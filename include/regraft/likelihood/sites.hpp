// The sites of a partition, and what their characters mean.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "regraft/likelihood/model.hpp"

#pragma GCC visibility push(default)
namespace regraft::likelihood {

/// The patterns of one partition, or some of them.
struct Sites {
    std::vector<std::uint32_t> weights;  // per pattern: the number of its occurrences
    std::vector<std::string> rows;       // per tip: one character per pattern
    /// The correction if the partition has no constant sites because they were left out. left_out: as in ModelSpec, but
    /// on one rank only; empty on the others.
    Ascertainment ascertainment = Ascertainment::none;
    std::vector<std::uint32_t> left_out{};  // number of constant sites
    /// [pattern][state]: frequencies of each pattern, as for PMSF (Wang et al. 2018); empty: those of the model. Not
    /// together with an ascertainment, or with a model of several matrices or classes.
    std::vector<double> frequencies{};
    msa::SetCharacters sets{};  // as in msa::Alignment
};

/// The possible states of every character, as a mask; 0: the character must not occur.
using StateSets = std::array<std::uint64_t, 256>;

/// Where the likelihoods of sites that look alike below a node are computed only once. automatic: at nodes where that
/// halves the number at least; everywhere: at all nodes with such sites; off: nowhere.
enum class Repeats : std::uint8_t { automatic, everywhere, off };

}  // namespace regraft::likelihood
#pragma GCC visibility pop
