// Blocking flows from overloaded right vertices to ones with room, on the graph in which one right vertex can hand
// units over to another (Dinic 1970). The Holdings decide what is handed over: blocks or shares.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "matching/holdings.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {

/// Relieves overloaded right vertices.
template <Holdings Holder, class Load>
class Relief {
public:
    enum class Outcome {
        relieved,  // no vertex is overloaded
        closed,    // the overloaded vertices reach none with room: closed_set() is everything that they reach
        gave_up,
    };

    /// Lets vertices with more than `aim` hand over to vertices with less, and keeps load up to date.
    Outcome relieve(Holder& holdings, std::span<Load> load, Load aim) {
        load_ = load;
        aim_ = aim;
        forget_levels();
        level_.resize(load.size(), none);
        reached_.reserve(load.size());
        find_overloaded();
        std::size_t looked_at = 0;
        Suspicion suspicion;
        for (int phase = 0; !overloaded_.empty(); ++phase) {
            forget_levels();
            if (!holdings.begin_phase()) return Outcome::gave_up;
            if constexpr (!Holder::cursors_need_levels) {
                if (phase == 1) {
                    relieve_anyhow(holdings);
                    continue;
                }
            }
            if (phase >= Holder::many_phases && holdings.begin_distances()) return relieve_by_distance(holdings);
            if (phase > 3 && find_stuck(holdings, looked_at, suspicion)) return Outcome::closed;
            auto const last = find_layers(holdings, looked_at);
            if (last == none) return Outcome::closed;
            looked_at += reached_.size();
            relieve_by_levels(last, holdings);
        }
        return Outcome::relieved;
    }

    std::span<std::uint32_t const> closed_set() const { return reached_; }

private:
    bool has_room(std::uint32_t v) const { return load_[v] < aim_; }
    bool is_overloaded(std::uint32_t v) const { return load_[v] > aim_; }

    void find_overloaded() {
        overloaded_.clear();
        for (std::uint32_t v = 0; v < load_.size(); ++v) {
            if (is_overloaded(v)) overloaded_.push_back(v);
        }
    }

    void forget_relieved() {
        std::erase_if(overloaded_, [&](auto v) { return !is_overloaded(v); });
    }

    void forget_levels() {
        for (auto const v : reached_) level_[v] = none;
        reached_.clear();
    }

    /// The state of the search for vertices that are stuck, over all phases.
    struct Suspicion {
        std::size_t next = 0;       // the next overloaded vertex; wraps around
        std::size_t looked_at = 0;  // number of vertices
    };

    /// Looks for an overloaded vertex that alone reaches no vertex with room, and leaves what it reaches in reached_:
    /// then any further work for others would be in vain. Over all phases about at_most vertices are looked at for
    /// that, no more than the phases themselves look at.
    bool find_stuck(Holder& holdings, std::size_t at_most, Suspicion& suspicion) {
        for (std::size_t i = 0; i < overloaded_.size() && suspicion.looked_at < at_most; ++i) {
            if (is_stuck(overloaded_[suspicion.next++ % overloaded_.size()], holdings)) return true;
            suspicion.looked_at += reached_.size();
            forget_levels();
        }
        holdings.begin_phase();
        return false;
    }

    bool is_stuck(std::uint32_t source, Holder& holdings) {
        holdings.begin_phase();
        level_[source] = 0;
        reached_.assign(1, source);
        bool room = false;
        for (std::size_t i = 0; i < reached_.size() && !room; ++i) {
            holdings.for_each_neighbour(reached_[i], 0, [&](std::uint32_t w) {
                room |= has_room(w);
                if (level_[w] != none) return;
                level_[w] = 0;
                reached_.push_back(w);
            });
        }
        return !room;
    }

    /// Breadth-first search from the overloaded vertices to the nearest with room, and beyond as long as fewer than
    /// `at_least` were reached: if paths have many different lengths, a phase for each length would be too many.
    /// Returns the last level; none if no vertex with room was reached.
    std::uint32_t find_layers(Holder& holdings, std::size_t at_least) {
        for (auto const v : overloaded_) level_[v] = 0;
        reached_.assign(overloaded_.begin(), overloaded_.end());
        bool found = false;
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < reached_.size(); ++i) {
            auto const v = reached_[i];
            if (level_[v] == last && found && reached_.size() >= at_least) break;
            last = level_[v] + 1;
            holdings.for_each_neighbour(v, level_[v], [&](std::uint32_t w) {
                if (level_[w] != none) return;
                level_[w] = last;
                reached_.push_back(w);
                found |= has_room(w);
            });
        }
        return found ? last : none;
    }

    /// Depth-first search without levels, each vertex at most once: first to any neighbour with room, else to any
    /// neighbour (Pothen, Fan 1990). It is fast if few vertices are overloaded and room is everywhere, and if paths are
    /// long but do not meet.
    void relieve_anyhow(Holder& holdings) {
        for (auto const v : overloaded_) visit(v, holdings);
        for (auto const v : overloaded_) {
            descend(v, holdings, [&](std::uint32_t at) { return next_anyhow(at, holdings); });
        }
        forget_relieved();
    }

    static constexpr std::uint32_t looking_for_room = 0;
    static constexpr std::uint32_t going_deeper = 1;

    void visit(std::uint32_t v, Holder& holdings) {
        // If there is little to look at, looking twice takes longer than a detour.
        constexpr std::uint32_t little = 4;
        level_[v] = holdings.num_items(v) < little ? going_deeper : looking_for_room;
        reached_.push_back(v);
        holdings.start(v);
    }

    std::uint32_t next_anyhow(std::uint32_t v, Holder& holdings) {
        if (level_[v] == looking_for_room) {
            bool deeper = false;
            auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) {
                deeper |= level_[u] == none;
                return has_room(u);
            });
            if (w != none) return w;
            if (!deeper) return none;
            level_[v] = going_deeper;
            holdings.start(v);
        }
        auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) { return level_[u] == none || has_room(u); });
        if (w != none && level_[w] == none) visit(w, holdings);
        return w;
    }

    /// Depth-first search along rising levels only (Dinic 1970).
    void relieve_by_levels(std::uint32_t last, Holder& holdings) {
        for (auto const v : reached_) holdings.start(v);
        for (auto const source : overloaded_) {
            descend(source, holdings, [&](std::uint32_t v) {
                auto const next = level_[v] + 1;
                return holdings.next_step(
                    v, level_[v], [&](std::uint32_t u) { return level_[u] == next && (next < last || has_room(u)); });
            });
        }
        forget_relieved();
    }

    /// For paths that are long and of many lengths. Every vertex knows a lower bound for its distance to one with room.
    /// Paths go where the distance falls, and a vertex without such a way gets a larger distance (Ahuja, Orlin 1991).
    /// If no vertex is left at some distance, no vertex beyond reaches room.
    Outcome relieve_by_distance(Holder& holdings) {
        find_distances(holdings);
        // The nearest come first, so that paths stay short.
        std::vector<Waiting> waiting;
        for (auto const v : overloaded_) waiting.push_back({distance_[v], v});
        std::make_heap(waiting.begin(), waiting.end(), std::greater<>());
        while (!waiting.empty()) {
            if (!holdings.begin_phase()) return Outcome::gave_up;
            std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
            auto const source = waiting.back().vertex;
            if (waiting.back().distance == none) {
                [[maybe_unused]] bool const stuck = is_stuck(source, holdings);
                REGRAFT_ASSERT(stuck);
                return Outcome::closed;
            }
            if (waiting.back().distance == distance_[source]) follow_distances(source, holdings);
            if (is_overloaded(source)) {
                waiting.back().distance = distance_[source];
                std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
            } else {
                waiting.pop_back();
            }
            if (worth_finding_again()) {
                holdings.begin_distances();
                find_distances(holdings);
            }
        }
        forget_relieved();
        return Outcome::relieved;
    }

    struct Waiting {
        std::uint32_t distance;
        std::uint32_t vertex;
        auto operator<=>(Waiting const&) const = default;
    };

    /// Follows a path from the source to a vertex with room, or until the distance of the source turns out to be
    /// larger.
    void follow_distances(std::uint32_t source, Holder& holdings) {
        path_.assign(1, source);
        for (;;) {
            auto const v = path_.back();
            if (has_room(v)) {
                hand_over_ways(holdings);
                return;
            }
            auto const distance = distance_[v];
            auto const w = distance == 0 || distance == none
                               ? none
                               : holdings.next_way(v, [&](std::uint32_t u) { return distance_[u] == distance - 1; });
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            move_away(v, holdings);
            if (v == source) return;
            path_.pop_back();
        }
    }

    /// Breadth-first search from all vertices with room, against the direction of ways.
    void find_distances(Holder& holdings) {
        auto const n = static_cast<std::uint32_t>(load_.size());
        distance_.assign(n, none);
        at_distance_.assign(std::size_t{n} + 1, 0);
        queue_.clear();
        ways_ = 0;
        ways_looked_at_ = 0;
        for (std::uint32_t v = 0; v < n; ++v) {
            holdings.start(v);
            ways_ += holdings.num_ways(v);
            if (!has_room(v)) continue;
            distance_[v] = 0;
            queue_.push_back(v);
        }
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            auto const w = queue_[i];
            ++at_distance_[distance_[w]];
            holdings.for_each_giver(w, [&](std::uint32_t v) {
                if (distance_[v] != none) return;
                distance_[v] = distance_[w] + 1;
                queue_.push_back(v);
            });
        }
    }

    /// Whether to compute all distances anew: after a while that is better than increasing them one by one.
    bool worth_finding_again() const { return ways_looked_at_ > ways_ / 2; }

    /// Gives v the distance that follows from those of its neighbours, and its cursor the first of the nearer ones.
    void move_away(std::uint32_t v, Holder& holdings) {
        auto const before = distance_[v];
        if (before == none) return;
        ways_looked_at_ += holdings.num_ways(v);
        auto nearest = none;
        holdings.start(v);
        auto const next = holdings.next_way(v, [&](std::uint32_t w) {
            if (w != v) nearest = std::min(nearest, distance_[w]);
            return nearest == before;  // no neighbour has less
        });
        REGRAFT_ASSERT(nearest >= before);
        if (next == none) holdings.start(v);
        distance_[v] = nearest == none ? none : nearest + 1;
        if (--at_distance_[before] == 0) {
            for (auto& distance : distance_) distance = distance > before ? none : distance;
        } else if (distance_[v] != none) {
            ++at_distance_[distance_[v]];
        }
    }

    void hand_over_ways(Holder& holdings) {
        auto& from = load_[path_.front()];
        auto& to = load_[path_.back()];
        auto units = std::min<Load>(from - aim_, aim_ - to);
        for (auto const v : std::span(path_).first(path_.size() - 1)) {
            units =
                static_cast<Load>(std::min<std::uint64_t>(static_cast<std::uint64_t>(units), holdings.way_width(v)));
        }
        holdings.hand_over_ways(path_, static_cast<std::uint64_t>(units));
        from -= units;
        to += units;
    }

    /// Follows steps from the source to vertices with room, as long as it is overloaded. Not recursive, because a path
    /// may have as many vertices as there are PEs.
    template <class Next>
    void descend(std::uint32_t source, Holder& holdings, Next next) {
        path_.assign(1, source);
        while (is_overloaded(source) && !path_.empty()) {
            auto const v = path_.back();
            if (has_room(v)) {
                hand_over(holdings);
                path_.resize(1);
                continue;
            }
            auto const w = next(v);
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            level_[v] = exhausted;
            path_.pop_back();
            if (!path_.empty()) holdings.skip_step(path_.back());
        }
    }

    void hand_over(Holder& holdings) {
        auto& from = load_[path_.front()];
        auto& to = load_[path_.back()];
        auto units = std::min<Load>(from - aim_, aim_ - to);
        for (auto const v : std::span(path_).first(path_.size() - 1)) {
            units = static_cast<Load>(std::min<std::uint64_t>(static_cast<std::uint64_t>(units), holdings.width(v)));
        }
        holdings.hand_over(path_, static_cast<std::uint64_t>(units));
        from -= units;
        to += units;
    }

    static constexpr auto exhausted = none - 1;  // in place of a level: nothing more gets through this vertex in this
                                                 // phase

    std::span<Load> load_;
    Load aim_{};
    std::vector<std::uint32_t> level_;
    std::vector<std::uint32_t> reached_;
    std::vector<std::uint32_t> overloaded_;
    std::vector<std::uint32_t> path_;
    std::vector<std::uint32_t> distance_;     // lower bound for the distance to room; none: there is no way
    std::vector<std::uint32_t> at_distance_;  // number of vertices at each distance
    std::vector<std::uint32_t> queue_;
    std::uint64_t ways_ = 0;
    std::uint64_t ways_looked_at_ = 0;
};

}  // namespace regraft::matching
