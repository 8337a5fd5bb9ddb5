// What the levels of compression mean: higher ones make smaller files, lower ones take less time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/codec/columns.hpp"

namespace regraft::msa_cli {

inline constexpr std::uint32_t fastest_level = 1;
inline constexpr std::uint32_t usual_level = 6;
inline constexpr std::uint32_t best_level = 9;

struct Level {
    codec::Effort effort;          // of coding columns
    std::uint32_t spr_radius;      // of the search for a tree
    std::uint32_t spr_rounds;      //
    std::uint32_t work_per_block;  // how many times as long as usual a block takes to decode
    std::size_t longest_modelled;  // longest text that is modelled as a whole, in bytes
    int zstd_level;                // of texts that are not
};

/// Precondition: fastest_level <= level <= best_level.
Level const& level(std::uint32_t number);

}  // namespace regraft::msa_cli
