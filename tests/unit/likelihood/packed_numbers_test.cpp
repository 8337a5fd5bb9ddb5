#include "likelihood/clvs/packed_numbers.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::likelihood {
namespace {

std::vector<std::uint32_t> unpacked(PackedNumbers const& packed) {
    std::vector<std::uint32_t> numbers(packed.size());
    packed.unpack(numbers);
    return numbers;
}

TEST(PackedNumbers, AreTheNumbersThatWerePacked) {
    for (std::size_t const bound : {1U, 2U, 255U, 256U, 257U, 65535U, 65536U, 65537U, 100'000U}) {
        SCOPED_TRACE(bound);
        std::vector<std::uint32_t> numbers(bound);
        std::iota(numbers.begin(), numbers.end(), 0U);
        EXPECT_EQ(unpacked({numbers, numbers.size(), 0, bound}), numbers);
    }
}

TEST(PackedNumbers, AreFilledUp) {
    EXPECT_EQ(unpacked({std::vector<std::uint32_t>{7, 300}, 4, 5, 301}), (std::vector<std::uint32_t>{7, 300, 5, 5}));
    EXPECT_EQ(unpacked({{}, 2, 1, 2}), (std::vector<std::uint32_t>{1, 1}));
}

TEST(PackedNumbers, TakeAsFewBytesAsTheLargestNeeds) {
    EXPECT_EQ(PackedNumbers::width(256), 1);
    EXPECT_EQ(PackedNumbers::width(257), 2);
    EXPECT_EQ(PackedNumbers::width(65536), 2);
    EXPECT_EQ(PackedNumbers::width(65537), 4);
    EXPECT_TRUE(PackedNumbers().empty());
}

}  // namespace
}  // namespace regraft::likelihood
