#include "search/models/nested_models.hpp"

#include <gtest/gtest.h>

namespace regraft::phylo {

using namespace search;

namespace {

TEST(Contains, IsTrueOfWhatParametersOrTheirLimitsMake) {
    struct Pair {
        Candidate general;
        Candidate special;
    };
    for (auto const& [general, special] : {Pair{{"LG", "+I"}, {"LG", ""}},
                                           {{"LG", "+I+G4m"}, {"LG", "+I"}},
                                           {{"LG", "+I+G4m"}, {"LG", "+G4m"}},
                                           {{"LG", "+R2"}, {"LG", ""}},
                                           {{"LG", "+R2"}, {"LG", "+I"}},
                                           {{"LG", "+R4"}, {"LG", "+R3"}},
                                           {{"LG", "+R4"}, {"LG", "+G4m"}},
                                           {{"LG", "+R5"}, {"LG", "+I+G4m"}},
                                           {{"GTR+FC", "+G4m"}, {"HKY+FC", "+G4m"}},
                                           {{"GTR+FC", "+R3"}, {"F81+FC", "+I"}},
                                           {{"SYM", ""}, {"JC", ""}}}) {
        EXPECT_TRUE(contains(general, special)) << general.name() << " " << special.name();
        EXPECT_FALSE(contains(special, general)) << general.name() << " " << special.name();
    }
}

TEST(Contains, IsFalseOfOthers) {
    struct Pair {
        Candidate a;
        Candidate b;
    };
    for (auto const& [a, b] : {Pair{{"LG", "+R3"}, {"LG", "+R3"}},
                               {{"LG", "+R3"}, {"LG", "+G4m"}},
                               {{"LG", "+R4"}, {"LG", "+I+G4m"}},
                               {{"LG", "+I"}, {"LG", "+G4m"}},
                               {{"LG", "+R3"}, {"WAG", "+R2"}},
                               {{"LG+FC", "+G4m"}, {"LG", "+G4m"}},
                               {{"GTR+FC", ""}, {"SYM", ""}},
                               {{"TPM2", ""}, {"TPM3", ""}}}) {
        EXPECT_FALSE(contains(a, b)) << a.name() << " " << b.name();
        EXPECT_FALSE(contains(b, a)) << a.name() << " " << b.name();
    }
}

TEST(RaiseToContained, RaisesTheNewAndTheOldAndNoOthers) {
    std::vector<TriedModel> trials{{{"LG", "+R2"}, 20, -110}, {{"LG", "+R3"}, 22, -100}, {{"LG", "+R4"}, 24, -103}};
    raise_to_contained(trials);
    EXPECT_EQ(trials[2].loglh, -100);
    trials.push_back({{"LG", "+I"}, 19, -105});
    raise_to_contained(trials);
    EXPECT_EQ(trials[0].loglh, -105);
    EXPECT_EQ(trials[1].loglh, -100);
    trials.push_back({{"WAG", "+I"}, 19, -90});
    raise_to_contained(trials);
    EXPECT_EQ(trials[0].loglh, -105);
}

}  // namespace
}  // namespace regraft::phylo
