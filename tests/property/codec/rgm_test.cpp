// .rgm files of any shape are read back, and every truncation and every flipped bit is noticed.
#include "regraft/codec/rgm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/alignment_texts.hpp"

namespace regraft::codec {
namespace {

using Bytes = std::vector<std::byte>;
using test::num_text_styles;
using test::TextStyle;
using test::Tidiness;

#ifdef _OPENMP
/// There are thousands of tiny inputs: waiting for threads would take longer than all of the work.
int const one_thread = (omp_set_num_threads(1), 1);
#endif

constexpr std::array kinds{Kind::plain, Kind::native, Kind::thesis};

ByteSink append_to(Bytes& bytes) {
    return [&bytes](std::span<std::byte const> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
}

SiteRange sites(std::uint64_t first, std::uint64_t last) {
    return {SiteId{first}, SiteId{last}};
}

/// There are at most 32 letters, which all kinds can hold.
constexpr std::string_view many_symbols = "ACGTUNacgtun-?.*!~RYSWKMBDHV#<=\\";

std::vector<msa::PartitionSpec> random_partitions(std::uint64_t num_sites, Random& random) {
    std::vector<msa::PartitionSpec> partitions;
    for (std::uint64_t first = 0; first < num_sites;) {
        auto const last = first + 1 + random.below(num_sites - first);
        auto const step = 1 + random.below(std::min<std::uint64_t>(3, last - first));
        for (std::uint64_t phase = 0; phase < step; ++phase) {
            partitions.push_back({"GTR+G", std::to_string(partitions.size()), {{first + phase, last, step}}});
        }
        first = last;
    }
    return partitions;
}

Bytes packed(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options,
             RgmExtras const& extras) {
    Bytes bytes;
    write_rgm(CompressedAlignment::encode(alignment, tree, options), extras, append_to(bytes));
    return bytes;
}

void expect_round_trip(std::string const& text, Kind kind, Random& random) {
    auto const alignment = msa::parse_alignment(text, "f");
    auto const num_taxa = static_cast<std::uint32_t>(alignment.num_taxa());
    auto const tree = num_taxa < 3 ? trivial_tree(num_taxa) : hang_up(msa::random_tree(num_taxa, random.below(1000)));
    RgmExtras const extras{random_partitions(alignment.num_sites(), random), msa::layout_of(text, alignment)};
    auto const sites_per_block = static_cast<std::uint32_t>(random.below(40));
    RgmFile const file(
        bytes_in_memory(packed(alignment, tree, {.kind = kind, .sites_per_block = sites_per_block}, extras), "f.rgm"));
    EXPECT_EQ(file.tree(), tree);
    EXPECT_EQ(file.extras().partitions, extras.partitions);
    EXPECT_EQ(file.extras().layout, extras.layout);
    EXPECT_EQ(file.text(), text);
    EXPECT_NO_THROW(file.verify());

    auto const before = file.bytes_read();
    auto const first = random.below(alignment.num_sites() + 1);
    auto const last = first + random.below(alignment.num_sites() - first + 1);
    auto const part = file.read(sites(first, last));
    EXPECT_EQ(file.bytes_read() - before, part.encoded().blocks.values.size());
    EXPECT_LT(part.sites().size(), last - first + 2 * file.sites_per_block());
    auto const rows = part.rows(sites(first, last));
    for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) {
        EXPECT_EQ(rows.row(taxon), alignment.row(taxon).substr(first, last - first));
    }
}

TEST(RgmProperty, AlignmentsOfAnyShapeAndLookAreReadBack) {
    std::uint64_t seed = 0;
    for (std::size_t const num_taxa : {1, 2, 3, 4, 7, 20, 300}) {
        for (std::size_t const num_sites : {0, 1, 2, 30, 100}) {
            for (auto const kind : kinds) {
                SCOPED_TRACE(testing::Message() << num_taxa << " x " << num_sites << ", seed " << seed);
                Random random(seed++);
                auto const symbols = random.below(2) == 0 ? std::string_view("ACGT-") : many_symbols;
                auto const alignment = test::random_alignment(num_taxa, num_sites, random, symbols);
                auto const style = static_cast<TextStyle>(random.below(num_text_styles));
                auto const tidiness = random.below(2) == 0 ? Tidiness::regular : Tidiness::with_oddities;
                expect_round_trip(test::random_text(alignment, style, tidiness, random), kind, random);
            }
        }
    }
}

// ---- Rows and names

TEST(RgmProperty, RowsMayBeInAnyOrderAtTheTips) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(1 + random.below(40));
        auto tree = n < 3 ? trivial_tree(n) : hang_up(msa::random_tree(n, seed));
        // Maps the order of the tree to any order.
        std::iota(tree.row_of_tip.begin(), tree.row_of_tip.end(), 0);
        for (auto swaps = random.below(2) == 0 ? random.below(4) : 3 * n; swaps > 0; --swaps) {
            std::swap(tree.row_of_tip[random.below(n)], tree.row_of_tip[random.below(n)]);
        }
        if (random.below(3) == 0) std::ranges::reverse(tree.row_of_tip);
        auto const alignment = test::random_alignment(n, 0, random);
        RgmFile const file(bytes_in_memory(packed(alignment, tree, {.kind = Kind::plain}, {}), "f.rgm"));
        EXPECT_EQ(file.tree(), tree);
    }
}

double bytes_of(RgmFile const& file, std::string_view name) {
    for (auto const& layer : file.layers()) {
        if (layer.name == name) return layer.bits / 8;
    }
    return -1;
}

TEST(RgmProperty, TheOrderOfRowsTakesWhatItSays) {
    constexpr std::uint32_t n = 1000;
    Random random(1);
    auto tree = hang_up(msa::random_tree(n, 1));
    auto const alignment = test::random_alignment(n, 0, random);
    auto const size_of_order = [&] {
        return bytes_of(RgmFile(bytes_in_memory(packed(alignment, tree, {.kind = Kind::plain}, {}), "f")), "row order");
    };
    std::iota(tree.row_of_tip.begin(), tree.row_of_tip.end(), 0);
    EXPECT_EQ(size_of_order(), 1);
    std::swap(tree.row_of_tip[10], tree.row_of_tip[500]);
    EXPECT_LE(size_of_order(), 2 + n / 8 + 250);
    shuffle(std::span(tree.row_of_tip), random);
    double const bits_of_all_orders = std::lgamma(n + 1.0) / std::log(2.0);
    EXPECT_LE(size_of_order(), 2 + (bits_of_all_orders + 0.09 * n) / 8);
}

TEST(RgmProperty, NamesOfAnyKindAreReadBack) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        msa::Alignment alignment;
        auto const n = 1 + random.below(30);
        auto const stem = std::string(random.below(2) == 0 ? random.below(20) : 100'000 * random.below(2), 'x');
        for (std::size_t i = 0; i < n; ++i) {
            auto name = random.below(2) == 0 ? stem : "\xc3\xa9t\xc3\xa9 ";
            alignment.names.push_back(name.append(std::to_string(random.below(2) == 0 ? i : 1000 * (i + 1))));
        }
        std::ranges::sort(alignment.names);
        alignment.names.erase(std::unique(alignment.names.begin(), alignment.names.end()), alignment.names.end());
        RgmFile const file(
            bytes_in_memory(packed(alignment, guide_tree(alignment), {.kind = Kind::plain}, {}), "f.rgm"));
        EXPECT_TRUE(std::ranges::equal(file.names(), alignment.names));
    }
}

// ---- Damage

/// Whether anything is noticed when all of the file is used.
bool is_refused(Bytes bytes) {
    try {
        RgmFile(bytes_in_memory(std::move(bytes), "f.rgm")).verify();
        return false;
    } catch (InputError const&) {
        return true;
    }
}

std::vector<Bytes> small_files() {
    std::string const text = " 4 12\none ACGTAC-TACGA\ntwo ACGTACGTACGA\nthree ACNTACGTACGA\nfour CCGTACGTACCA\n";
    auto const alignment = msa::parse_alignment(text, "f");
    RgmExtras const extras{{{"GTR", "a", {{0, 12, 2}}}, {"JC", "b", {{1, 12, 2}}}}, msa::layout_of(text, alignment)};
    std::vector<Bytes> files(1);
    write_plain_rgm(text, append_to(files[0]));
    for (auto const kind : kinds) {
        files.push_back(packed(alignment, guide_tree(alignment), {.kind = kind, .sites_per_block = 5}, extras));
        files.push_back(packed(alignment, guide_tree(alignment), {.kind = kind}, {}));
    }
    std::string_view fasta = ">one\nACGTACNNACGA\n>two x\nACGTACGTACGA\n>three\nACNTACGTACGA\n>four\nCCGTACGTACCA\n";
    auto const rows = msa::read_differences([&](std::span<char> buffer) {
        std::ranges::copy(fasta, buffer.begin());
        return std::exchange(fasta, "").size();
    });
    files.emplace_back();
    write_rgm(*rows, msa::placement_tree(rows->rows), append_to(files.back()));
    auto const empty = msa::parse_alignment(">a\n>b\n", "f");
    files.push_back(packed(empty, trivial_tree(2), {.kind = Kind::plain}, {}));
    return files;
}

TEST(RgmProperty, EveryTruncationIsNoticed) {
    for (auto const& file : small_files()) {
        EXPECT_FALSE(is_refused(file));
        for (std::size_t size = 0; size < file.size(); ++size) {
            EXPECT_TRUE(is_refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
            EXPECT_TRUE(is_refused({file.begin() + static_cast<std::ptrdiff_t>(size) + 1, file.end()})) << size;
        }
        auto longer = file;
        longer.push_back({});
        EXPECT_TRUE(is_refused(longer));
    }
}

TEST(RgmProperty, EveryFlippedBitIsNoticed) {
    for (auto file : small_files()) {
        for (std::size_t at = 0; at < file.size(); ++at) {
            for (unsigned bit = 0; bit < 8; ++bit) {
                auto const mask = static_cast<std::byte>(1U << bit);
                file[at] ^= mask;
                EXPECT_TRUE(is_refused(file)) << "byte " << at << " of " << file.size() << ", bit " << bit;
                file[at] ^= mask;
            }
        }
    }
}

TEST(RgmProperty, EveryMissingOrAddedByteIsNoticed) {
    for (auto const& file : small_files()) {
        for (std::size_t at = 0; at < file.size(); ++at) {
            auto changed = file;
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
            EXPECT_TRUE(is_refused(changed)) << at;
            changed = file;
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), std::byte{0});
            EXPECT_TRUE(is_refused(changed)) << at;
        }
    }
}

#ifdef _OPENMP
TEST(RgmProperty, AnyNumberOfThreadsWritesTheSameBytes) {
    Random random(1);
    auto const alignment = test::random_alignment(30, 500, random);
    for (auto const kind : kinds) {
        std::vector<Bytes> files;
        for (int const n : {1, 2, 4}) {
            omp_set_num_threads(n);
            files.push_back(packed(alignment, guide_tree(alignment), {.kind = kind}, {}));
        }
        EXPECT_EQ(files[0], files[1]);
        EXPECT_EQ(files[0], files[2]);
    }
    omp_set_num_threads(1);
}
#endif

}  // namespace
}  // namespace regraft::codec
