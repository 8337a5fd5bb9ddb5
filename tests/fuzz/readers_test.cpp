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

constexpr std::array<std::string_view, 31> alphabet = {" ",
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
                                                       "4294967294",
                                                       "4294967295",
                                                       "4294967296",
                                                       "4294967297",
                                                       "18446744073709551615",
                                                       "18446744073709551616",
                                                       "99999999999999999999999",
                                                       "x",
                                                       "1e3",
                                                       "0x1",
                                                       ",",
                                                       "\xef\xbb\xbf",
                                                       "\xff",
                                                       std::string_view("\0", 1),
                                                       "# 1 2\n",
                                                       "\n\n",
                                                       "   \n",
                                                       "1 2"};

std::string_view any_of(Random& random, std::span<std::string_view const> words) {
    return words[random.below(words.size())];
}

std::string random_line_end(Random& random) {
    constexpr std::array<std::string_view, 7> ends = {"\n", "\n", "\n", "\r\n", " \n", "# c\n", "\n# 1 2\n"};
    return std::string(any_of(random, ends));
}

std::string random_graph(Random& random) {
    auto const num_blocks = random.below(6);
    auto const num_ranks = 1 + random.below(5);
    std::string text = random.below(4) == 0 ? "# graph\n" : "";
    text += std::to_string(num_blocks) + " " + std::to_string(num_ranks) + random_line_end(random);
    for (std::uint64_t x = 0; x < num_blocks; ++x) {
        for (auto n = random.below(4); n > 0; --n) text += std::to_string(random.below(num_ranks)) + " ";
        text += random.below(3) == 0 ? "\n" : random_line_end(random);
    }
    return text;
}

std::string random_transfers(Random& random) {
    std::string text;
    for (auto n = random.below(6); n > 0; --n) {
        text += std::to_string(random.below(9)) + " " + std::to_string(random.below(9)) + random_line_end(random);
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

/// The number of texts of each kind.
struct Tally {
    int accepted = 0;
    int refused = 0;
};

template <class Make, class IsGood, class Complaint>
Tally try_damaged(std::uint64_t first_seed, Make make, IsGood is_good, Complaint complaint) {
    constexpr std::uint64_t num_seeds = 20'000;
    Tally tally;
    for (auto seed = first_seed; seed < first_seed + num_seeds; ++seed) {
        Random random(seed);
        auto text = make(random);
        for (auto n = random.below(4); n > 0; --n) damage(text, random);
        ++(is_good(text) ? tally.accepted : tally.refused);
        auto const wrong = complaint(text);
        EXPECT_EQ(wrong, "") << "seed " << seed << ", text:\n" << text;
        if (!wrong.empty()) break;
    }
    return tally;
}

TEST(GraphFile, IsReadOrRefusedAsByANaiveReader) {
    auto const tally = try_damaged(
        0, random_graph, [](auto const& text) { return naive_graph(text).has_value(); }, complaint_about_graph);
    EXPECT_GT(tally.accepted, 1000) << "the damage is too heavy to test much";
    EXPECT_GT(tally.refused, 1000) << "the damage is too light to test much";
}

TEST(TransferFile, IsReadOrRefusedAsByANaiveReader) {
    auto const tally = try_damaged(
        1'000'000, random_transfers, [](auto const& text) { return naive_transfers(text).has_value(); },
        complaint_about_transfers);
    EXPECT_GT(tally.accepted, 1000);
    EXPECT_GT(tally.refused, 1000);
}

TEST(NaiveReader, FindsWhatIsWrong) {
    EXPECT_FALSE(naive_graph("1 1\n1\n").has_value());
    EXPECT_FALSE(naive_graph("2 1\n0\n").has_value());
    EXPECT_FALSE(naive_transfers("1 2 3\n").has_value());
    EXPECT_EQ(naive_graph("2 2\n0 1\n\n")->rows, (std::vector<Numbers>{{0, 1}, {}}));
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:4:1: too late"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:1:5: too far right"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f:0:1: no line 0"), "");
    EXPECT_NE(complaint_about_message("1 1\n", "f", "f: no place"), "");
    EXPECT_EQ(complaint_about_message("1 1\n", "f", "f:1:4: at the end"), "");
}

TEST(GraphFile, MemoryFollowsTheTextAndNotTheHeader) {
    EXPECT_THROW(plan::parse_graph("4294967294 4294967296\n0\n", "f"), InputError);
    auto const graph = plan::parse_graph("2 4294967296\n4294967295 0\n4294967295\n", "f");
    EXPECT_EQ(graph.ranks, (std::vector<std::uint32_t>{0, 4294967295}));
    EXPECT_EQ(graph.holders.values, (std::vector<std::uint32_t>{1, 0, 1}));
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
