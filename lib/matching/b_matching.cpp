// Least-loaded greedy. If that does not reach the lower bound, blocking flows between the right vertices follow: flows
// of whole blocks or, where many blocks have the same row, of shares of such groups.
#include "regraft/matching/b_matching.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "matching/block_holdings.hpp"
#include "matching/division.hpp"
#include "matching/grouping.hpp"
#include "matching/minimise.hpp"
#include "matching/share_solver.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {
namespace {

static_assert(none == unmatched);

bool contains(std::span<std::uint32_t const> row, std::uint32_t v) {
    return std::find(row.begin(), row.end(), v) != row.end();
}

/// Gives left vertices away one by one, and counts how many each right vertex has.
class Dealer {
public:
    Dealer(CsrView<std::uint32_t> graph, BMatching& answer, std::vector<std::uint32_t>& load, std::uint32_t num_right)
        : graph_(graph), answer_(answer), load_(load) {
        load_.assign(num_right, 0);
        answer_.right_of.resize(graph.size());
        answer_.isolated.clear();
    }

    /// Gives every left vertex to its start, or to its neighbour with the fewest. Left vertices without a choice come
    /// first, so that the others can avoid the right vertices of these.
    void deal(std::span<std::uint32_t const> start) {
        bool const some_dealt = (!start.empty() || somebody_lacks_choice()) && deal_without_choice(start);
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            auto const row = graph_[x];
            if (some_dealt && answer_.right_of[x] != unmatched) continue;
            if (!row.empty()) give(x, least_loaded(row));
        }
    }

    /// The right vertex that has to take the most left vertices because these have no other neighbour, and their
    /// number.
    struct Forced {
        std::uint32_t right = none;
        std::uint32_t count = 0;
    };
    Forced most_forced() const { return most_forced_; }

private:
    bool somebody_lacks_choice() const {
        std::uint64_t borrowed = 0;
        for (std::size_t x = 0; x < graph_.size(); ++x) borrowed |= graph_.offsets[x + 1] - graph_.offsets[x] - 2;
        return borrowed >> 63 != 0;
    }

    /// Deals the left vertices without a choice and reports the isolated ones. Returns whether there are any.
    bool deal_without_choice(std::span<std::uint32_t const> start) {
        bool any = false;
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            auto const size = graph_.offsets[x + 1] - graph_.offsets[x];
            answer_.right_of[x] = unmatched;
            if (size == 0) answer_.isolated.push_back(x);
            if (size == 1) give(x, graph_[x].front());
            any |= size <= 1;
        }
        if (any && !load_.empty()) {
            auto const busiest = std::max_element(load_.begin(), load_.end());
            most_forced_ = {static_cast<std::uint32_t>(busiest - load_.begin()), *busiest};
        }
        for (std::uint32_t x = 0; x < start.size(); ++x) {
            auto const row = graph_[x];
            if (row.size() < 2 || !contains(row, start[x])) continue;
            give(x, start[x]);
            any = true;
        }
        return any;
    }

    void give(std::uint32_t x, std::uint32_t v) {
        REGRAFT_EXPECTS(v < load_.size());
        answer_.right_of[x] = v;
        ++load_[v];
    }

    std::uint32_t least_loaded(std::span<std::uint32_t const> row) const {
        auto best = row.front();
        REGRAFT_EXPECTS(best < load_.size());
        auto fewest = load_[best];
        for (auto const v : row.subspan(1)) {
            REGRAFT_EXPECTS(v < load_.size());
            auto const load = load_[v];
            best = load < fewest ? v : best;
            fewest = std::min(fewest, load);
        }
        return best;
    }

    CsrView<std::uint32_t> graph_;
    BMatching& answer_;
    std::vector<std::uint32_t>& load_;
    Forced most_forced_;
};

}  // namespace

struct BMatcher::Workspace {
    BMatching const& solve(CsrView<std::uint32_t> graph, std::uint32_t num_right, Options const& options) {
        Dealer dealer(graph, answer_, load_, num_right);
        dealer.deal(options.initial);
        bound_below(graph);
        auto b = answer_.lower_bound;
        if (auto const [right, count] = dealer.most_forced(); count > b) {
            b = count;
            answer_.hall_set.assign(1, right);
        }
        b = std::max(b, options.good_enough);
        bool const near = most_loaded() <= b + 2;
        if (most_loaded() > b && (near || !in_cache(graph))) hand_over_directly(graph, b);
        if (most_loaded() > b) search(graph, b, options.grouping);
        answer_.b = most_loaded();
        auto& set = answer_.hall_set;
        if (!std::is_sorted(set.begin(), set.end())) std::sort(set.begin(), set.end());
        return answer_;
    }

    BMatching take() && { return std::move(answer_); }

private:
    std::uint32_t most_loaded() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

    /// Whether access in random order is about as fast as in the order of memory.
    static bool in_cache(CsrView<std::uint32_t> graph) { return graph.size() <= 1U << 18; }

    /// Sets the lower bound: all right vertices with a neighbour share all left vertices.
    void bound_below(CsrView<std::uint32_t> graph) {
        auto& set = answer_.hall_set;
        set.clear();
        set.reserve(load_.size());
        answer_.lower_bound = 0;
        bool const all = std::find(load_.begin(), load_.end(), 0U) == load_.end();
        if (!all) mark_neighbours(graph);
        for (std::uint32_t v = 0; v < load_.size(); ++v) {
            if (all || marked_[v] != 0) set.push_back(v);
        }
        auto const dealt = graph.size() - answer_.isolated.size();
        if (!set.empty()) answer_.lower_bound = static_cast<std::uint32_t>(ceil_div(dealt, set.size()));
    }

    void mark_neighbours(CsrView<std::uint32_t> graph) {
        marked_.assign(load_.size(), 0);
        for (std::size_t x = 0; x < graph.size(); ++x) {
            for (auto const v : graph[x]) marked_[v] = 1;
        }
    }

    /// One pass in the order of memory. If greedy came close, it is often sufficient; otherwise it leaves less to
    /// search for.
    void hand_over_directly(CsrView<std::uint32_t> graph, std::uint32_t b) {
        for (std::size_t x = 0; x < graph.size(); ++x) {
            auto& right = answer_.right_of[x];
            if (right == unmatched || load_[right] <= b) continue;
            for (auto const v : graph[x]) {
                if (load_[v] + 1 >= load_[right]) continue;
                --load_[right];
                ++load_[v];
                right = v;
            }
        }
    }

    /// Searches block by block as long as that is likely to be faster than finding the groups, and to the end if there
    /// are no groups.
    void search(CsrView<std::uint32_t> graph, std::uint32_t proven, Grouping grouping) {
        if (grouping == Grouping::always && collapse(graph, graph.size(), groups_)) {
            search_groups(proven);
            return;
        }
        blocks_.list(graph, answer_.right_of, load_);
        // Looking at a block takes longer if it is not in the cache; putting it into a group does not.
        auto const patience = in_cache(graph) ? graph.size() : graph.size() / 4;
        auto const bounds = search_blocks(proven, grouping == Grouping::never ? BlockHoldings::unlimited : patience);
        if (bounds.reached == bounds.proven) return;
        auto const few = graph.size() / 4;
        if (looks_grouped(graph, few, hashes_) && collapse(graph, few, groups_)) {
            search_groups(bounds.proven);
        } else {
            search_long(graph, bounds.proven);
        }
    }

    /// Looks at everything repeatedly, so it works on a copy in which the blocks of a right vertex lie together.
    void search_long(CsrView<std::uint32_t> graph, std::uint64_t proven) {
        blocks_.list(graph, answer_.right_of, load_);
        auto const listed = blocks_.listed();
        by_owner_.assign(listed.begin(), listed.end());
        gather_rows(graph);
        owner_.clear();
        for (std::uint32_t v = 0; v < load_.size(); ++v) owner_.insert(owner_.end(), load_[v], v);
        blocks_.list(gathered_, owner_, load_);
        search_blocks(proven, BlockHoldings::unlimited);
        for (std::size_t i = 0; i < by_owner_.size(); ++i) answer_.right_of[by_owner_[i]] = owner_[i];
    }

    void gather_rows(CsrView<std::uint32_t> graph) {
        gathered_.offsets.assign(1, 0);
        gathered_.values.clear();
        gathered_.values.reserve(graph.values.size());
        for (std::size_t i = 0; i < by_owner_.size(); ++i) {
            prefetch_row(graph, by_owner_, i);
            gathered_.push_row(graph[by_owner_[i]]);
        }
    }

    Bounds search_blocks(std::uint64_t proven, std::uint64_t patience) {
        blocks_.be_patient_for(patience);
        return minimise({proven, most_loaded()}, relief_, blocks_, std::span(load_), answer_.hall_set);
    }

    void search_groups(std::uint64_t proven) {
        CsrView<std::uint32_t> const rows = groups_.graph;
        share_.assign(rows.values.size(), 0);
        for (std::size_t x = 0; x < answer_.right_of.size(); ++x) {
            if (answer_.right_of[x] == unmatched) continue;
            auto const row = rows[groups_.group[x]];
            auto const at = std::find(row.begin(), row.end(), answer_.right_of[x]) - row.begin();
            ++share_[rows.offsets[groups_.group[x]] + static_cast<std::size_t>(at)];
        }
        share_solver_.minimise(rows, static_cast<std::uint32_t>(load_.size()), proven, share_, answer_.hall_set);
        deal_shares(rows);
    }

    /// Deals the blocks of a group to its right vertices in order.
    void deal_shares(CsrView<std::uint32_t> rows) {
        std::fill(load_.begin(), load_.end(), 0U);
        next_.assign(rows.offsets.begin(), rows.offsets.end());
        for (std::size_t x = 0; x < answer_.right_of.size(); ++x) {
            if (answer_.right_of[x] == unmatched) continue;
            auto& edge = next_[groups_.group[x]];
            while (share_[edge] == 0) ++edge;
            --share_[edge];
            answer_.right_of[x] = rows.values[edge];
            ++load_[rows.values[edge]];
        }
    }

    BMatching answer_;
    std::vector<std::uint32_t> load_;
    std::vector<char> marked_;
    BlockHoldings blocks_;
    std::vector<std::uint32_t> by_owner_;  // left vertices
    std::vector<std::uint32_t> owner_;     // owners of these left vertices
    Csr<std::uint32_t> gathered_;          // rows of these left vertices
    Relief<BlockHoldings, std::uint32_t> relief_;
    Groups groups_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint64_t> share_;
    std::vector<std::uint64_t> next_;
    ShareSolver share_solver_;
};

BMatcher::BMatcher() : workspace_(std::make_unique<Workspace>()) {}
BMatcher::BMatcher(BMatcher&&) noexcept = default;
BMatcher& BMatcher::operator=(BMatcher&&) noexcept = default;
BMatcher::~BMatcher() = default;

BMatching const& BMatcher::solve(CsrView<std::uint32_t> graph, std::uint32_t num_right, Options const& options) {
    REGRAFT_EXPECTS(graph.size() < unmatched);
    REGRAFT_EXPECTS(options.initial.empty() || options.initial.size() == graph.size());
    return workspace_->solve(graph, num_right, options);
}

BMatching BMatcher::take() && {
    return std::move(*workspace_).take();
}

BMatching min_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, Options const& options) {
    BMatcher matcher;
    matcher.solve(graph, num_right, options);
    return std::move(matcher).take();
}

}  // namespace regraft::matching
