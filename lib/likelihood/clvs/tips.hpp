// The rows of the tips: the states that each tip may have at each site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "likelihood/clvs/packed_numbers.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "regraft/likelihood/sites.hpp"

namespace regraft::likelihood {

/// What each of `count` sites, or classes of sites, shows: a mask of states or the number of a class.
struct Codes {
    std::uint8_t const* masks = nullptr;
    std::uint32_t const* classes = nullptr;  // unless there are masks
    PackedNumbers const* packed = nullptr;   // the same, packed
    std::size_t count = 0;
};

/// The rows of all tips: masks of their state sets, or classes, which are numbers of these sets. Undetermined sites
/// fill the last block, so that no special cases are needed.
class Tips {
public:
    /// num_constant: number of patterns in front of the sites, the i-th of which has the state i at every tip.
    Tips(std::uint32_t num_states, StateSets const& sets, Sites const& sites, std::size_t num_constant);

    /// The number of sites. Constant patterns count as sites.
    std::size_t num_sites() const { return num_sites_; }
    /// Their number with those that fill the last block.
    std::size_t padded_sites() const { return padded_sites_; }
    std::size_t num_blocks() const { return padded_sites_ / kernels::block_sites; }

    bool have_masks() const { return !masks_.empty(); }
    /// The codes of all sites.
    Codes codes(std::size_t tip) const {
        if (have_masks()) return {.masks = &masks_[tip * padded_sites_], .count = padded_sites_};
        return {.classes = &classes_[tip * padded_sites_], .count = padded_sites_};
    }
    std::uint32_t code(std::size_t tip, std::size_t site) const {
        return have_masks() ? masks_[tip * padded_sites_ + site] : classes_[tip * padded_sites_ + site];
    }
    /// The state sets of the classes.
    std::span<std::uint64_t const> sets() const { return sets_; }

    /// Per site, filled up with 0: the states that all tips may have. O(tips * sites).
    std::vector<std::uint64_t> common_sets() const;

private:
    template <class Code, class CodeOf>
    void fill(Sites const& sites, StateSets const& sets, std::vector<Code>& codes, CodeOf code_of) const;
    std::uint32_t class_of(std::uint64_t set);
    std::uint64_t set(std::size_t tip, std::size_t site) const {
        return have_masks() ? masks_[tip * padded_sites_ + site] : sets_[classes_[tip * padded_sites_ + site]];
    }

    std::uint64_t all_;  // the set of all states
    std::size_t num_tips_;
    std::size_t num_constant_;
    std::size_t num_sites_;
    std::size_t padded_sites_;
    std::vector<std::uint64_t> sets_;
    std::vector<std::uint8_t> masks_;
    std::vector<std::uint32_t> classes_;
};

}  // namespace regraft::likelihood
