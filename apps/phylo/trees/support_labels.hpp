// Supports of edges in the form in which files of trees have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace regraft::phylo {

enum class SupportForm : std::uint8_t {
    percent,   // "97"
    fraction,  // "0.9713"
};

/// A label for each support, from 0 to 1; an empty text for NaN.
std::vector<std::string> support_labels(std::span<double const> supports, SupportForm form);

}  // namespace regraft::phylo
