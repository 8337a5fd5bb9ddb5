// Sites that look alike in a subtree have the same likelihoods there, for all lengths and models (site repeats; Kobert,
// Flouri, Stamatakis 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "regraft/core/random.hpp"

namespace regraft::likelihood {

/// The different patterns below a node, numbered in the order in which sites first show them.
struct Classes {
    std::vector<std::uint32_t> of_site;
    std::vector<std::uint32_t> left;  // per class: the class of the left child
    std::vector<std::uint32_t> right;

    std::size_t size() const { return left.size(); }
};

/// Finds classes; its memory is used again.
class ClassFinder {
public:
    /// Finds a class for every pair (left(site), right(site)); none if there are more than `most` classes. left <
    /// num_left, right < num_right. Expected O(sites).
    template <class Left, class Right>
    std::optional<Classes> find(std::size_t num_sites, std::size_t most, Left left, Right right) {
        Classes classes;
        classes.of_site.reserve(num_sites);
        clear(most);
        for (std::size_t site = 0; site < num_sites; ++site) {
            std::uint32_t const a = left(site);
            std::uint32_t const b = right(site);
            auto& place = place_of(a, b, classes);
            if (place == none) {
                if (classes.size() == most) return std::nullopt;
                place = static_cast<std::uint32_t>(classes.size());
                classes.left.push_back(a);
                classes.right.push_back(b);
            }
            classes.of_site.push_back(place);
        }
        return classes;
    }

private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    void clear(std::size_t most) {
        std::size_t size = 64;
        while (size < 2 * most) size *= 2;
        table_.assign(size, none);
    }

    /// Linear probing.
    std::uint32_t& place_of(std::uint32_t a, std::uint32_t b, Classes const& classes) {
        auto at = mix(std::uint64_t{a} << 32 | b) & (table_.size() - 1);
        while (table_[at] != none && (classes.left[table_[at]] != a || classes.right[table_[at]] != b)) {
            at = (at + 1) & (table_.size() - 1);
        }
        return table_[at];
    }

    std::vector<std::uint32_t> table_;
};

}  // namespace regraft::likelihood
