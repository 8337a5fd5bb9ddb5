#include "regraft/msa/tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa {

Tree::Tree(std::uint32_t num_tips, std::uint32_t num_length_sets)
    : num_tips_(num_tips), num_length_sets_(num_length_sets) {
    REGRAFT_EXPECTS(3 <= num_tips && num_tips < std::uint32_t{1} << 30 && num_length_sets >= 1);
    back_.assign(num_half_edges(), no_half_edge);
    lengths_.assign(std::size_t{num_half_edges()} * num_length_sets, 0.0);
}

std::vector<HalfEdge> Tree::edges() const {
    std::vector<HalfEdge> edges;
    edges.reserve(num_edges());
    for (HalfEdge h = 0; h < num_half_edges(); ++h) {
        if (is_connected(h) && h < back(h)) edges.push_back(h);
    }
    return edges;
}

bool Tree::is_complete() const {
    if (std::ranges::find(back_, no_half_edge) != back_.end()) return false;
    // A connected graph with one edge less than nodes is a tree. The walk stops early if it meets a cycle.
    std::vector<bool> seen(num_nodes());
    std::vector<HalfEdge> pending{back(0)};
    std::uint32_t num_seen = 1;
    seen[0] = true;
    while (!pending.empty()) {
        auto const h = pending.back();
        pending.pop_back();
        if (seen[node(h)]) return false;
        seen[node(h)] = true;
        ++num_seen;
        for (auto g = next(h); g != h; g = next(g)) pending.push_back(back(g));
    }
    return num_seen == num_nodes();
}

Tree Tree::with_length_sets(std::uint32_t count) const {
    Tree copy(num_tips_, count);
    copy.back_ = back_;
    for (HalfEdge h = 0; h < num_half_edges(); ++h) {
        for (std::uint32_t set = 0; set < count; ++set) copy.lengths_[copy.index(h, set)] = length(h);
    }
    return copy;
}

void Tree::connect(HalfEdge a, HalfEdge b, double length) {
    REGRAFT_EXPECTS(a != b && !is_connected(a) && !is_connected(b));
    join(a, b);
    for (std::uint32_t set = 0; set < num_length_sets_; ++set) set_length(a, length, set);
}

TreeUndo Tree::nni(HalfEdge h, std::uint32_t variant) {
    REGRAFT_EXPECTS(variant < 2 && !is_tip(h) && is_connected(h) && !is_tip(back(h)));
    auto const left = next(h);
    auto const right = variant == 0 ? next(back(h)) : next(next(back(h)));
    auto const left_child = back(left);
    auto const right_child = back(right);
    auto before = remember(std::array{left, left_child, right, right_child});
    join(left, right_child);
    join(right, left_child);
    // An edge moves with its subtree, so the fixed end takes the length.
    for (std::uint32_t set = 0; set < num_length_sets_; ++set) {
        set_length(left, length(right_child, set), set);
        set_length(right, length(left_child, set), set);
    }
    return before;
}

TreeUndo Tree::prune(HalfEdge h) {
    REGRAFT_EXPECTS(!is_tip(h));
    auto const left = next(h);
    auto const right = next(left);
    REGRAFT_EXPECTS(is_connected(h) && is_connected(left) && is_connected(right));
    auto const a = back(left);
    auto const b = back(right);
    auto before = remember(std::array{left, right, a, b});
    join(a, b);
    for (std::uint32_t set = 0; set < num_length_sets_; ++set) {
        set_length(a, length(left, set) + length(right, set), set);
    }
    detach(left);
    detach(right);
    return before;
}

TreeUndo Tree::regraft(HalfEdge h, HalfEdge edge) {
    REGRAFT_EXPECTS(!is_tip(h) && is_connected(edge));
    auto const left = next(h);
    auto const right = next(left);
    REGRAFT_EXPECTS(!is_connected(left) && !is_connected(right));
    auto const other = back(edge);
    REGRAFT_EXPECTS(edge != h && other != h);
    auto before = remember(std::array{left, right, edge, other});
    join(left, edge);
    join(right, other);
    for (std::uint32_t set = 0; set < num_length_sets_; ++set) {
        auto const half = length(edge, set) / 2;
        set_length(left, half, set);
        set_length(right, half, set);
    }
    return before;
}

void Tree::undo(TreeUndo const& move) {
    REGRAFT_EXPECTS(move.back.size() == move.touched.size());
    REGRAFT_EXPECTS(move.lengths.size() == move.touched.size() * num_length_sets_);
    for (std::size_t i = 0; i < move.touched.size(); ++i) {
        back_[move.touched[i]] = move.back[i];
        for (std::uint32_t set = 0; set < num_length_sets_; ++set) {
            lengths_[index(move.touched[i], set)] = move.lengths[i * num_length_sets_ + set];
        }
    }
}

TreeUndo Tree::remember(std::span<HalfEdge const> touched) const {
    TreeUndo before;
    before.touched.assign(touched.begin(), touched.end());
    before.lengths.reserve(touched.size() * num_length_sets_);
    for (auto h : touched) {
        before.back.push_back(back_[h]);
        for (std::uint32_t set = 0; set < num_length_sets_; ++set) before.lengths.push_back(length(h, set));
    }
    return before;
}

void Tree::detach(HalfEdge h) {
    back_[h] = no_half_edge;
    for (std::uint32_t set = 0; set < num_length_sets_; ++set) lengths_[index(h, set)] = 0.0;
}

void Tree::join(HalfEdge a, HalfEdge b) {
    back_[a] = b;
    back_[b] = a;
}

void Tree::write(ByteWriter& out) const {
    out.put(num_tips_);
    out.put(num_length_sets_);
    out.put_all(std::span(back_));
    out.put_all(std::span(lengths_));
}

Tree Tree::read(ByteReader& in) {
    auto const require = [](bool good) {
        if (!good) throw InputError("bytes are not what was written: no tree is like that");
    };
    auto const num_tips = in.get<std::uint32_t>();
    auto const num_length_sets = in.get<std::uint32_t>();
    require(3 <= num_tips && num_tips < std::uint32_t{1} << 30 && num_length_sets >= 1);
    Tree tree(3);
    tree.num_tips_ = num_tips;
    tree.num_length_sets_ = num_length_sets;
    tree.back_ = in.get_all<HalfEdge>();
    tree.lengths_ = in.get_all<double>();
    require(tree.back_.size() == tree.num_half_edges());
    require(tree.lengths_.size() == tree.back_.size() * num_length_sets);
    for (HalfEdge h = 0; h < tree.num_half_edges(); ++h) {
        auto const other = tree.back(h);
        if (other == no_half_edge) continue;
        require(other < tree.num_half_edges() && other != h && tree.back(other) == h);
        for (std::uint32_t set = 0; set < num_length_sets; ++set)
            require(tree.length(h, set) >= 0 && tree.length(h, set) == tree.length(other, set));
    }
    return tree;
}

std::vector<HalfEdge> postorder(Tree const& tree, HalfEdge h) {
    std::vector<HalfEdge> order;
    std::vector<HalfEdge> pending{h};
    while (!pending.empty()) {
        auto const g = pending.back();
        pending.pop_back();
        order.push_back(g);
        for (auto x = tree.next(g); x != g; x = tree.next(x)) {
            REGRAFT_EXPECTS(tree.is_connected(x));
            pending.push_back(tree.back(x));
        }
    }
    std::ranges::reverse(order);
    return order;
}

std::vector<std::uint32_t> tips_behind(Tree const& tree) {
    std::vector<std::uint32_t> tips(tree.num_half_edges());
    for (auto const h : postorder(tree, tree.back(0))) {  // all half-edges towards tip 0, except its own
        tips[h] = tree.is_tip(h) ? 1 : tips[tree.back(tree.next(h))] + tips[tree.back(tree.next(tree.next(h)))];
        tips[tree.back(h)] = tree.num_tips() - tips[h];
    }
    return tips;
}

std::vector<HalfEdge> preorder_edges(Tree const& tree) {
    auto const tips = tips_behind(tree);
    std::vector<HalfEdge> edges;
    std::vector<HalfEdge> pending{0};
    while (!pending.empty()) {
        auto const h = pending.back();
        pending.pop_back();
        edges.push_back(h);
        auto const behind = tree.back(h);
        if (tree.is_tip(behind)) continue;
        auto larger = tree.next(behind);
        auto smaller = tree.next(larger);
        if (tips[tree.back(larger)] < tips[tree.back(smaller)]) std::swap(larger, smaller);
        pending.push_back(larger);
        pending.push_back(smaller);
    }
    return edges;
}

TreeUndo difference(Tree const& from, Tree const& to) {
    REGRAFT_EXPECTS(to.num_tips() == from.num_tips() && to.num_length_sets() == from.num_length_sets());
    TreeUndo result;
    for (HalfEdge h = 0; h < from.num_half_edges(); ++h) {
        bool differs = from.back(h) != to.back(h);
        std::vector<double> lengths;
        for (std::uint32_t set = 0; set < from.num_length_sets(); ++set) {
            lengths.push_back(to.length(h, set));
            differs = differs || from.length(h, set) != lengths.back();
        }
        if (!differs) continue;
        result.touched.push_back(h);
        result.back.push_back(to.back(h));
        result.lengths.insert(result.lengths.end(), lengths.begin(), lengths.end());
    }
    return result;
}

}  // namespace regraft::msa
