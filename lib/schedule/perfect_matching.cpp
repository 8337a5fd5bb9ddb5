// Random walks along alternating paths (Goel, Kapralov, Khanna 2013); most of the work is done by cheaper walks that
// change the matching as they go, several at a time, so that the processor waits for several places in memory at once.
#include "schedule/perfect_matching.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace regraft::schedule {
namespace {

/// Random numbers that decide how a walk goes on. They are quick rather than good; any sequence gives a right answer.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    /// A number below n, not quite uniform.
    std::uint32_t below(std::uint32_t n) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state_ >> 32) * n >> 32);
    }

private:
    std::uint64_t state_;
};

class Matcher {
public:
    Matcher(std::span<HalfEdge const> rows, std::uint32_t num_vertices, std::uint32_t degree)
        : rows_(rows),
          num_vertices_(num_vertices),
          degree_(degree),
          chosen_(num_vertices, none),
          mate_(num_vertices, none),
          way_(num_vertices),
          dice_(rows.size()) {}

    /// The place of the matching's edge in each row.
    std::vector<std::uint32_t> match() && {
        for (auto const u : evict()) augment(u);
        return std::move(chosen_);
    }

private:
    HalfEdge const& edge(std::uint32_t u, std::uint32_t place) const { return rows_[std::size_t{u} * degree_ + place]; }
    /// A random edge of the row, but not the chosen one.
    std::uint32_t other_edge(std::uint32_t u) {
        if (chosen_[u] == none) return dice_.below(degree_);
        auto const place = dice_.below(degree_ - 1);
        return place < chosen_[u] ? place : place + 1;
    }

    std::vector<std::uint32_t> evict();
    void augment(std::uint32_t first);

    std::span<HalfEdge const> rows_;
    std::uint32_t num_vertices_;
    std::uint32_t degree_;
    std::vector<std::uint32_t> chosen_;  // by left vertex
    std::vector<std::uint32_t> mate_;    // by right vertex: the left one that chose it
    std::vector<std::uint32_t> way_;     // in augment, by left vertex
    Dice dice_;
};

/// Every left vertex takes a random right one, and the left vertex that had this one before looks for another. That
/// takes about as many steps as the walks of augment, but there is no proof: after several times as many it ends. It
/// also ends when there are too few walks to keep the processor busy. Returns the left vertices that have no mate.
std::vector<std::uint32_t> Matcher::evict() {
    struct Walk {
        std::uint32_t left, place, right;
    };
    constexpr std::size_t few = 4;
    std::array<Walk, 16> walks{};
    std::size_t active = 0;
    std::uint32_t fresh = 0;
    while (active < walks.size() && fresh < num_vertices_) walks[active++].left = fresh++;
    auto budget = 3 * std::size_t{num_vertices_} * static_cast<std::size_t>(std::bit_width(num_vertices_) + 1);
    for (; active > few && budget >= active; budget -= active) {
        auto const running = std::span(walks).first(active);
        for (auto& walk : running) {
            walk.place = other_edge(walk.left);
            __builtin_prefetch(&edge(walk.left, walk.place));
        }
        for (auto& walk : running) {
            walk.right = edge(walk.left, walk.place).right;
            __builtin_prefetch(&mate_[walk.right], 1);
        }
        for (std::size_t w = active; w-- > 0;) {
            auto& walk = walks[w];
            chosen_[walk.left] = walk.place;
            walk.left = std::exchange(mate_[walk.right], walk.left);
            if (walk.left != none) continue;
            if (fresh < num_vertices_) {
                walk.left = fresh++;
            } else {
                walk = walks[--active];
            }
        }
    }
    std::vector<std::uint32_t> homeless;
    for (auto const& walk : std::span(walks).first(active)) homeless.push_back(walk.left);
    while (fresh < num_vertices_) homeless.push_back(fresh++);
    for (auto const u : homeless) chosen_[u] = none;
    return homeless;
}

/// The walk of Goel, Kapralov, Khanna: the matching stays as it is until a free right vertex is found. Left vertices
/// remember how they were left last, so that the path has no loops.
void Matcher::augment(std::uint32_t first) {
    auto u = first;
    for (auto mate = first; mate != none; mate = mate_[edge(u, way_[u]).right]) {
        u = mate;
        way_[u] = other_edge(u);
    }
    for (u = first; u != none;) {
        chosen_[u] = way_[u];
        u = std::exchange(mate_[edge(u, chosen_[u]).right], u);
    }
}

}  // namespace

void extract_perfect_matching(std::span<HalfEdge> rows, std::uint32_t num_vertices, std::uint32_t degree) {
    auto const chosen = Matcher(rows, num_vertices, degree).match();
    std::vector<HalfEdge> matching(num_vertices);
    auto out = rows.end();
    for (auto u = num_vertices; u-- > 0;) {
        auto const row = rows.begin() + static_cast<std::ptrdiff_t>(std::size_t{u} * degree);
        auto const place = row + chosen[u];
        matching[u] = *place;
        out = std::copy_backward(place + 1, row + degree, out);
        out = std::copy_backward(row, place, out);
    }
    std::copy(matching.begin(), matching.end(), rows.begin());
}

}  // namespace regraft::schedule
