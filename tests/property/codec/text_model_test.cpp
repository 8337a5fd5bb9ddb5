// Modelled texts come back as they were, and damaged ones are refused or are other texts of the same size.
#include "codec/entropy/text_model.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/core/zstd.hpp"
#include "support/mutated.hpp"

namespace regraft::codec {
namespace {

std::vector<std::byte> coded(std::string_view text, std::string_view before = {}) {
    return encode_modelled(std::as_bytes(std::span(text)), before);
}

std::string decoded(std::span<std::byte const> bytes, std::uint64_t size, std::string_view before = {}) {
    auto const text = decode_modelled(bytes, size, before);
    return {reinterpret_cast<char const*>(text.data()), text.size()};
}

/// Lines of any bytes, or of a few, with titles among them.
std::string random_text(Random& random) {
    std::string text;
    auto const num_letters = 1 + random.below(256);
    for (auto left = random.below(2000); left > 0; --left) {
        auto const kind = random.below(20);
        if (kind == 0) text += "\n>";
        if (kind == 1) text += '\n';
        text += static_cast<char>(random.below(num_letters));
    }
    return text;
}

TEST(TextModel, GivesAnyTextAgain) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const text = random_text(random);
        auto const before = seed % 2 == 0 ? std::string{} : random_text(random);
        EXPECT_EQ(decoded(coded(text, before), text.size(), before), text);
    }
}

TEST(TextModel, MakesNamesSmallerThanZstd) {
    std::string const names = "Canis_lupus\nCanis_latrans\nFelis_catus\nFelis_silvestris\nBos_taurus\n";
    EXPECT_LT(coded(names).size(), zstd_compress(std::as_bytes(std::span(names)), 19).size());
    EXPECT_LT(coded(names, names).size(), coded(names).size() / 2) << "it has learnt them";
}

TEST(TextModel, AlignedRowsPredictEachOther) {
    Random random(1);
    std::string row;
    for (int i = 0; i < 500; ++i) row += "ACGT"[random.below(4)];
    auto const once = coded(">a\n" + row + "\n").size();
    EXPECT_LT(coded(">a\n" + row + "\n>b\n" + row + "\n").size(), once + 20);
}

TEST(TextModel, RefusesDamagedBytesOrGivesAsMany) {
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const text = random_text(random);
        try {
            EXPECT_EQ(decoded(test::mutated(coded(text), random), text.size()).size(), text.size());
        } catch (InputError const&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
    EXPECT_THROW(decode_modelled({}, longest_modelled_text + 1, {}), InputError);
}

}  // namespace
}  // namespace regraft::codec
