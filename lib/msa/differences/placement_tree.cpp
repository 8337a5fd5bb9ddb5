#include "regraft/msa/placement_tree.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "msa/differences/growing_tree.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"

namespace regraft::msa {
namespace {

/// The changes of an edge and of one below it, as those of a single edge.
Changes joined(Changes const& above, Changes const& below) {
    Changes all;
    auto a = above.begin();
    for (auto const change : below) {
        for (; a != above.end() && a->site() < change.site(); ++a) all.push_back(*a);
        bool const has_same_site = a != above.end() && a->site() == change.site();
        auto const from = has_same_site ? (a++)->from() : change.from();
        if (from != change.to()) all.emplace_back(change.site(), from, change.to());
    }
    all.insert(all.end(), a, above.end());
    return all;
}

class Finisher {
public:
    explicit Finisher(GrowingTree tree)
        : tree_(std::move(tree)), children_(tree_.size()), lowest_row_(tree_.size(), no_row) {
        for (std::uint32_t node = 1; node < tree_.size(); ++node)
            if (!tree_.is_dead(node)) children_[tree_.parent[node]].push_back(node);
    }

    PlacementTree finish() {
        auto const order = pre_order();
        for (auto i = order.size(); i-- > 0;) tidy(order[i]);
        for (auto& siblings : children_)
            std::ranges::sort(siblings, {},
                              [&](std::uint32_t node) { return std::tuple(group(node), lowest_row_[node]); });
        PlacementTree result;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{
            {0, 0}};  // nodes, and the new numbers of their parents
        while (!stack.empty()) {
            auto const [node, parent] = stack.back();
            stack.pop_back();
            auto const number = result.num_nodes();
            result.parent.push_back(parent);
            result.row.push_back(tree_.row[node]);
            for (auto const change : tree_.changes[node]) result.changes.push_value({change.site(), change.to()});
            result.changes.end_row();
            auto const& below = children_[node];
            for (auto i = below.size(); i-- > 0;) stack.emplace_back(below[i], number);
        }
        return result;
    }

private:
    std::vector<std::uint32_t> pre_order() const {
        std::vector<std::uint32_t> order{0};
        for (std::size_t i = 0; i < order.size(); ++i)
            order.insert(order.end(), children_[order[i]].begin(), children_[order[i]].end());
        return order;
    }

    int group(std::uint32_t node) const { return !tree_.is_tip(node) ? 2 : tree_.changes[node].empty() ? 0 : 1; }

    /// Takes the place of children without use. Those below it are tidy.
    void tidy(std::uint32_t node) {
        if (tree_.is_tip(node)) {
            lowest_row_[node] = tree_.row[node];
            return;
        }
        std::vector<std::uint32_t> below;
        for (auto const child : children_[node]) {
            bool const is_useless = !tree_.is_tip(child) && (tree_.changes[child].empty() || children_[child].empty());
            if (is_useless) {
                below.insert(below.end(), children_[child].begin(), children_[child].end());
            } else {
                below.push_back(child);
            }
        }
        if (below.size() == 1 && node != 0) {
            auto const only = below[0];
            tree_.changes[node] = joined(tree_.changes[node], tree_.changes[only]);
            tree_.row[node] = tree_.row[only];
            below = children_[only];
        }
        if (tree_.is_tip(node)) lowest_row_[node] = tree_.row[node];
        for (auto const child : below) lowest_row_[node] = std::min(lowest_row_[node], lowest_row_[child]);
        children_[node] = std::move(below);
    }

    GrowingTree tree_;
    std::vector<std::vector<std::uint32_t>> children_;
    std::vector<std::uint32_t> lowest_row_;  // below a node
};

/// The letters on the way from the root to a node, where they are not those of the reference.
class Path {
public:
    explicit Path(std::span<std::uint8_t const> reference) : reference_(reference) {}

    void go_down(std::span<SiteLetter const> changes) {
        begins_.push_back(before_.size());
        for (auto const& change : changes) {
            auto const found = find(change.site());
            bool const is_there = found != letters_.end() && found->site() == change.site();
            before_.emplace_back(change.site(), is_there ? found->letter() : reference_[change.site()]);
            set(change);
        }
    }
    void go_up() {
        for (auto const begin = begins_.back(); before_.size() > begin; before_.pop_back()) set(before_.back());
        begins_.pop_back();
    }
    std::size_t depth() const { return begins_.size(); }
    /// Appends the letters, except in runs.
    void append(Csr<SiteLetter>& rows, std::span<CharacterRun const> runs) const {
        for (auto const& letter : letters_) {
            while (!runs.empty() && runs.front().last() <= letter.site()) runs = runs.subspan(1);
            if (runs.empty() || letter.site() < runs.front().first) rows.push_value(letter);
        }
        rows.end_row();
    }

private:
    std::vector<SiteLetter>::iterator find(std::uint32_t site) {
        return std::ranges::lower_bound(letters_, site, {}, &SiteLetter::site);
    }
    void set(SiteLetter const& letter) {
        auto const place = find(letter.site());
        bool const is_there = place != letters_.end() && place->site() == letter.site();
        bool const is_wanted = letter.letter() != reference_[letter.site()];
        if (is_there && is_wanted) *place = letter;
        if (is_there && !is_wanted) letters_.erase(place);
        if (!is_there && is_wanted) letters_.insert(place, letter);
    }

    std::span<std::uint8_t const> reference_;
    std::vector<SiteLetter> letters_;  // by site
    std::vector<SiteLetter> before_;   // what go_down has replaced
    std::vector<std::size_t> begins_;  // in before_, by depth
};

}  // namespace

PlacementTree finished(GrowingTree tree) {
    return Finisher(std::move(tree)).finish();
}

std::string to_newick(PlacementTree const& tree, std::span<std::string const> names) {
    bool const has_two_children = std::ranges::count(std::span(tree.parent).subspan(1), 0U) > 1;
    std::string text;
    std::vector<std::uint32_t> open;  // inner nodes above the current one
    for (std::uint32_t node = has_two_children ? 0 : 1; node < tree.num_nodes(); ++node) {
        for (; !open.empty() && open.back() != tree.parent[node]; open.pop_back()) text += ')';
        if (!text.empty() && text.back() != '(') text += ',';
        if (tree.is_tip(node)) {
            text += newick_label(names[tree.row[node]]);
        } else {
            text += '(';
            open.push_back(node);
        }
    }
    return text.append(open.size(), ')') + ';';
}

Csr<SiteLetter> differences_of(PlacementTree const& tree, std::span<std::uint8_t const> reference,
                               CsrView<CharacterRun> runs, std::uint64_t most) {
    Path path(reference);
    Csr<SiteLetter> by_tip;
    std::vector<std::uint32_t> tip_of_row(runs.size());
    std::vector<std::uint32_t> open;  // the nodes on the path
    for (std::uint32_t node = 0; node < tree.num_nodes(); ++node) {
        for (; !open.empty() && open.back() != tree.parent[node]; open.pop_back()) path.go_up();
        path.go_down(tree.changes[node]);
        open.push_back(node);
        if (!tree.is_tip(node)) continue;
        REGRAFT_ASSERT(tree.row[node] < runs.size());
        tip_of_row[tree.row[node]] = static_cast<std::uint32_t>(by_tip.size());
        path.append(by_tip, runs[tree.row[node]]);
        if (by_tip.values.size() > most) throw InputError("has more differences than its size justifies");
    }
    Csr<SiteLetter> by_row;
    by_row.values.reserve(by_tip.values.size());
    for (auto const tip : tip_of_row) by_row.push_row(by_tip[tip]);
    return by_row;
}

std::vector<SiteLetter> letters_at(PlacementTree const& tree, std::uint32_t tip,
                                   std::span<std::uint8_t const> reference, std::span<CharacterRun const> runs) {
    std::map<std::uint32_t, std::uint32_t> letters;  // by site; the change next to the tip counts
    for (auto node = tip; node != 0; node = tree.parent[node])
        for (auto const& change : tree.changes[node]) letters.emplace(change.site(), change.letter());
    std::vector<SiteLetter> result;
    for (auto const& [site, letter] : letters) {
        while (!runs.empty() && runs.front().last() <= site) runs = runs.subspan(1);
        bool const is_in_run = !runs.empty() && runs.front().first <= site;
        if (!is_in_run && letter != reference[site]) result.emplace_back(site, letter);
    }
    return result;
}

}  // namespace regraft::msa
