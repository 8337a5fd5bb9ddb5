// What is known of the symbols of an alignment and of their tables before a model is read
// (docs/alignments/file-format.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/frequency_table.hpp"

namespace regraft::codec {

/// What the residues are; the values are those of the format.
enum class Residues : std::uint8_t { nucleotides, amino_acids, others };

/// The kind to which the first ones belong.
Residues kind_of(std::span<std::uint8_t const> residues);

/// All characters, the likely residues first.
std::array<std::uint8_t, 256> expected_residues(Residues kind);

/// The expected frequencies of the residues.
TableCodes expected_frequencies(Residues kind, std::span<std::uint8_t const> residues);
/// The expected frequencies of the residues to which one of them changes.
TableCodes expected_changes(Residues kind, std::span<std::uint8_t const> residues, std::uint32_t from);

/// The expected symbols of numbers up to `most`, which are distributed geometrically: their mean grows with the shape.
/// Other symbols are absent, except for the last one, which stands for no number.
inline constexpr std::uint32_t shape_bits = 4;
TableCodes expected_numbers(std::uint32_t shape, std::uint32_t most);

}  // namespace regraft::codec
