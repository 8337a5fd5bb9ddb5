// A placement tree while rows are added to it and subtrees move.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "msa/differences/letters_on_path.hpp"
#include "regraft/msa/placement_tree.hpp"

namespace regraft::msa {

/// A change of a letter on an edge.
class Change {
public:
    Change(std::uint32_t site, std::uint32_t from, std::uint32_t to) : bits_(site << 4 | from << 2 | to) {}
    std::uint32_t site() const { return bits_ >> 4; }
    std::uint32_t from() const { return bits_ >> 2 & 3; }
    std::uint32_t to() const { return bits_ & 3; }
    friend auto operator<=>(Change, Change) = default;

private:
    std::uint32_t bits_;
};
using Changes = std::vector<Change>;

/// Nodes are numbered as they are made; the root is node 0. A node that has lost its last child is dead.
class GrowingTree {
public:
    explicit GrowingTree(std::size_t num_sites) : place_of_(num_sites), nodes_with_(4) {
        add_node(0, {}, no_row);
        num_children[0] = 0;
    }

    /// A finished tree, to go on from.
    GrowingTree(PlacementTree const& tree, std::span<std::uint8_t const> reference) : GrowingTree(reference.size()) {
        LettersOnPath letters(tree.parent, reference);
        for (std::uint32_t node = 1; node < tree.num_nodes(); ++node) {
            letters.go_above(node);
            Changes on_edge;
            for (auto const& change : tree.changes[node]) {
                on_edge.emplace_back(change.site(), letters.at(change.site()), change.letter());
                letters.change(change.site(), change.letter());
            }
            add_node(tree.parent[node], std::move(on_edge), tree.row[node]);
        }
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
    bool is_tip(std::uint32_t node) const { return row[node] != no_row; }
    bool is_dead(std::uint32_t node) const { return node != 0 && !is_tip(node) && num_children[node] == 0; }

    std::uint32_t add_node(std::uint32_t above, Changes on_edge, std::uint32_t row_of_node) {
        auto const node = size();
        parent.push_back(above);
        row.push_back(row_of_node);
        num_children.push_back(0);
        ++num_children[above];
        changes.emplace_back();
        set_changes(node, std::move(on_edge));
        return node;
    }
    /// Nodes that had a change to this letter at this site when they were made or moved.
    std::vector<std::uint32_t> const& nodes_having(SiteLetter const& there) const {
        return nodes_with_[4 * std::size_t{place_of_[there.site()]} + there.letter()];
    }
    void set_changes(std::uint32_t node, Changes on_edge) {
        for (auto const change : on_edge) nodes_at(change.site())[change.to()].push_back(node);
        changes[node] = std::move(on_edge);
    }

    std::vector<std::uint32_t> parent;
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> num_children;
    std::vector<Changes> changes;  // on the edge above a node, by site

private:
    /// For each letter, the nodes that have a change to it at the site.
    std::vector<std::uint32_t>* nodes_at(std::uint32_t site) {
        auto& place = place_of_[site];
        if (place == 0) {
            place = static_cast<std::uint32_t>(nodes_with_.size() / 4);
            nodes_with_.resize(nodes_with_.size() + 4);
        }
        return nodes_with_.data() + 4 * std::size_t{place};
    }

    // At most sites of a long alignment nothing changes. They share place 0, where no node is.
    std::vector<std::uint32_t> place_of_;
    std::vector<std::vector<std::uint32_t>> nodes_with_;  // by 4 * place + letter
};

/// Makes the nodes without use disappear, and numbers the others as a PlacementTree has them.
PlacementTree finished(GrowingTree tree);

}  // namespace regraft::msa
