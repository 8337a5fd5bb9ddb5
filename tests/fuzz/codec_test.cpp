// Texts, .rgm files and coded columns damaged in thousands of ways.
#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "fuzz/codec_check.hpp"
#include "support/mutated.hpp"

namespace regraft::fuzz {
namespace {

using codec::Kind;

#ifdef _OPENMP
/// There are thousands of tiny inputs: waiting for threads would take longer than all of the work.
int const one_thread = (omp_set_num_threads(1), 1);
#endif

constexpr std::array kinds{Kind::plain, Kind::native, Kind::thesis};
constexpr std::array file_kinds{Kind::plain, Kind::native, Kind::thesis, Kind::sparse};
constexpr std::uint64_t num_seeds = 1000;

TEST(DamagedFile, IsRefusedOrConsistent) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto const bytes = seed_file(file_kinds[seed % file_kinds.size()], random);
        ASSERT_EQ(complaint_about_file(bytes, accepted), "") << seed;
        auto broken = test::mutated(bytes, random);
        ASSERT_EQ(complaint_about_file(broken, accepted), "") << seed;
        reseal(broken);
        ASSERT_EQ(complaint_about_file(broken, accepted), "") << seed;
    }
    EXPECT_GE(accepted, static_cast<int>(num_seeds)) << "good files are refused";
}

TEST(DamagedColumns, AreRefusedOrConsistent) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto const kind = kinds[seed % kinds.size()];
        auto const bytes = seed_columns(kind, random);
        ASSERT_EQ(complaint_about_columns(kind, bytes, accepted), "") << seed;
        for (int i = 0; i < 10; ++i) {
            ASSERT_EQ(complaint_about_columns(kind, test::mutated(bytes, random), accepted), "") << seed;
        }
    }
    EXPECT_GE(accepted, static_cast<int>(num_seeds)) << "good columns are refused";
}

TEST(DamagedText, IsRefusedOrWrittenAgain) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 10 * num_seeds; ++seed) {
        Random random(seed);
        auto const text = seed_text(random);
        ASSERT_EQ(complaint_about_text(text, accepted), "") << seed;
        constexpr std::array letters{test::alignment_letters, test::nexus_letters, test::block_letters,
                                     test::vcf_letters};
        ASSERT_EQ(complaint_about_text(test::mutated(text, letters[random.below(4)], random), accepted), "") << seed;
    }
    EXPECT_GE(accepted, static_cast<int>(10 * num_seeds)) << "good texts are refused";
}

TEST(DamagedMaple, IsRefusedOrWrittenAgain) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 5 * num_seeds; ++seed) {
        Random random(seed);
        auto const text = seed_maple(random);
        ASSERT_EQ(complaint_about_maple(text, accepted), "") << seed;
        constexpr std::string_view letters = "\n\r\t >acgtnyACGTU-0129\0\xff";
        ASSERT_EQ(complaint_about_maple(test::mutated(text, letters, random), accepted), "") << seed;
    }
    EXPECT_GE(accepted, static_cast<int>(5 * num_seeds)) << "good texts are refused";
}

TEST(Reseal, LeavesGoodFilesAsTheyAre) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        auto const bytes = seed_file(Kind::native, random);
        auto again = bytes;
        reseal(again);
        EXPECT_EQ(again, bytes);
    }
}

}  // namespace
}  // namespace regraft::fuzz
