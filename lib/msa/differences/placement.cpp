// Where a row costs least. The cost of a node is the number of differences between its genome and the row. A node is
// cheaper than its parent only if the edge above it has one of the row's own letters. So the best node is the root, or
// a node below such an edge, and these are found in an index. Costs are summed from the root down the paths to these
// edges.
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "msa/differences/growing_tree.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

constexpr std::uint32_t any_letter = 4;
constexpr std::uint32_t no_node = ~std::uint32_t{0};
constexpr std::int32_t unreachable = 1 << 30;

std::size_t this_thread() {
#ifdef _OPENMP
    return static_cast<std::size_t>(omp_get_thread_num());
#else
    return 0;
#endif
}

std::size_t num_threads() {
#ifdef _OPENMP
    return static_cast<std::size_t>(omp_get_max_threads());
#else
    return 1;
#endif
}

/// A mark of so many bits per index; all are forgotten at once.
template <class Word, int mark_bits>
class Marks {
public:
    explicit Marks(std::size_t size = 0) : marks_(size) {}
    void forget(std::size_t size) {
        marks_.resize(size);
        if (++stamp_ <= static_cast<Word>(~Word{0}) >> mark_bits) return;
        std::ranges::fill(marks_, 0);
        stamp_ = 1;
    }
    bool has(std::size_t i) const { return marks_[i] >> mark_bits == stamp_; }
    std::uint32_t get(std::size_t i) const {
        return static_cast<std::uint32_t>(marks_[i] & ((Word{1} << mark_bits) - 1));
    }
    void set(std::size_t i, std::uint32_t mark) { marks_[i] = stamp_ << mark_bits | mark; }

private:
    std::vector<Word> marks_;
    Word stamp_ = 1;
};
using LetterMarks = Marks<std::uint32_t, 3>;  // of sites
using NodeMarks = Marks<std::uint64_t, 32>;

/// A place in a tree: as a child of the node, or on the edge above it.
struct TreePlace {
    std::uint32_t node = 0;
    bool is_child = true;
    std::int32_t cost = 0;
};

/// A row, or the genome of a node: its letters where they are not those of the reference.
class Genome {
public:
    Genome(DifferenceRows const& rows, GrowingTree const& tree)
        : rows_(rows), tree_(tree), letters_(rows.num_sites()) {}

    void load_row(std::uint32_t row) {
        forget();
        for (auto const difference : rows_.differences[row]) add(difference.site(), difference.letter());
        for (auto const& run : rows_.runs[row])
            for (auto site = run.first; site < run.last(); ++site) letters_.set(site, any_letter);
    }
    void load_node(std::uint32_t node) {
        forget();
        for (; node != 0; node = tree_.parent[node])
            for (auto const change : tree_.changes[node])
                if (!letters_.has(change.site())) add(change.site(), change.to());
    }
    std::uint32_t letter(std::uint32_t site) const {
        return letters_.has(site) ? letters_.get(site) : rows_.reference[site];
    }
    /// The sites and letters where it is not the reference.
    std::span<SiteLetter const> differences() const { return differences_; }

    /// The changes that lead from a node to it.
    Changes changes_from(std::uint32_t node) {
        seen_.forget(rows_.num_sites());
        Changes changes;
        for (; node != 0; node = tree_.parent[node]) {
            for (auto const change : tree_.changes[node]) {
                if (seen_.has(change.site())) continue;
                seen_.set(change.site(), 1);
                auto const wanted = letter(change.site());
                if (wanted != any_letter && wanted != change.to())
                    changes.emplace_back(change.site(), change.to(), wanted);
            }
        }
        for (auto const& difference : differences_) {
            auto const site = difference.site();
            if (!seen_.has(site)) changes.emplace_back(site, rows_.reference[site], difference.letter());
        }
        std::ranges::sort(changes);
        return changes;
    }

private:
    void forget() {
        letters_.forget(rows_.num_sites());
        differences_.clear();
    }
    void add(std::uint32_t site, std::uint32_t letter) {
        letters_.set(site, letter);
        if (letter != rows_.reference[site]) differences_.push_back({site, letter});
    }

    DifferenceRows const& rows_;
    GrowingTree const& tree_;
    LetterMarks letters_;
    LetterMarks seen_;
    std::vector<SiteLetter> differences_;
};

class Searcher {
public:
    Searcher(DifferenceRows const& rows, GrowingTree const& tree, std::uint32_t most_hits)
        : genome(rows, tree), tree_(tree), most_hits_(most_hits) {}

    Genome genome;
    TreePlace best;

    /// Forgets costs. Nothing is placed below `excluded`.
    void begin(std::uint32_t excluded = no_node) {
        costs_.forget(tree_.size());
        auto const at_root = static_cast<std::int32_t>(genome.differences().size());
        costs_.set(0, static_cast<std::uint32_t>(at_root));
        if (excluded != no_node) costs_.set(excluded, unreachable);
        best = {0, true, at_root};
    }

    /// Finds the best place for the genome.
    void search(std::uint32_t excluded = no_node) {
        begin(excluded);
        lists_.clear();
        for (auto const& difference : genome.differences()) lists_.push_back(&tree_.nodes_having(difference));
        std::ranges::stable_sort(lists_, {}, [](auto const* list) { return list->size(); });
        std::size_t used = 0;
        for (auto const* const list : lists_) {
            if (used > 0 && used + list->size() > most_hits_) break;
            used += list->size();
            for (auto const node : *list) look_at(node);
        }
        // What the best place has and the genome has not may have changed back somewhere below.
        for (int round = 0; round < 2 && best.cost > 0; ++round) {
            auto const before = best.cost;
            look_for_changes_back(best.node);
            if (best.cost == before) break;
        }
    }

    /// Looks at a node and all nodes above it.
    void look_at(std::uint32_t node) {
        path_.clear();
        for (; !costs_.has(node); node = tree_.parent[node]) path_.push_back(node);
        auto cost = static_cast<std::int32_t>(costs_.get(node));
        for (; !path_.empty(); path_.pop_back()) {
            node = path_.back();
            if (cost < unreachable) cost = step(node, cost);
            costs_.set(node, static_cast<std::uint32_t>(cost));
        }
    }

private:
    static constexpr std::size_t most_changes_back = 64;

    /// The cost of a node from that of its parent.
    std::int32_t step(std::uint32_t node, std::int32_t above) {
        std::int32_t shared = 0;
        std::int32_t against = 0;
        for (auto const change : tree_.changes[node]) {
            auto const wanted = genome.letter(change.site());
            if (wanted == change.to()) ++shared;
            if (wanted == change.from()) ++against;
        }
        bool const is_child = against == 0 && !tree_.is_tip(node);
        if (shared > 0) consider({node, is_child, above - shared});
        return above - shared + against;
    }

    void consider(TreePlace const& place) {
        if (tree_.is_dead(place.node)) return;
        auto const rank = [](TreePlace const& p) { return std::tuple(p.cost, !p.is_child, p.node); };
        if (rank(place) < rank(best)) best = place;
    }

    void look_for_changes_back(std::uint32_t node) {
        for (; node != 0; node = tree_.parent[node]) {
            for (auto const change : tree_.changes[node]) {
                auto const wanted = genome.letter(change.site());
                if (wanted == any_letter || wanted == change.to()) continue;
                auto const& list = tree_.nodes_having({change.site(), wanted});
                if (list.size() > most_changes_back) continue;
                for (auto const below : list) look_at(below);
            }
        }
    }

    GrowingTree const& tree_;
    std::uint32_t most_hits_;
    NodeMarks costs_;
    std::vector<std::uint32_t> path_;
    std::vector<std::vector<std::uint32_t> const*> lists_;
};

/// The node below which the genome is to be at a place: the place's node, or a new one in the edge above it.
std::uint32_t open_place(GrowingTree& tree, TreePlace const& place, Genome const& genome) {
    auto const node = place.node;
    if (place.is_child && !tree.is_tip(node)) return node;
    Changes above;
    Changes below;
    for (auto const change : tree.changes[node]) {
        bool const is_shared = genome.letter(change.site()) == change.to();
        (is_shared ? above : below).push_back(change);
    }
    auto const parent = tree.parent[node];
    --tree.num_children[parent];
    auto const opened = tree.add_node(parent, std::move(above), no_row);
    tree.parent[node] = opened;
    ++tree.num_children[opened];
    tree.changes[node] = std::move(below);
    return opened;
}

class Placement {
public:
    Placement(DifferenceRows const& rows, GrowingTree tree, PlacementOptions const& options)
        : rows_(rows), options_(options), tree_(std::move(tree)), serial_(rows, tree_, options.most_hits) {
        for (std::size_t i = 0; i < num_threads(); ++i) searchers_.emplace_back(rows, tree_, options.most_hits);
    }

    /// Places all rows but the first ones, which the tree has.
    void place_all_but(std::uint32_t num_first) {
        auto const order = rows_in_order(num_first);
        std::vector<TreePlace> found;
        for (std::size_t begin = 0; begin < order.size();) {
            auto const num_placed = num_first + begin;
            auto const count = std::min(order.size() - begin, std::clamp<std::size_t>(num_placed / 8, 1, 2048));
            auto const batch = std::span(order).subspan(begin, count);
            found.resize(count);
#pragma omp parallel for schedule(dynamic, 16)
            for (std::size_t i = 0; i < count; ++i) {
                auto& searcher = searchers_[this_thread()];
                searcher.genome.load_row(batch[i]);
                searcher.search();
                found[i] = searcher.best;
            }
            auto const frozen = tree_.size();
            for (std::size_t i = 0; i < count; ++i) place(batch[i], found[i], frozen);
            begin += count;
            tell(0, begin, order.size());
        }
    }

    /// Prunes tips and subtrees with changes above them, and places them again. Returns whether any has moved.
    bool improve(std::uint32_t round) {
        auto const candidates = with_changes();
        bool has_moved = false;
        for (std::size_t begin = 0; begin < candidates.size();) {
            constexpr std::size_t batch_size = 8192;
            auto const batch = std::span(candidates).subspan(begin, std::min(batch_size, candidates.size() - begin));
            std::vector<char> is_worthwhile(batch.size());
#pragma omp parallel for schedule(dynamic, 64)
            for (std::size_t i = 0; i < batch.size(); ++i)
                is_worthwhile[i] = finds_better(searchers_[this_thread()], batch[i]) ? 1 : 0;
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (is_worthwhile[i] != 0 && move(batch[i])) has_moved = true;
            begin += batch.size();
            tell(1 + round, begin, candidates.size());
        }
        return has_moved;
    }

    PlacementTree finish() {
        return finished(std::move(tree_));
    }

private:
    /// The rows from `first` on: those with few differences and few cells in runs first.
    std::vector<std::uint32_t> rows_in_order(std::uint32_t first) const {
        constexpr std::uint64_t cells_like_a_difference = 200;
        std::vector<std::uint64_t> weight(rows_.num_taxa());
        for (std::size_t row = 0; row < weight.size(); ++row) {
            weight[row] = cells_like_a_difference * rows_.differences[row].size();
            for (auto const& run : rows_.runs[row]) weight[row] += run.size;
        }
        std::vector<std::uint32_t> order(rows_.num_taxa() - first);
        std::iota(order.begin(), order.end(), first);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return weight[row]; });
        return order;
    }

    /// Adds a row at the place that was found in a smaller tree, or at a better one that came since.
    void place(std::uint32_t row, TreePlace const& found, std::uint32_t frozen) {
        serial_.genome.load_row(row);
        serial_.begin();
        if (found.node != 0) {
            serial_.look_at(found.node);
            if (auto const parent = tree_.parent[found.node]; parent >= frozen) serial_.look_at(parent);
        }
        for (auto const& difference : serial_.genome.differences()) {
            auto const& list = tree_.nodes_having(difference);
            for (auto i = list.size(); i-- > 0 && list[i] >= frozen;) serial_.look_at(list[i]);
        }
        auto const above = open_place(tree_, serial_.best, serial_.genome);
        tree_.add_node(above, serial_.genome.changes_from(above), row);
    }

    /// The nodes below edges with changes, except tips with one change that no other node has.
    std::vector<std::uint32_t> with_changes() const {
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = 1; node < tree_.size(); ++node) {
            auto const& changes = tree_.changes[node];
            if (tree_.is_dead(node) || changes.empty()) continue;
            bool const is_alone = changes.size() == 1 && tree_.is_tip(node) &&
                                  tree_.nodes_having({changes[0].site(), changes[0].to()}).size() == 1;
            if (!is_alone) nodes.push_back(node);
        }
        return nodes;
    }

    bool finds_better(Searcher& searcher, std::uint32_t node) const {
        if (tree_.is_tip(node)) {
            searcher.genome.load_row(tree_.row[node]);
        } else {
            searcher.genome.load_node(node);
        }
        searcher.search(node);
        return searcher.best.cost < static_cast<std::int32_t>(tree_.changes[node].size());
    }

    bool move(std::uint32_t node) {
        if (tree_.is_dead(node) || !finds_better(serial_, node)) return false;
        if (!leave(node, serial_.best.node)) return false;
        auto const above = open_place(tree_, serial_.best, serial_.genome);
        tree_.set_changes(node, serial_.genome.changes_from(above));
        tree_.parent[node] = above;
        ++tree_.num_children[above];
        return true;
    }

    /// Takes a node from its parent. Not if that leaves the destination without children.
    bool leave(std::uint32_t node, std::uint32_t destination) {
        auto const first = tree_.parent[node];
        for (auto at = first; at != 0 && tree_.num_children[at] == 1; at = tree_.parent[at])
            if (at == destination) return false;
        for (auto at = first; --tree_.num_children[at] == 0 && at != 0;) at = tree_.parent[at];
        return true;
    }

    /// Tells which part is done: of placing the rows (pass 0), or of a pass that moves them.
    void tell(std::uint32_t pass, std::size_t done, std::size_t all) const {
        auto const part = static_cast<double>(done) / static_cast<double>(all);
        options_.reached((pass + part) / (1 + options_.rounds));
    }

    DifferenceRows const& rows_;
    PlacementOptions const& options_;
    GrowingTree tree_;
    Searcher serial_;
    std::vector<Searcher> searchers_;  // one per thread
};

}  // namespace

PlacementTree placement_tree(DifferenceRows const& rows, PlacementOptions const& options) {
    PlacementTree const root{.parent = {0}, .row = {no_row}, .changes = {.offsets = {0, 0}, .values = {}}};
    return extended_tree(root, rows, options);
}

PlacementTree extended_tree(PlacementTree const& tree, DifferenceRows const& rows, PlacementOptions const& options) {
    auto const num_inner = static_cast<std::uint32_t>(std::ranges::count(tree.row, no_row));
    auto const num_tips = tree.num_nodes() - num_inner;
    REGRAFT_EXPECTS(rows.num_taxa() > 0 && num_tips <= rows.num_taxa());
    Placement placement(rows, GrowingTree(tree, rows.reference), options);
    placement.place_all_but(num_tips);
    for (std::uint32_t round = 0; round < options.rounds && placement.improve(round); ++round) continue;
    return placement.finish();
}

}  // namespace regraft::msa
