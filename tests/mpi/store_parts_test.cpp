// The private parts of the stores that need no messages.
#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "store/digest.hpp"

namespace regraft::store {
namespace {

std::uint64_t digest_of(placement::Any const& placement) {
    return Digest().add(placement).value();
}

TEST(Digest, TellsPlacementsApart) {
    auto const permuted = [](std::uint64_t seed) {
        return digest_of(placement::Permuted(1000, 5, 2, {.range_blocks = 4, .seed = seed}));
    };
    EXPECT_EQ(permuted(1), permuted(1));
    EXPECT_NE(permuted(1), permuted(2)) << "another seed";
    EXPECT_NE(permuted(1), digest_of(placement::ModK(1000, 5, 2))) << "another rule of the same shape";
    EXPECT_NE(digest_of(placement::ModK(1000, 5, 2)), digest_of(placement::ModK(1001, 5, 2)));
    EXPECT_NE(digest_of(placement::ModK(1000, 5, 2)), digest_of(placement::ModK(1000, 5, 3)));
    EXPECT_NE(digest_of(placement::ModK(0, 5, 2)), digest_of(placement::ModK(0, 6, 2)));
}

TEST(Digest, TellsLoadOptionsApart) {
    auto const digest = [](LoadOptions const& options) { return Digest().add(options).value(); };
    auto const nothing = [](BlockRange, std::span<std::byte>) {};
    EXPECT_EQ(digest({.reread = nothing}), digest({.reread = [](BlockRange, std::span<std::byte>) { FAIL(); }}))
        << "each PE has a function of its own";
    EXPECT_NE(digest({}), digest({.reread = nothing}));
    EXPECT_NE(digest({}), digest({.lost = LoadOptions::Lost::left}));
}

}  // namespace
}  // namespace regraft::store
