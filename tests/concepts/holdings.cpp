// Holdings of nothing. MISTAKE: width() tells a number of another type, which would be cut.
#include "matching/relief.hpp"

using namespace regraft::matching;

struct Nothing {
    static constexpr bool cursors_need_levels = true;
    static constexpr int many_phases = 1;
    bool begin_phase() { return false; }
    void for_each_neighbour(std::uint32_t, std::uint32_t, auto) {}
    void start(std::uint32_t) {}
    std::uint32_t next_step(std::uint32_t, std::uint32_t, auto) { return none; }
    void skip_step(std::uint32_t) {}
#ifdef MISTAKE
    std::uint32_t width(std::uint32_t) const {
        return 0;
    }
#else
    std::uint64_t width(std::uint32_t) const {
        return 0;
    }
#endif
    void hand_over(std::span<std::uint32_t const>, std::uint64_t) {}
    bool begin_distances() {
        return false;
    }
    void for_each_giver(std::uint32_t, auto) {}
    std::uint64_t num_ways(std::uint32_t) const {
        return 0;
    }
    std::uint32_t next_way(std::uint32_t, auto) {
        return none;
    }
    std::uint64_t way_width(std::uint32_t) const {
        return 0;
    }
    void hand_over_ways(std::span<std::uint32_t const>, std::uint64_t) {}
};

Relief<Nothing, std::uint32_t> relief;
