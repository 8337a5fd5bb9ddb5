// What the levels of compression mean.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/codec/columns.hpp"

namespace regraft::codec {

struct Level {
    Effort effort;                 // of coding columns
    std::uint32_t spr_radius;      // of the search for a tree
    std::uint32_t spr_rounds;      //
    std::uint32_t work_per_block;  // how many times as long as usual a block takes to decode
    std::size_t longest_modelled;  // longest text that is modelled as a whole, in bytes
    int zstd_level;                // of texts that are not
};

/// Precondition: fastest_level <= level <= best_level.
Level const& level(std::uint32_t number);

}  // namespace regraft::codec
