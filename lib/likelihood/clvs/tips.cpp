#include "likelihood/clvs/tips.hpp"

#include <algorithm>

#include "regraft/core/contracts.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::likelihood {

Tips::Tips(std::uint32_t num_states, StateSets const& sets, Sites const& sites, std::size_t num_constant)
    : all_(msa::all_states(num_states)),
      num_tips_(sites.rows.size()),
      num_constant_(num_constant),
      num_sites_(num_constant + sites.weights.size()),
      padded_sites_(kernels::padded(num_sites_)) {
    if (kernels::has_masks(num_states)) {
        masks_.assign(num_tips_ * padded_sites_, static_cast<std::uint8_t>(all_));
        fill(sites, sets, masks_, [](std::uint64_t set) { return static_cast<std::uint8_t>(set); });
    } else {
        classes_.assign(num_tips_ * padded_sites_, class_of(all_));
        fill(sites, sets, classes_, [&](std::uint64_t set) { return class_of(set); });
    }
}

template <class Code, class CodeOf>
void Tips::fill(Sites const& sites, StateSets const& sets, std::vector<Code>& codes, CodeOf code_of) const {
    for (std::size_t tip = 0; tip < num_tips_; ++tip) {
        REGRAFT_EXPECTS(sites.rows[tip].size() == sites.weights.size());
        auto next = codes.begin() + static_cast<std::ptrdiff_t>(tip * padded_sites_);
        for (std::size_t state = 0; state < num_constant_; ++state) *next++ = code_of(std::uint64_t{1} << state);
        for (auto const character : sites.rows[tip]) {
            auto const set = sets[static_cast<unsigned char>(character)];
            REGRAFT_EXPECTS(set != 0);
            *next++ = code_of(set);
        }
    }
}

std::uint32_t Tips::class_of(std::uint64_t set) {
    auto const known = std::find(sets_.begin(), sets_.end(), set);
    auto const number = static_cast<std::uint32_t>(known - sets_.begin());
    if (known == sets_.end()) sets_.push_back(set);
    return number;
}

std::vector<std::uint64_t> Tips::common_sets() const {
    std::vector<std::uint64_t> common(padded_sites_, 0);
    std::fill_n(common.begin(), num_sites_, all_);
    for (std::size_t tip = 0; tip < num_tips_; ++tip) {
        for (std::size_t i = 0; i < num_sites_; ++i) common[i] &= set(tip, i);
    }
    return common;
}

}  // namespace regraft::likelihood
