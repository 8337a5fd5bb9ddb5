// The same bits for every instruction set, number of threads, and way in which sites are spread.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/likelihood/instructions.hpp"
#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using likelihood::Sites;
using msa::HalfEdge;

/// Answers of all kinds: sums and the bits of the patterns' values.
struct Answers {
    std::vector<SumBits> sums;
    std::vector<std::uint64_t> patterns;
    friend bool operator==(Answers const&, Answers const&) = default;
};

constexpr double some_length = 0.07;

std::vector<FixedSum> sums_at(Partition& partition, HalfEdge h) {
    std::vector<FixedSum> sums{loglh_sum(partition, h)};
    for (auto const& sum : derivative_sums(partition, h, some_length)) sums.push_back(sum);
    return sums;
}

Answers answers(LikelihoodCase const& c, likelihood::PartitionOptions const& options = {}) {
    Answers result;
    auto p = partition(c, options);
    std::vector<double> values(c.sites.weights.size());
    for (auto const h : c.tree.edges()) {
        for (auto const& sum : sums_at(p, h)) result.sums.push_back(bits(sum));
        FixedSum sum;
        p.add_loglh(h, sum, values);
        for (auto const value : values) result.patterns.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return result;
}

CaseShape shape_of(std::uint64_t seed) {
    Random random(seed);
    constexpr std::array states{2U, 3U, 4U, 4U, 5U, 20U, 21U, 64U};
    CaseShape shape;
    shape.num_states = states[seed % states.size()];
    shape.num_tips = 3 + static_cast<std::uint32_t>(random.below(shape.num_states > 30 ? 3 : 12));
    shape.num_categories = seed % 16 == 2 ? 4 : 1 + random.below(5);
    shape.num_patterns = 1 + random.below(40);
    shape.invariant = random.below(3) == 0;
    shape.ascertainment = random_ascertainment(shape, random);
    return shape;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t num_seeds = 8;  // one for each number of states: no optimisation, and every access checked
constexpr std::uint32_t many_tips = 300;
#else
constexpr std::uint64_t num_seeds = 48;
constexpr std::uint32_t many_tips = 900;
#endif

template <class Check>
void for_random_cases(Check check) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        check(random_case(shape_of(seed), seed), seed);
    }
}

/// Restores the instructions that were used before.
class Instructions {
public:
    explicit Instructions(std::string_view name) : before_(likelihood::used_instructions()) {
        likelihood::use_instructions(name);
    }
    Instructions(Instructions const&) = delete;
    Instructions& operator=(Instructions const&) = delete;
    ~Instructions() { likelihood::use_instructions(before_); }

private:
    std::string_view before_;
};

/// Long trees and a deep one, whose likelihoods are scaled often.
LikelihoodCase scaled_case(std::uint32_t num_states) {
    return random_case({.num_tips = many_tips,
                        .num_states = num_states,
                        .num_categories = 3,
                        .num_patterns = 5,
                        .ascertainment = likelihood::Ascertainment::felsenstein},
                       num_states);
}

TEST(LikelihoodBits, AreTheSameForEveryInstructionSet) {
    auto const names = likelihood::available_instructions();
    char const* const chosen = std::getenv("REGRAFT_INSTRUCTIONS");
    EXPECT_EQ(likelihood::used_instructions(), chosen == nullptr ? names.front() : chosen);
    EXPECT_EQ(names.back(), "scalar");
    for_random_cases([&](LikelihoodCase const& c, std::uint64_t) {
        auto const expected = answers(c);
        for (auto const name : names) {
            Instructions const other(name);
            ASSERT_EQ(likelihood::used_instructions(), name);
            EXPECT_TRUE(answers(c) == expected) << name;
        }
    });
}

TEST(LikelihoodBits, OfScaledLikelihoodsAreTheSameForEveryInstructionSet) {
    for (std::uint32_t const num_states : {2U, 4U, 20U}) {
        auto const c = scaled_case(num_states);
        auto p = partition(c);
        auto const expected = sums_at(p, many_tips);
        for (auto const name : likelihood::available_instructions()) {
            Instructions const other(name);
            auto again = partition(c);
            auto const sums = sums_at(again, many_tips);
            for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(bits(sums[i]), bits(expected[i])) << name;
        }
    }
}

TEST(LikelihoodBits, AreTheSameForAnyNumberOfThreads) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t) {
        auto const expected = answers(c);
        for (std::uint32_t const num_threads : {2U, 3U, 4U}) {
            EXPECT_TRUE(answers(c, {.num_threads = num_threads}) == expected) << num_threads;
        }
    });
}

/// Columns that are often alike, in subtrees and as a whole.
LikelihoodCase repetitive_case(std::uint64_t seed) {
    auto shape = shape_of(seed);
    shape.num_patterns = 60 + 7 * seed;
    auto c = random_case(shape, seed);
    for (auto& row : c.sites.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i * i % (7 + seed % 5)];
    }
    return c;
}

TEST(LikelihoodBits, AreTheSameWhereRepeatsAreComputedOnce) {
    using likelihood::Repeats;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(seed);
        for (auto const& c : {random_case(shape_of(seed), seed), repetitive_case(seed)}) {
            auto const expected = answers(c, {.repeats = Repeats::off});
            for (auto const repeats : {Repeats::automatic, Repeats::everywhere}) {
                for (std::uint32_t const num_threads : {1U, 3U}) {
                    EXPECT_TRUE(answers(c, {.num_threads = num_threads, .repeats = repeats}) == expected);
                }
                auto const least = Partition::least_slots(c.tree.num_tips());
                EXPECT_TRUE(answers(c, {.num_slots = least, .repeats = repeats}) == expected);
            }
        }
    }
}

TEST(LikelihoodBits, OfScaledRepeatsAreTheSame) {
    for (std::uint32_t const num_states : {2U, 4U, 20U}) {
        auto c = scaled_case(num_states);
        for (auto& row : c.sites.rows) row += row + row;
        c.sites.weights.resize(15, 2);
        auto plain = partition(c, {.repeats = likelihood::Repeats::off});
        auto repeated = partition(c, {.repeats = likelihood::Repeats::everywhere});
        for (msa::HalfEdge const h : {0U, many_tips, 2 * many_tips, 3 * many_tips}) {
            auto const expected = sums_at(plain, h);
            auto const sums = sums_at(repeated, h);
            for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(bits(sums[i]), bits(expected[i])) << h;
        }
    }
}

TEST(LikelihoodBits, AreTheSameForAnyNumberOfSlots) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t) {
        auto const expected = answers(c);
        for (auto num_slots = Partition::least_slots(c.tree.num_tips()); num_slots < 3 * c.tree.num_tips();
             ++num_slots) {
            EXPECT_TRUE(answers(c, {.num_slots = num_slots}) == expected) << num_slots;
        }
    });
}

/// The patterns with those numbers, none left out.
Sites some_sites(Sites const& sites, std::vector<std::size_t> const& patterns) {
    Sites result;
    result.ascertainment = sites.ascertainment;
    result.rows.resize(sites.rows.size());
    for (auto const i : patterns) {
        result.weights.push_back(sites.weights[i]);
        for (std::size_t t = 0; t < sites.rows.size(); ++t) result.rows[t].push_back(sites.rows[t][i]);
    }
    return result;
}

/// The sites with every occurrence of a pattern for itself.
Sites single_sites(Sites const& sites) {
    std::vector<std::size_t> occurrences;
    for (std::size_t i = 0; i < sites.weights.size(); ++i) occurrences.insert(occurrences.end(), sites.weights[i], i);
    auto result = some_sites(sites, occurrences);
    std::fill(result.weights.begin(), result.weights.end(), 1);
    result.left_out = sites.left_out;
    return result;
}

/// The sites dealt at random to that many parts, some of which may be empty, each in a random order.
std::vector<Sites> dealt(Sites const& sites, std::size_t num_parts, Random& random) {
    std::vector<std::size_t> order(sites.weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(std::span(order), random);
    std::vector<std::vector<std::size_t>> patterns(num_parts);
    for (auto const i : order) patterns[random.below(num_parts)].push_back(i);
    std::vector<Sites> parts;
    for (auto const& part : patterns) parts.push_back(some_sites(sites, part));
    parts[random.below(num_parts)].left_out = sites.left_out;
    return parts;
}

/// The answers at some edge, with an insertion's sum as the last one.
std::vector<SumBits> sums_of_parts(LikelihoodCase const& c, std::vector<Sites> const& parts, HalfEdge h) {
    std::vector<FixedSum> sums(4);
    for (auto const& sites : parts) {
        auto p = partition(c, c.tree, sites);
        auto const part = sums_at(p, h);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(part[i]);
    }
    std::vector<SumBits> result;
    for (auto const& sum : sums) result.push_back(bits(sum));
    return result;
}

TEST(LikelihoodBits, AreTheSameHoweverSitesAreDealt) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        Random random(seed);
        auto const h = static_cast<HalfEdge>(random.below(c.tree.num_half_edges()));
        auto const expected = sums_of_parts(c, {c.sites}, h);
        for (std::size_t const num_parts : {1U, 2U, 7U}) {
            EXPECT_EQ(sums_of_parts(c, dealt(c.sites, num_parts, random), h), expected);
            EXPECT_EQ(sums_of_parts(c, dealt(single_sites(c.sites), num_parts, random), h), expected);
        }
    });
}

/// The same tree whose tip t is called names[t].
msa::Tree renamed(msa::Tree const& tree, std::vector<std::uint32_t> const& names) {
    msa::Tree result(tree.num_tips());
    auto const name = [&](HalfEdge h) { return tree.is_tip(h) ? names[h] : h; };
    for (auto const h : tree.edges()) result.connect(name(h), name(tree.back(h)), tree.length(h));
    return result;
}

TEST(LikelihoodBits, DoNotDependOnTheOrderOfTips) {
    for_random_cases([](LikelihoodCase const& c, std::uint64_t seed) {
        Random random(seed);
        std::vector<std::uint32_t> names(c.tree.num_tips());
        std::iota(names.begin(), names.end(), 0);
        shuffle(std::span(names), random);
        auto other = c;
        other.tree = renamed(c.tree, names);
        for (std::size_t t = 0; t < names.size(); ++t) other.sites.rows[names[t]] = c.sites.rows[t];
        auto a = partition(c);
        auto b = partition(other);
        for (HalfEdge h = 0; h < c.tree.num_tips(); ++h) {
            EXPECT_EQ(bits(loglh_sum(a, h)), bits(loglh_sum(b, names[h])));
        }
    });
}

/// Many edges have the length 0, so different states at their ends have the likelihood 0.
LikelihoodCase case_with_strays(std::uint64_t seed) {
    auto shape = shape_of(seed);
    shape.num_patterns = 40;
    auto c = random_case(shape, seed);
    for (auto const h : c.tree.edges()) {
        if (h % 2 == 0) c.tree.set_length(h, 0);
    }
    return c;
}

TEST(LikelihoodBits, OfPatternsWithoutLikelihoodAreTheSameHoweverSitesAreDealt) {
    std::int64_t num_strays = 0;
    for (std::uint64_t seed = 0; seed < num_seeds / 2; ++seed) {
        SCOPED_TRACE(seed);
        auto const c = case_with_strays(seed);
        Random random(seed);
        auto const whole = sums_of_parts(c, {single_sites(c.sites)}, 2);
        num_strays += whole[0].num_strays;
        for (std::size_t const num_parts : {2U, 7U}) {
            EXPECT_EQ(sums_of_parts(c, dealt(single_sites(c.sites), num_parts, random), 2), whole);
        }
    }
    EXPECT_GT(num_strays, static_cast<std::int64_t>(num_seeds / 2));
}

TEST(LikelihoodBits, OfPatternsWithoutLikelihoodAreTheSameForEveryInstructionSet) {
    for (std::uint64_t seed = 0; seed < num_seeds / 2; ++seed) {
        auto const c = case_with_strays(seed);
        auto const expected = answers(c);
        for (auto const name : likelihood::available_instructions()) {
            Instructions const other(name);
            EXPECT_TRUE(answers(c) == expected) << name << ", seed " << seed;
        }
    }
}

}  // namespace
}  // namespace regraft::test
