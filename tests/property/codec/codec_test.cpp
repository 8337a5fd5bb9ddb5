// All kinds of coding give back every cell, and survive any bytes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "regraft/codec/columns.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/alignment_instances.hpp"
#include "support/mutated.hpp"

namespace regraft::codec {
namespace {

constexpr std::array kinds{Kind::plain, Kind::native, Kind::thesis};

RootedTree random_tree(std::size_t num_taxa, std::uint64_t seed) {
    auto const num_tips = static_cast<std::uint32_t>(num_taxa);
    return num_tips < 3 ? trivial_tree(num_tips) : hang_up(msa::random_tree(num_tips, seed));
}

/// Whether a kind has room for all characters; if not, encoding says so.
bool holds(Kind kind, msa::Alignment const& alignment, RootedTree const& tree) {
    auto symbols = alignment.cells;
    std::ranges::sort(symbols);
    symbols.erase(std::ranges::unique(symbols).begin(), symbols.end());
    if (kind != Kind::native || symbols.size() <= 32) return true;
    try {
        encode_columns(alignment, tree, {.kind = kind});
        return true;
    } catch (InputError const&) {
        return false;
    }
}

// ---- Decoding with guards

enum class Layout { rows, columns };

/// A grid of cells with a margin around it, to which no decoder may write.
class GuardedGrid {
public:
    GuardedGrid(std::size_t num_rows, std::uint32_t num_sites, Layout layout)
        : num_rows_(num_rows),
          num_sites_(num_sites),
          layout_(layout),
          cells_(margin + num_rows * stride() + margin + num_sites * stride(), untouched) {}

    CellGrid grid() {
        auto* const begin = cells_.data() + margin;
        if (layout_ == Layout::rows) return {begin, stride(), 1};
        return {begin, 1, stride()};
    }
    char cell(std::size_t row, std::uint32_t site) const {
        return layout_ == Layout::rows ? cells_[margin + row * stride() + site]
                                       : cells_[margin + site * stride() + row];
    }
    /// Whether no cell outside of the grid was written to.
    bool is_intact() const {
        auto rest = cells_;
        for (std::size_t row = 0; row < num_rows_; ++row)
            for (std::uint32_t site = 0; site < num_sites_; ++site)
                rest[margin + (layout_ == Layout::rows ? row * stride() + site : site * stride() + row)] = untouched;
        return std::ranges::count(rest, untouched) == static_cast<std::ptrdiff_t>(rest.size());
    }

private:
    static constexpr std::size_t margin = 64;
    static constexpr std::size_t gap = 3;  // between rows or columns
    static constexpr char untouched = '\1';

    std::size_t stride() const { return gap + (layout_ == Layout::rows ? num_sites_ : num_rows_); }

    std::size_t num_rows_;
    std::uint32_t num_sites_;
    Layout layout_;
    std::vector<char> cells_;
};

std::uint32_t sites_of_block(EncodedColumns const& encoded, std::uint64_t num_sites, std::size_t block) {
    auto const first = block * std::uint64_t{encoded.sites_per_block};
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(encoded.sites_per_block, num_sites - first));
}

void expect_cells(msa::Alignment const& alignment, EncodedColumns const& encoded, ColumnDecoder const& decoder,
                  std::size_t block, BlockSites sites, Layout layout) {
    auto const block_sites = sites_of_block(encoded, alignment.num_sites(), block);
    GuardedGrid out(alignment.num_taxa(), sites.last - sites.first, layout);
    decoder.decode(encoded.blocks[block], block_sites, sites, out.grid());
    EXPECT_TRUE(out.is_intact());
    std::uint64_t num_wrong = 0;
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        for (auto i = sites.first; i < sites.last; ++i) {
            auto const expected = alignment.cell(row, block * std::uint64_t{encoded.sites_per_block} + i);
            num_wrong += out.cell(row, i - sites.first) == expected ? 0 : 1;
        }
    }
    EXPECT_EQ(num_wrong, 0u) << "of sites " << sites.first << " to " << sites.last << " of block " << block;
}

// ---- Round trips

/// Decodes all blocks as a whole in both layouts, and a random part of each.
void expect_round_trip(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options,
                       Random& random) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(options.kind) << ", effort "
                                    << static_cast<int>(options.effort) << ", " << alignment.num_taxa() << " x "
                                    << alignment.num_sites() << ", blocks of " << options.sites_per_block);
    if (!holds(options.kind, alignment, tree)) return;
    auto const encoded = encode_columns(alignment, tree, options);
    ASSERT_EQ(encoded.kind, options.kind);
    EXPECT_TRUE(options.sites_per_block == 0 || encoded.sites_per_block == options.sites_per_block);
    ASSERT_EQ(encoded.blocks.size(), (alignment.num_sites() + encoded.sites_per_block - 1) / encoded.sites_per_block);
    ColumnDecoder const decoder(options.kind, encoded.model, tree);
    EXPECT_EQ(decoder.kind(), options.kind);
    EXPECT_EQ(decoder.tree(), tree);
    for (std::size_t block = 0; block < encoded.blocks.size(); ++block) {
        auto const all = sites_of_block(encoded, alignment.num_sites(), block);
        expect_cells(alignment, encoded, decoder, block, {0, all}, Layout::rows);
        expect_cells(alignment, encoded, decoder, block, {0, all}, Layout::columns);
        auto const first = static_cast<std::uint32_t>(random.below(all + 1));
        auto const last = first + static_cast<std::uint32_t>(random.below(all + 1 - first));
        expect_cells(alignment, encoded, decoder, block, {first, last},
                     random.below(2) == 0 ? Layout::rows : Layout::columns);
    }
}

template <class Body>
void for_all_families(std::span<test::AlignmentSize const> sizes, Body body) {
    for (auto const& family : test::alignment_families) {
        SCOPED_TRACE(family.name);
        for (auto const& size : sizes) {
            for (auto const kind : kinds) body(family.make(size), kind, size.seed);
        }
    }
}

TEST(CodecProperty, AlignmentsOfAnyShapeRoundTrip) {
    std::vector<test::AlignmentSize> sizes;
    for (std::uint32_t num_taxa : {1, 2, 3, 4, 5, 9, 40}) {
        for (std::uint64_t num_sites : {0, 1, 17, 100}) sizes.push_back({num_taxa, num_sites, sizes.size()});
    }
    sizes.push_back({150, 40, 1});
    for_all_families(sizes, [](msa::Alignment const& alignment, Kind kind, std::uint64_t seed) {
        Random random(seed);
        expect_round_trip(alignment, random_tree(alignment.num_taxa(), seed), {.kind = kind}, random);
    });
}

TEST(CodecProperty, BlocksOfAnySizeRoundTrip) {
    std::array const sizes{test::AlignmentSize{1, 3, 1}, test::AlignmentSize{30, 130, 2}};
    for_all_families(sizes, [](msa::Alignment const& alignment, Kind kind, std::uint64_t seed) {
        Random random(seed);
        auto const tree = random_tree(alignment.num_taxa(), seed);
        for (std::uint32_t sites_per_block : {1, 2, 16, 64, 1000})
            expect_round_trip(alignment, tree, {.kind = kind, .sites_per_block = sites_per_block}, random);
    });
}

TEST(CodecProperty, EveryEffortRoundTrips) {
    std::array const sizes{test::AlignmentSize{25, 150, 3}};
    for_all_families(sizes, [](msa::Alignment const& alignment, Kind kind, std::uint64_t seed) {
        Random random(seed);
        auto const tree = random_tree(alignment.num_taxa(), seed);
        for (auto const effort : {Effort::fast, Effort::normal, Effort::best})
            expect_round_trip(alignment, tree, {.kind = kind, .effort = effort}, random);
    });
}

TEST(CodecProperty, TheTreeDecidesAboutSizeOnly) {
    Random random(1);
    auto const alignment = test::messy_dna({12, 100, 1});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        for (auto const kind : kinds) expect_round_trip(alignment, random_tree(12, seed), {.kind = kind}, random);
    }
}

TEST(CodecProperty, LayersAddUpToTheBlocks) {
    std::array const sizes{test::AlignmentSize{25, 150, 3}};
    for_all_families(sizes, [](msa::Alignment const& alignment, Kind kind, std::uint64_t seed) {
        auto const tree = random_tree(alignment.num_taxa(), seed);
        if (!holds(kind, alignment, tree)) return;
        auto const encoded = encode_columns(alignment, tree, {.kind = kind, .sites_per_block = 50});
        ColumnDecoder const decoder(encoded.kind, encoded.model, tree);
        double sum = 0;
        for (std::size_t block = 0; block < encoded.blocks.size(); ++block)
            for (auto const& layer : decoder.layers(encoded.blocks[block], 50)) sum += layer.bits;
        // The layers add up to all bits, except for the state in which an entropy coder ends, and for rounding.
        auto const bits = 8.0 * static_cast<double>(encoded.blocks.values.size());
        EXPECT_LE(sum, bits) << static_cast<int>(kind);
        EXPECT_GE(sum, 0.99 * bits - 40.0 * static_cast<double>(encoded.blocks.size())) << static_cast<int>(kind);
    });
}

#ifdef _OPENMP
TEST(CodecProperty, TheBytesAreTheSameForAnyNumberOfThreads) {
    auto const threads_before = omp_get_max_threads();
    std::array const sizes{test::AlignmentSize{30, 200, 4}};
    for_all_families(sizes, [](msa::Alignment const& alignment, Kind kind, std::uint64_t seed) {
        auto const tree = random_tree(alignment.num_taxa(), seed);
        if (!holds(kind, alignment, tree)) return;
        omp_set_num_threads(1);
        auto const one = encode_columns(alignment, tree, {.kind = kind, .sites_per_block = 16});
        for (int const threads : {2, 4}) {
            omp_set_num_threads(threads);
            auto const many = encode_columns(alignment, tree, {.kind = kind, .sites_per_block = 16});
            EXPECT_TRUE(many.model == one.model && many.blocks == one.blocks)
                << static_cast<int>(kind) << ", " << threads;
        }
    });
    omp_set_num_threads(threads_before);
}
#endif

// ---- Any bytes

using Bytes = std::vector<std::byte>;

Bytes random_bytes(Random& random) {
    Bytes out(random.below(200));
    for (auto& byte : out) byte = static_cast<std::byte>(random.below(random.below(2) == 0 ? 4 : 256));
    return out;
}

struct Survey {
    std::uint64_t decoded = 0;
    std::uint64_t refused = 0;
};

/// Decodes any bytes: the result is some cells or an InputError, and nothing is written outside of the grid.
void survive(Kind kind, Bytes const& model, Bytes const& block, RootedTree const& tree, std::uint32_t block_sites,
             Random& random, Survey& survey) {
    auto const first = static_cast<std::uint32_t>(random.below(block_sites + 1));
    auto const last = first + static_cast<std::uint32_t>(random.below(block_sites + 1 - first));
    GuardedGrid out(tree.num_tips(), last - first, random.below(2) == 0 ? Layout::rows : Layout::columns);
    try {
        ColumnDecoder const decoder(kind, model, tree);
        decoder.decode(block, block_sites, {first, last}, out.grid());
        ++survey.decoded;
        for (auto const& layer : decoder.layers(block, block_sites)) EXPECT_GE(layer.bits, 0);
    } catch (InputError const&) {
        ++survey.refused;
    }
    EXPECT_TRUE(out.is_intact());
}

enum class Damage { none, mutated, random };

Bytes damaged(std::span<std::byte const> bytes, Damage damage, Random& random) {
    if (damage == Damage::random) return random_bytes(random);
    Bytes out(bytes.begin(), bytes.end());
    if (damage == Damage::mutated) out = test::mutated(std::move(out), random);
    return out;
}

/// Damages blocks and models of small alignments of all families.
Survey survive_all(Kind kind, Damage model, Damage block) {
    Survey survey;
    for (auto const& family : test::alignment_families) {
        SCOPED_TRACE(family.name);
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(seed);
            Random random(seed);
            auto const num_taxa = static_cast<std::uint32_t>(1 + random.below(seed < 3 ? 4 : 40));
            auto const alignment = family.make({num_taxa, 1 + random.below(40), seed});
            auto const tree = random_tree(num_taxa, seed);
            if (!holds(kind, alignment, tree)) continue;
            auto const encoded = encode_columns(alignment, tree, {.kind = kind, .sites_per_block = 16});
            for (int i = 0; i < 50; ++i) {
                auto const b = random.below(encoded.blocks.size());
                auto const wrong_size = random.below(10) == 0;
                auto const block_sites = wrong_size ? static_cast<std::uint32_t>(random.below(70))
                                                    : sites_of_block(encoded, alignment.num_sites(), b);
                survive(kind, damaged(encoded.model, model, random), damaged(encoded.blocks[b], block, random), tree,
                        block_sites, random, survey);
            }
        }
    }
    return survey;
}

TEST(CodecFuzz, DamagedBlocksGiveCellsOrAnError) {
    for (auto const kind : kinds) {
        SCOPED_TRACE(static_cast<int>(kind));
        EXPECT_GT(survive_all(kind, Damage::none, Damage::mutated).refused, 500u);
        survive_all(kind, Damage::none, Damage::random);
    }
}

TEST(CodecFuzz, DamagedModelsGiveCellsOrAnError) {
    for (auto const kind : kinds) {
        SCOPED_TRACE(static_cast<int>(kind));
        EXPECT_GT(survive_all(kind, Damage::mutated, Damage::none).refused, 500u);
        EXPECT_GT(survive_all(kind, Damage::random, Damage::none).refused, 500u);
        survive_all(kind, Damage::mutated, Damage::mutated);
    }
}

TEST(CodecFuzz, ModelsOfOtherTreesGiveCellsOrAnError) {
    Survey survey;
    for (auto const kind : kinds) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            SCOPED_TRACE(seed);
            Random random(seed);
            auto const alignment = test::dna({static_cast<std::uint32_t>(1 + random.below(20)), 16, seed});
            auto const encoded = encode_columns(alignment, random_tree(alignment.num_taxa(), seed), {.kind = kind});
            auto const other = random_tree(1 + random.below(20), seed + 1);
            survive(kind, encoded.model, damaged(encoded.blocks[0], Damage::none, random), other, 16, random, survey);
        }
    }
    EXPECT_GT(survey.refused, 25u);
}

}  // namespace
}  // namespace regraft::codec
