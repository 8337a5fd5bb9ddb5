// The loads of right vertices, and which of them are overloaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace regraft::matching {

enum class ReliefOutcome {
    relieved,  // no vertex is overloaded
    closed,    // the overloaded vertices reach none with room: closed_set() is everything that they reach
    gave_up,
};

/// The state that all ways of relieving vertices share.
template <class Load>
class Loads {
protected:
    void take(std::span<Load> load, Load aim) {
        load_ = load;
        aim_ = aim;
        find_overloaded();
    }

    bool has_room(std::uint32_t v) const { return load_[v] < aim_; }
    bool is_overloaded(std::uint32_t v) const { return load_[v] > aim_; }

    void forget_relieved() {
        std::erase_if(overloaded_, [&](auto v) { return !is_overloaded(v); });
    }

    /// Moves as many units from the first vertex of the path to the last as both can bear and all ways on it have room
    /// for. width(v): the width of the way out of v. Returns the number.
    template <class Width>
    std::uint64_t move_load(std::span<std::uint32_t const> path, Width width) {
        auto& from = load_[path.front()];
        auto& to = load_[path.back()];
        auto units = std::min<Load>(from - aim_, aim_ - to);
        for (auto const v : path.first(path.size() - 1))
            units = static_cast<Load>(std::min<std::uint64_t>(static_cast<std::uint64_t>(units), width(v)));
        from -= units;
        to += units;
        return static_cast<std::uint64_t>(units);
    }

    std::span<Load> load_;
    Load aim_{};
    std::vector<std::uint32_t> overloaded_;

private:
    void find_overloaded() {
        overloaded_.clear();
        for (std::uint32_t v = 0; v < load_.size(); ++v) {
            if (is_overloaded(v)) overloaded_.push_back(v);
        }
    }
};

}  // namespace regraft::matching
