// The four letters of difference rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "regraft/msa/characters.hpp"

namespace regraft::msa {

/// Numbers of letters are 0 to 3; this is the number of all other characters.
constexpr std::uint8_t no_letter = 4;

/// The four letters that most cells have: in upper or lower case, T or U.
inline std::string_view most_frequent_letters(Histogram const& count) {
    auto const sum = [&](std::string_view letters) {
        std::uint64_t all = 0;
        for (char const c : letters) all += count[static_cast<unsigned char>(c)];
        return all;
    };
    std::string_view best;
    for (std::string_view const letters : {"ACGT", "acgt", "ACGU", "acgu"})
        if (best.empty() || sum(letters) > sum(best)) best = letters;
    return best;
}

}  // namespace regraft::msa
