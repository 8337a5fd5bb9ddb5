#include "trees/support_labels.hpp"

#include <cmath>

#include <fmt/format.h>

namespace regraft::phylo {

std::vector<std::string> support_labels(std::span<double const> supports, SupportForm form) {
    std::vector<std::string> labels;
    for (auto const support : supports) {
        auto& label = labels.emplace_back();
        if (std::isnan(support)) continue;
        label = form == SupportForm::percent ? fmt::format("{:.0f}", std::round(100 * support))
                                             : fmt::format("{:.4f}", support);
    }
    return labels;
}

}  // namespace regraft::phylo
