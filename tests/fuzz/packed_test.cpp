// Texts that four packers packed, damaged in thousands of ways.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "fuzz/packed_check.hpp"
#include "support/mutated.hpp"

namespace regraft::fuzz {
namespace {

constexpr std::uint64_t num_seeds = 2000;

TEST(PackedText, ComesBackInPiecesOfAnySize) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto const [bytes, text] = seed_packed(random);
        ASSERT_NE(common::packing_of(bytes), nullptr) << seed;
        auto const found = unpack(bytes, 1 + random.below(40), 1 + random.below(40));
        ASSERT_EQ(found.text, text) << seed << ": " << found.message;
    }
}

TEST(PackedText, IsRefusedIfItIsCutOff) {
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto const bytes = packed(std::string(100 + random.below(100), 'A'), static_cast<int>(seed % num_packers));
        auto const found =
            unpack(bytes.substr(0, common::packed_head + random.below(bytes.size() - common::packed_head)),
                   1 + random.below(40), 100);
        ASSERT_FALSE(found.text) << seed;
        ASSERT_TRUE(found.message.ends_with("but is cut off")) << seed << ": " << found.message;
    }
}

TEST(PackedText, IsRefusedOrConsistentIfItIsDamaged) {
    constexpr std::string_view bytes_in_headers("\0\xff\x1f\x8b(Z", 6);
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto const [bytes, text] = seed_packed(random);
        ASSERT_EQ(complaint_about_packed(test::mutated(bytes, bytes_in_headers, random), accepted), "") << seed;
    }
    EXPECT_LT(accepted, static_cast<int>(num_seeds / 2)) << "the damage is not found";
}

}  // namespace
}  // namespace regraft::fuzz
