// Numbered lines come back as they were, and damaged ones are refused or are other lines, never too many.
#include "codec/rgm/numbered_lines.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "support/mutated.hpp"

namespace regraft::codec {
namespace {

using Lines = std::vector<std::string>;

constexpr std::uint64_t any_size = ~std::uint64_t{0};

Lines round_trip(Lines const& lines) {
    auto const coded = encode_numbered(lines);
    if (!coded) return {"none"};
    return decode_numbered(*coded, lines.size(), any_size);
}

std::size_t coded_size(Lines const& lines) {
    return encode_numbered(lines).value().coded.size();
}

/// Lines of a few forms, whose numbers repeat, ascend or are anything.
Lines random_lines(Random& random) {
    constexpr std::string_view characters = "AZ/_-.\t|";
    Lines forms;
    for (auto left = 1 + random.below(4); left > 0; --left) {
        auto& form = forms.emplace_back();
        for (auto size = random.below(30); size > 0; --size)
            form += random.below(2) == 0 ? '0' : characters[random.below(8)];
        if (random.below(8) == 0) form.append(random.below(40), '0');
    }
    Lines lines;
    std::uint64_t number = random.below(1000);
    for (auto left = 40 + random.below(200); left > 0; --left) {
        auto& line = lines.emplace_back(forms[random.below(forms.size())]);
        number += random.below(3) == 0 ? random.below(1'000'000) : random.below(2);
        auto digits = number;
        for (auto i = line.size(); i-- > 0;) {
            if (line[i] != '0') continue;
            line[i] = static_cast<char>('0' + (random.below(5) == 0 ? random.below(10) : digits % 10));
            digits /= 10;
        }
    }
    return lines;
}

TEST(NumberedLines, ComeBackWhateverTheirNumbers) {
    EXPECT_EQ(round_trip(Lines(9, "")), Lines(9, ""));
    EXPECT_EQ(round_trip(Lines(8, "no number")), Lines(8, "no number"));
    Lines accessions;
    for (std::uint32_t i = 0; i < 100; ++i) accessions.push_back("ERR" + std::to_string(4'000'000 + i * i));
    EXPECT_EQ(round_trip(accessions), accessions);
    Lines long_numbers(20, std::string(40, '9'));
    long_numbers[3][7] = '0';
    EXPECT_EQ(round_trip(long_numbers), long_numbers);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const lines = random_lines(random);
        auto const coded = encode_numbered(lines);
        if (coded) {
            EXPECT_EQ(decode_numbered(*coded, lines.size(), any_size), lines);
        }
    }
}

TEST(NumberedLines, AreNotTakenIfEachHasAFormOfItsOwn) {
    EXPECT_FALSE(encode_numbered(Lines{}));
    EXPECT_FALSE(encode_numbered(Lines{"one1"}));
    Lines names;
    for (char c = 'a'; c <= 'z'; ++c) names.emplace_back(3, c);
    EXPECT_FALSE(encode_numbered(names));
    std::string many_numbers;
    for (int i = 0; i < 33; ++i) many_numbers += "x1";
    EXPECT_FALSE(encode_numbered(Lines(100, many_numbers)));
}

TEST(NumberedLines, TakeAsManyBitsAsTheirNumbersNeed) {
    Random random(1);
    Lines anything;
    Lines neighbours;
    std::uint64_t last = 10'000'000;
    for (int i = 0; i < 4000; ++i) {
        anything.push_back("EPI_" + std::to_string(10'000'000 + random.below(90'000'000)));
        neighbours.push_back("ERR" + std::to_string(last += 1 + random.below(4)));
    }
    EXPECT_LT(8.0 * static_cast<double>(coded_size(anything)) / 4000, 27.2);  // log2(9e7) is 26.4
    EXPECT_LT(8.0 * static_cast<double>(coded_size(neighbours)) / 4000, 2.3);
}

TEST(NumberedLines, ThatAreDamagedAreRefusedOrOthers) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const lines = random_lines(random);
        auto coded = encode_numbered(lines);
        if (!coded) continue;
        auto const size = std::accumulate(lines.begin(), lines.end(), std::size_t{0},
                                          [](auto sum, auto const& line) { return sum + line.size() + 1; });
        coded->coded = test::mutated(std::move(coded->coded), random);
        if (random.below(4) == 0) coded->forms[random.below(coded->forms.size())] += "07";
        try {
            auto const found = decode_numbered(*coded, lines.size(), size + 50);
            EXPECT_EQ(found.size(), lines.size());
        } catch (InputError const&) {
        }
    }
    auto const coded = encode_numbered(Lines(10, "name1")).value();
    EXPECT_THROW(decode_numbered(coded, 10, 59), InputError);
    EXPECT_THROW(decode_numbered(coded, std::uint64_t{1} << 60, 1000), InputError);
    EXPECT_THROW(decode_numbered({}, 1, any_size), InputError);
}

}  // namespace
}  // namespace regraft::codec
