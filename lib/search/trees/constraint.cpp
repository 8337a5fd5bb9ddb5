#include "regraft/search/constraint.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

/// A tree that is built by joining parts of it. A part is represented by its half-edge without an edge.
class Joining {
public:
    explicit Joining(std::uint32_t num_tips) : tree_(num_tips), next_inner_(num_tips) {}

    /// Joins parts, two random ones at a time, until `count` are left.
    std::vector<HalfEdge> join(std::vector<HalfEdge> parts, std::size_t count, Random& random) {
        while (parts.size() > count) {
            auto const h = tree_.half_edge(next_inner_++);
            tree_.connect(tree_.next(h), take(parts, random));
            tree_.connect(tree_.next(tree_.next(h)), take(parts, random));
            parts.push_back(h);
        }
        return parts;
    }

    /// Joins the last two parts to one tree.
    void close(HalfEdge a, HalfEdge b) {
        tree_.connect(a, b);
        edges_ = tree_.edges();
    }

    /// Adds a tip at a random edge of the closed tree.
    void add(std::uint32_t tip, Random& random) {
        auto const h = tree_.half_edge(next_inner_++);
        auto const edge = edges_[random.below(edges_.size())];
        tree_.connect(h, tip);
        tree_.regraft(h, edge);
        // `edge` is now the part at its own side.
        edges_.insert(edges_.end(), {tip, tree_.next(tree_.next(h))});
    }

    Tree take() {
        for (auto edge : tree_.edges()) tree_.set_length(edge, Tree::default_length);
        return std::move(tree_);
    }

private:
    static HalfEdge take(std::vector<HalfEdge>& parts, Random& random) {
        std::swap(parts[random.below(parts.size())], parts.back());
        auto const part = parts.back();
        parts.pop_back();
        return part;
    }

    Tree tree_;
    msa::Node next_inner_;
    std::vector<HalfEdge> edges_;
};

}  // namespace

Constraint::Constraint(std::uint32_t num_tips, std::vector<std::uint32_t> tips,
                       std::vector<std::vector<std::uint32_t>> groups)
    : num_tips_(num_tips), tips_(std::move(tips)), groups_(std::move(groups)), tip_hashes_(num_tips) {
    for (auto tip : tips_) {
        REGRAFT_EXPECTS(tip < num_tips && tip_hashes_[tip] == 0);
        tip_hashes_[tip] = mix(tip + std::uint64_t{1});
        all_ ^= tip_hashes_[tip];
    }
    for (auto& group : groups_) {
        if (std::find(group.begin(), group.end(), tips_.front()) == group.end()) continue;
        std::vector<bool> is_in(num_tips);
        for (auto tip : group) is_in[tip] = true;
        group.clear();
        std::copy_if(tips_.begin(), tips_.end(), std::back_inserter(group), [&](auto tip) { return !is_in[tip]; });
    }
    std::erase_if(groups_, [&](auto const& group) { return group.size() < 2 || group.size() + 1 >= tips_.size(); });
    std::stable_sort(groups_.begin(), groups_.end(), [](auto const& x, auto const& y) { return x.size() < y.size(); });
    for (auto const& group : groups_) {
        std::uint64_t hash = 0;
        for (auto tip : group) hash ^= tip_hashes_[tip];
        splits_.insert(split(hash));
    }
}

void Constraint::write(ByteWriter& out) const {
    out.put_all(std::span(tips_));
    for (auto const& group : groups_) out.put_all(std::span(group));
}

std::uint64_t Constraint::split(std::uint64_t hash) const {
    return std::min(hash, hash ^ all_);
}

std::vector<std::uint64_t> Constraint::hashes(Tree const& tree) const {
    REGRAFT_EXPECTS(tree.num_tips() == num_tips_);
    std::vector<std::uint64_t> result(tree.num_half_edges());
    for (auto h : msa::postorder(tree, tree.back(0))) {
        if (tree.is_tip(h)) result[h] = tip_hashes_[h];
        for (auto g = tree.next(h); g != h; g = tree.next(g)) result[h] ^= result[tree.back(g)];
        result[tree.back(h)] = all_ ^ result[h];
    }
    return result;
}

bool Constraint::allows(Tree const& tree) const {
    std::unordered_set<std::uint64_t> found;
    for (auto hash : hashes(tree)) {
        if (splits_.contains(split(hash))) found.insert(split(hash));
    }
    return found.size() == splits_.size();
}

Tree Constraint::random_tree(std::uint64_t seed) const {
    if (tips_.size() < 2) return msa::random_tree(num_tips_, seed);
    Random random(seed);
    Joining joining(num_tips_);
    std::vector<HalfEdge> part_of(num_tips_);  // the part that contains a tip
    std::iota(part_of.begin(), part_of.end(), HalfEdge{0});
    auto const parts_of = [&](std::vector<std::uint32_t> const& tips) {
        std::vector<HalfEdge> parts;
        for (auto tip : tips) parts.push_back(part_of[tip]);
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        return parts;
    };
    for (auto const& group : groups_) {
        auto const joined = joining.join(parts_of(group), 1, random);
        for (auto tip : group) part_of[tip] = joined.front();
    }
    auto const last = joining.join(parts_of(tips_), 2, random);
    joining.close(last[0], last[1]);
    for (std::uint32_t tip = 0; tip < num_tips_; ++tip) {
        if (tip_hashes_[tip] == 0) joining.add(tip, random);
    }
    return joining.take();
}

Fences::Fences(Constraint const* constraint, Tree const& tree) {
    if (constraint == nullptr) return;
    all_ = constraint->all_;
    hashes_ = constraint->hashes(tree);
    stops_.resize(hashes_.size());
    for (HalfEdge h = tree.num_tips(); h < hashes_.size(); ++h) {
        auto const left = tree.back(tree.next(h));
        auto const right = tree.back(tree.next(tree.next(h)));
        bool const must_stay = constraint->splits_.contains(constraint->split(hashes_[h]));
        stops_[h] = must_stay && hashes_[left] != 0 && hashes_[right] != 0;
    }
}

}  // namespace regraft::search
