// What overloaded vertices reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/holdings.hpp"
#include "matching/loads.hpp"

namespace regraft::matching {

/// Levels of vertices by breadth-first search, and the vertices that they were found for.
template <Holdings Holder, class Load>
class Reach : protected Loads<Load> {
protected:
    using Loads<Load>::has_room;
    using Loads<Load>::overloaded_;

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

    std::vector<std::uint32_t> level_;
    std::vector<std::uint32_t> reached_;
};

}  // namespace regraft::matching
