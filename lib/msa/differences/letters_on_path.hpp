// The letters of a node while a tree is walked in pre-order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa {

/// The letters at all sites: those of the reference, changed on the edges from the root to a node.
class LettersOnPath {
public:
    /// parent: per node, in pre-order.
    LettersOnPath(std::span<std::uint32_t const> parent, std::span<std::uint8_t const> reference)
        : parent_(parent), letters_(reference.begin(), reference.end()) {}

    /// Goes to the edge above a node, where its parent's letters are. Nodes come in pre-order.
    void go_above(std::uint32_t node) {
        for (; !open_.empty() && open_.back().node != parent_[node]; open_.pop_back()) {
            for (; before_.size() > open_.back().begin; before_.pop_back())
                letters_[before_.back().site()] = static_cast<std::uint8_t>(before_.back().letter());
        }
        open_.push_back({node, before_.size()});
    }
    /// The number of the letter at a site, with all changes so far.
    std::uint32_t at(std::uint32_t site) const { return letters_[site]; }
    /// Changes a letter on the edge above the node.
    void change(std::uint32_t site, std::uint32_t letter) {
        before_.emplace_back(site, letters_[site]);
        letters_[site] = static_cast<std::uint8_t>(letter);
    }

private:
    struct Open {
        std::uint32_t node;
        std::size_t begin;  // of its changes in before_
    };
    std::span<std::uint32_t const> parent_;
    std::vector<std::uint8_t> letters_;
    std::vector<SiteLetter> before_;  // what the changes of open nodes have replaced
    std::vector<Open> open_;          // from the root to the node
};

}  // namespace regraft::msa
