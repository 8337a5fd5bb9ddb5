// The readers of regraft-plan on thousands of damaged files.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/readers_check.hpp"
#include "recover/failures.hpp"
#include "regraft/core/random.hpp"

namespace regraft::fuzz {
namespace {

constexpr std::array<std::string_view, 36> alphabet = {" ",
                                                       "\t",
                                                       "\n",
                                                       "\r\n",
                                                       "\r",
                                                       "#",
                                                       "0",
                                                       "1",
                                                       "7",
                                                       "-",
                                                       "-1",
                                                       "+1",
                                                       "00",
                                                       ".5",
                                                       "2.",
                                                       "1e3",
                                                       "1e-999",
                                                       "1e999",
                                                       "0x1",
                                                       "nan",
                                                       "inf",
                                                       "4294967296",
                                                       "18446744073709551616",
                                                       "99999999999999999999999",
                                                       "x",
                                                       " node ",
                                                       "rack",
                                                       "switch",
                                                       ",",
                                                       "\xef\xbb\xbf",
                                                       "\xff",
                                                       std::string_view("\0", 1),
                                                       "# 1 node 2\n",
                                                       "\n\n",
                                                       "   \n",
                                                       "1 rank 2"};

std::string_view any_of(Random& random, std::span<std::string_view const> words) {
    return words[random.below(words.size())];
}

std::string random_line_end(Random& random) {
    constexpr std::array<std::string_view, 7> ends = {"\n", "\n", "\n", "\r\n", " \n", "# c\n", "\n# 1 2\n"};
    return std::string(any_of(random, ends));
}

std::string random_trace(Random& random) {
    constexpr std::array<std::string_view, 3> kinds = {" rank ", " node ", "\track  "};
    std::string text = random.below(4) == 0 ? "# trace\n" : "";
    for (auto n = random.below(6); n > 0; --n) {
        text += std::to_string(random.below(99)) + (random.below(2) == 0 ? ".25" : "");
        text += any_of(random, kinds);
        text += std::to_string(random.below(2)) + random_line_end(random);
    }
    return text;
}

/// Cuts, repeats, overwrites or inserts something.
void damage(std::string& text, Random& random) {
    auto const at = random.below(text.size() + 1);
    auto const length = random.below(text.size() - at + 1);
    switch (random.below(6)) {
        case 0:
            text.erase(at, 1 + random.below(2));
            break;
        case 1:
            text.insert(at, text.substr(random.below(text.size() + 1), length));
            break;
        case 2:
            if (at < text.size()) text[at] = static_cast<char>(random.below(256));
            break;
        case 3:
            text.resize(at);
            break;
        default:
            text.insert(at, any_of(random, alphabet));
            break;
    }
}

TEST(Trace, IsReadOrRefusedAsByANaiveReader) {
    int accepted = 0;
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 40'000; ++seed) {
        Random random(seed);
        auto text = random_trace(random);
        for (auto n = random.below(4); n > 0; --n) damage(text, random);
        ++(naive_trace(text) ? accepted : refused);
        ASSERT_EQ(complaint_about_trace(text), "") << "seed " << seed << ", text:\n" << text;
    }
    EXPECT_GT(accepted, 1000) << "the damage is too heavy to test much";
    EXPECT_GT(refused, 1000) << "the damage is too light to test much";
}

TEST(NaiveReader, FindsWhatIsWrong) {
    EXPECT_FALSE(naive_trace("1 node 3\n").has_value());
    EXPECT_FALSE(naive_trace("1 switch 0\n").has_value());
    EXPECT_FALSE(naive_trace("1 node 0 0\n").has_value());
    EXPECT_FALSE(naive_trace("-1 node 0\n").has_value());
    EXPECT_EQ(naive_trace("2 rank 1\n\n0.5 node 2"), (std::vector<NaiveFailure>{{1800, "node", 2}, {7200, "rank", 1}}));
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:4:1: too late"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:1:5: too far right"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:0:1: no line 0"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f: no place"), "");
    EXPECT_EQ(complaint_about_message("1 1\n", "f", "f:1:4: at the end"), "");
}

TEST(ListOfNumbers, IsAscendingAndInRangeOrRefused) {
    constexpr std::array<std::string_view, 15> words = {"0",   "3",   "9",          "10",           "-", ",", ",",  "-",
                                                        "2-5", "7-3", "4294967296", "0-4294967295", " ", "x", "1-9"};
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::string text;
        for (auto n = random.below(6); n > 0; --n) text += any_of(random, words);
        try {
            auto const numbers = plan::parse_list(text, 10, "--failed", "rank");
            ++accepted;
            EXPECT_FALSE(numbers.empty());
            EXPECT_TRUE(std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) == numbers.end());
            EXPECT_LT(numbers.back(), 10U);
        } catch (InputError const& error) {
            EXPECT_EQ(std::string_view(error.what()).substr(0, 10), "--failed: ");
        }
    }
    EXPECT_GT(accepted, 1000);
}

TEST(ListOfNumbers, JoinsRangesThatOverlap) {
    EXPECT_EQ(plan::parse_list("7,2-4,3-5,2", 10, "--failed", "rank"), (std::vector<std::uint32_t>{2, 3, 4, 5, 7}));
    EXPECT_EQ(plan::parse_list("0-9", 10, "--failed", "rank").size(), 10U);
}

TEST(RanksOfNodes, LeaveOutWhatTheLastNodeLacks) {
    std::vector<std::uint32_t> const nodes{0, 2};
    EXPECT_EQ(plan::num_nodes(7, 3), 3U);
    EXPECT_EQ(plan::ranks_of_nodes(nodes, 3, 7), (std::vector<PeId>{PeId{0}, PeId{1}, PeId{2}, PeId{6}}));
}

TEST(Draw, ChoosesTheNearestNumberAndEveryoneEquallyOften) {
    EXPECT_TRUE(plan::draw(10, 0, 1).empty());
    EXPECT_EQ(plan::draw(10, 1, 1).size(), 10U);
    EXPECT_EQ(plan::draw(10, 0.26, 1).size(), 3U);
    EXPECT_EQ(plan::draw(1000, 0.5, 7), plan::draw(1000, 0.5, 7));
    std::vector<int> count(10, 0);
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
        for (auto const i : plan::draw(10, 0.3, seed)) ++count[i];
    }
    for (auto const n : count) EXPECT_NEAR(n, 3000, 300);
}

}  // namespace
}  // namespace regraft::fuzz
