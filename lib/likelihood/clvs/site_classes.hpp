// Which sites look alike below the inner half-edges. It follows from the topology alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "likelihood/clvs/packed_numbers.hpp"
#include "likelihood/clvs/repeats.hpp"
#include "likelihood/clvs/tips.hpp"
#include "regraft/likelihood/sites.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// The largest number of classes that pays for this number of sites.
std::size_t most_classes(Repeats repeats, std::size_t num_sites);

/// The classes of sites that half-edges see. Where they are few, the likelihoods are those of the classes.
class SiteClasses {
public:
    /// Keeps views of the tree and the tips. most: more classes than these are not few.
    SiteClasses(msa::Tree const& tree, Tips const& tips, std::size_t most)
        : tree_(&tree), tips_(&tips), most_(most), seen_(tree.num_half_edges()) {}

    std::size_t most() const { return most_; }
    /// The largest number of bytes that classes take, and the memory of the search for them.
    static std::uint64_t bytes(std::uint32_t num_tips, std::size_t num_sites, std::size_t most);

    /// Forgets what h sees. Returns whether it was known.
    bool forget(msa::HalfEdge h) { return std::exchange(seen_[h].known, Known::nothing) != Known::nothing; }
    /// Whether the inner h sees few classes. Its children must have been asked before.
    bool are_few(msa::HalfEdge h) {
        if (seen_[h].known == Known::nothing) find(h);
        return seen_[h].known == Known::few_classes;
    }
    /// Whether h's likelihoods are those of all sites; those of tips never are.
    bool has_all_sites(msa::HalfEdge h) const { return !tree_->is_tip(h) && seen_[h].known != Known::few_classes; }

    /// What all sites show at h. Precondition: h is a tip or sees few classes.
    Codes of_sites(msa::HalfEdge h) const {
        if (tree_->is_tip(h)) return tips_->codes(h);
        return {.packed = &seen_[h].of_site, .count = seen_[h].of_site.size()};
    }
    /// What the classes of h, which are few, show at its left child (0) or its right one (1).
    Codes of_classes(msa::HalfEdge h, std::size_t child) const {
        auto const& shown = seen_[h].shown[child];
        return {.masks = shown.masks.empty() ? nullptr : shown.masks.data(),
                .packed = shown.classes.empty() ? nullptr : &shown.classes,
                .count = shown.size()};
    }
    /// The number of h's classes with those that fill the last block; 0 for a tip.
    std::size_t number(msa::HalfEdge h) const { return tree_->is_tip(h) ? 0 : seen_[h].shown[0].size(); }

private:
    enum class Known : std::uint8_t { nothing, few_classes, many_classes };

    /// Per class, filled up to whole blocks: the masks or classes of a child.
    struct Shown {
        std::vector<std::uint8_t> masks;
        PackedNumbers classes;  // unless there are masks
        std::size_t size() const { return masks.size() + classes.size(); }
    };
    struct Seen {
        Known known = Known::nothing;
        std::size_t num_classes = 0;
        PackedNumbers of_site;       // the class of each site, filled up to whole blocks
        std::array<Shown, 2> shown;  // by the left and by the right child
    };

    void find(msa::HalfEdge h);
    void read(msa::HalfEdge child, std::vector<std::uint32_t>& codes) const;
    std::size_t num_codes(msa::HalfEdge child) const;
    Shown shown(std::vector<std::uint32_t> const& codes, msa::HalfEdge child) const;

    msa::Tree const* tree_;
    Tips const* tips_;
    std::size_t most_;
    std::vector<Seen> seen_;  // per half-edge
    ClassFinder finder_;
    std::array<std::vector<std::uint32_t>, 2> codes_;  // of the sites at two children; memory that is used again
};

}  // namespace regraft::likelihood
