#include "shield/session/handle_map.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace regraft::shield {
namespace {

using Map = HandleMap<int const*, std::string>;

std::vector<int> const& things() {
    static std::vector<int> const all(3000);
    return all;
}

TEST(HandleMap, IsEmptyAtFirst) {
    Map map;
    EXPECT_EQ(map.size(), 0U);
    EXPECT_EQ(map.find(&things()[0]), map.end());
    map.erase(&things()[0]);
    EXPECT_EQ(map.size(), 0U);
}

TEST(HandleMap, ForgetsWhatWasErased) {
    Map map;
    map[&things()[1]] = "one";
    map.erase(map.find(&things()[1]));
    EXPECT_EQ(map.find(&things()[1]), map.end());
    EXPECT_EQ(map[&things()[1]], "");
}

// Insertions prevail at first, then erasures, so that the map grows and runs empty; every key that was ever in it is
// asked for.
TEST(HandleMap, LooksAtTheValuesOfHandlesOnly) {
    int items[2] = {};
    Map map;
    EXPECT_FALSE(map.any_of([](std::string const&) { return true; }));
    map[&items[0]] = "a";
    map[&items[1]] = "b";
    EXPECT_TRUE(map.any_of([](std::string const& value) { return value == "b"; }));
    EXPECT_FALSE(map.any_of([](std::string const& value) { return value.empty(); }));
}

TEST(HandleMap, HoldsWhatTheStandardMapHolds) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const range = seed % 2 == 0 ? things().size() : 100;
        Map map;
        std::unordered_map<int const*, std::string> expected;
        for (std::uint64_t step = 0; step < 8000; ++step) {
            auto const* const handle = &things()[random.below(range)];
            if (random.below(100) < (step < 4000 ? 70 : 30)) {
                map[handle] = expected[handle] = std::to_string(step);
            } else {
                map.erase(handle);
                expected.erase(handle);
            }
            ASSERT_EQ(map.size(), expected.size());
            if (step % 500 != 0) continue;
            for (auto const& thing : things()) {
                auto const found = expected.find(&thing);
                auto const ours = map.find(&thing);
                ASSERT_EQ(ours == map.end(), found == expected.end());
                if (ours == map.end()) continue;
                EXPECT_EQ(ours->first, &thing);
                EXPECT_EQ(ours->second, found->second);
            }
        }
    }
}

}  // namespace
}  // namespace regraft::shield
