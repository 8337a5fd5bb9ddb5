#include "regraft/ft/failure_plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"

namespace regraft::ft {
namespace {

FailPoint here("test:here");
FailPhase phase("test");

std::string error_of(std::string_view plan) {
    try {
        parse_failure_plan(plan);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(FailurePlan, ReadsWhatItWrites) {
    std::string const text = "test:here:3:0,test:inside:12:4000000000";
    auto const plan = parse_failure_plan(text);
    EXPECT_EQ(plan, (FailurePlan{{"test:here", PeId{3}, 0}, {"test:inside", PeId{12}, 4000000000}}));
    EXPECT_EQ(to_string(plan), text);
    EXPECT_TRUE(parse_failure_plan("").empty());
}

TEST(FailurePlan, RefusesWhatItCannotRead) {
    for (auto const* text :
         {"x", ":", "::", "test:here", "test:here:", "test:here:1", "test:here:1:", "test:here:-1:0", "test:here:1:0x",
          "test:here:1:0,", ",", "test:here:99999999999:0", "test:here:1:0,,test:here:1:0"}) {
        EXPECT_NE(error_of(text), "") << text;
    }
    auto const unknown = error_of("nowhere:1:0");
    EXPECT_EQ(unknown.find("failure plan: 'nowhere:1:0': there is no point named 'nowhere', expected "), 0U) << unknown;
    EXPECT_NE(unknown.find(", test:before, test:here, "), std::string::npos) << unknown;
    EXPECT_EQ(error_of("test:here:a:0"),
              "failure plan: 'test:here:a:0': expected point:rank:occurrence, such as load:inside:3:0");
}

TEST(FailurePlan, NamesVictimsAtTheirOccurrenceOnly) {
    set_failure_plan({{"test:here", PeId{3}, 1}, {"test:here", PeId{5}, 1}, {"test:before", PeId{3}, 0}});
    EXPECT_TRUE(here.victims_now().empty());
    EXPECT_EQ(here.victims_now(), (std::vector{PeId{3}, PeId{5}}));
    EXPECT_TRUE(here.victims_now().empty());
    EXPECT_EQ(here.occurrences(), 3u);
    EXPECT_EQ(phase.before.victims_now(), std::vector{PeId{3}});
    set_failure_plan({});
    EXPECT_EQ(here.occurrences(), 0u);
}

TEST(FailPoints, AreListedByName) {
    auto const points = fail_points();
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                               [](auto const* a, auto const* b) { return a->name() < b->name(); }));
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](auto const* point) { return point == &here; }));
}

}  // namespace
}  // namespace regraft::ft
