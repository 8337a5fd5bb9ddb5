// Edges are paired at their left and at their right ends. The pairs make up cycles of even length, whose edges go to
// the one and to the other half in turn: so either half gets one edge of every pair. No Euler tour needs to be known
// for that.
//
// Following cycles through memory is waiting for memory. So there are several walks at a time, each following a stretch
// of a cycle until it meets a stretch that is there already; where two stretches disagree about the halves one of them
// is reversed afterwards. In the same way pieces of the graph are walked in parallel.
#include "schedule/euler_split.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace regraft::schedule {
namespace {

constexpr std::uint8_t unseen = 2;
constexpr std::size_t num_walks = 16;
constexpr std::size_t few_edges = 1U << 13;

/// Pairs of edges: pair q is edges 2q and 2q + 1, which have the same left end. A walk enters it by one of them, which
/// goes to the first half (entry[q] says which), leaves it by the other one, and goes on to the partner of that.
struct PairRange {
    std::uint32_t first, last;
};

PairRange piece(EulerSplit const& task, std::size_t i) {
    auto const num_pairs = task.edges.size() / 2;
    auto const cut = [&](std::size_t k) { return static_cast<std::uint32_t>(num_pairs * k / task.num_pieces); };
    return {cut(i), cut(i + 1)};
}

/// A part of a cycle: the edge it enters its first pair by, and the one it leaves its last pair by.
struct Stretch {
    std::uint32_t head, tail;
};

/// Pairs the edges of a piece at their right ends. waiting: for every right vertex the edge left over, or none.
void find_partners(EulerSplit const& task, PairRange piece, std::span<std::uint32_t> waiting) {
    std::fill(waiting.begin(), waiting.end(), none);
    auto* const partner = task.partner.data();
    std::uint32_t nowhere = 0;
    auto const pair_up = [&](std::uint32_t e) {
        // Without a branch, which the processor could not foresee.
        auto& other = waiting[task.edges[e].right];
        auto const found = other;
        partner[e] = found;
        *(found == none ? &nowhere : partner + found) = e;
        other = found == none ? e : none;
    };
    for (auto e = 2 * piece.first; e < 2 * piece.last; e += 2) {
        if (task.edges[e].right == task.edges[e + 1].right) {
            partner[e] = e + 1;
            partner[e + 1] = e;
        } else {
            pair_up(e);
            pair_up(e + 1);
        }
    }
}

/// Pairs what find_partners left over. waiting: shape [pieces][right vertices].
void find_partners_across(EulerSplit const& task, std::span<std::uint32_t const> waiting) {
    for (std::size_t v = 0; v < task.num_right; ++v) {
        auto before = none;
        for (auto i = v; i < waiting.size(); i += task.num_right) {
            auto const e = waiting[i];
            if (e == none) continue;
            if (before != none) {
                task.partner[e] = before;
                task.partner[before] = e;
            }
            before = before == none ? e : none;
        }
    }
}

void find_partners(EulerSplit const& task) {
    std::vector<std::uint32_t> waiting(task.num_pieces * task.num_right);
#pragma omp taskloop default(shared) grainsize(1) if (task.num_pieces > 1)
    for (std::size_t i = 0; i < task.num_pieces; ++i) {
        find_partners(task, piece(task, i), std::span(waiting).subspan(i * task.num_right, task.num_right));
    }
    find_partners_across(task, waiting);
}

/// Sets entry in a piece; stretches of cycles end where the piece does, and where they meet others. Cycles that a walk
/// goes round all by itself are not listed.
std::vector<Stretch> walk(EulerSplit const& task, PairRange piece) {
    auto const* const partner = task.partner.data();
    auto* const entry = task.entry.data();
    std::fill(entry + piece.first, entry + piece.last, unseen);
    struct Walk {
        Stretch stretch;
        std::uint32_t next;  // edge to enter by
    };
    auto fresh = piece.first;
    auto const start = [&](Walk& walk) {
        while (fresh < piece.last && entry[fresh] != unseen) ++fresh;
        if (fresh == piece.last) return false;
        entry[fresh] = 0;
        walk = {{2 * fresh, 2 * fresh + 1}, partner[2 * fresh + 1]};
        return true;
    };
    std::array<Walk, num_walks> walks;
    std::size_t active = 0;
    while (active < walks.size() && start(walks[active])) ++active;
    std::vector<Stretch> stretches;
    while (active > 0) {
        for (std::size_t w = active; w-- > 0;) {
            auto& [stretch, next] = walks[w];
            auto const pair = next / 2;
            if (pair - piece.first >= piece.last - piece.first || entry[pair] != unseen) {
                if (next != stretch.head) stretches.push_back(stretch);
                if (!start(walks[w])) walks[w] = walks[--active];
                continue;
            }
            entry[pair] = static_cast<std::uint8_t>(next % 2);
            stretch.tail = next ^ 1U;
            next = partner[stretch.tail];
            __builtin_prefetch(&partner[next ^ 1U]);
            __builtin_prefetch(&entry[next / 2]);
        }
    }
    return stretches;
}

/// For every stretch whether it must be reversed, so that all stretches of a cycle go round it in the same direction.
/// Overwrites the partners at their ends.
std::vector<std::uint8_t> choose_directions(EulerSplit const& task, std::span<Stretch const> stretches) {
    // End 2i is the head of stretch i, 2i + 1 its tail. The partner of an end is an end.
    std::vector<std::uint32_t> next_edge;
    for (auto const& [head, tail] : stretches) {
        next_edge.push_back(task.partner[head]);
        next_edge.push_back(task.partner[tail]);
    }
    std::uint32_t end = 0;
    for (auto const& [head, tail] : stretches) {
        task.partner[head] = end++;
        task.partner[tail] = end++;
    }
    std::vector<std::uint8_t> reversed(stretches.size(), unseen);
    for (std::uint32_t i = 0; i < stretches.size(); ++i) {
        for (end = 2 * i; reversed[end / 2] == unseen; end = task.partner[next_edge[end ^ 1U]]) {
            reversed[end / 2] = static_cast<std::uint8_t>(end % 2);
        }
    }
    return reversed;
}

/// Swaps the halves along stretches.
void reverse(EulerSplit const& task, std::span<Stretch const> stretches) {
    struct Walk {
        std::uint32_t next, tail;
    };
    std::array<Walk, num_walks> walks;
    std::size_t active = 0;
    std::size_t fresh = 0;
    for (; active < walks.size() && fresh < stretches.size(); ++active, ++fresh) {
        walks[active] = {stretches[fresh].head, stretches[fresh].tail};
    }
    while (active > 0) {
        for (std::size_t w = active; w-- > 0;) {
            auto& [next, tail] = walks[w];
            task.entry[next / 2] ^= 1U;
            if ((next ^ 1U) != tail) {
                next = task.partner[next ^ 1U];
                __builtin_prefetch(&task.partner[next ^ 1U]);
                __builtin_prefetch(&task.entry[next / 2]);
            } else if (fresh < stretches.size()) {
                walks[w] = {stretches[fresh].head, stretches[fresh].tail};
                ++fresh;
            } else {
                walks[w] = walks[--active];
            }
        }
    }
}

/// One cycle after the other, without all that: quicker where everything is in the cache.
void walk_alone(EulerSplit const& task) {
    auto const* const partner = task.partner.data();
    std::fill(task.entry.begin(), task.entry.end(), unseen);
    for (std::uint32_t q = 0; q < task.entry.size(); ++q) {
        for (auto next = 2 * q; task.entry[next / 2] == unseen; next = partner[next ^ 1U]) {
            task.entry[next / 2] = static_cast<std::uint8_t>(next % 2);
        }
    }
}

void choose_entries(EulerSplit const& task) {
    if (task.edges.size() <= few_edges) return walk_alone(task);
    std::vector<std::vector<Stretch>> by_piece(task.num_pieces);
#pragma omp taskloop default(shared) grainsize(1) if (task.num_pieces > 1)
    for (std::size_t i = 0; i < task.num_pieces; ++i) by_piece[i] = walk(task, piece(task, i));

    std::vector<Stretch> all;
    for (auto const& stretches : by_piece) all.insert(all.end(), stretches.begin(), stretches.end());
    auto const reversed = choose_directions(task, all);
    std::size_t i = 0;
    for (auto& stretches : by_piece) std::erase_if(stretches, [&](auto const&) { return reversed[i++] == 0; });

#pragma omp taskloop default(shared) grainsize(1) if (task.num_pieces > 1)
    for (std::size_t k = 0; k < task.num_pieces; ++k) reverse(task, by_piece[k]);
}

void deal(EulerSplit const& task) {
    auto const num_pairs = task.edges.size() / 2;
    auto* const first_half = task.halves.data();
    auto* const second_half = first_half + num_pairs;
#pragma omp taskloop default(shared) grainsize(1) if (task.num_pieces > 1)
    for (std::size_t i = 0; i < task.num_pieces; ++i) {
        auto const [first, last] = piece(task, i);
        for (std::size_t q = first; q < last; ++q) {
            first_half[q] = task.edges[2 * q + task.entry[q]];
            second_half[q] = task.edges[2 * q + 1 - task.entry[q]];
        }
    }
}

}  // namespace

void split(EulerSplit const& task) {
    find_partners(task);
    choose_entries(task);
    deal(task);
}

}  // namespace regraft::schedule
