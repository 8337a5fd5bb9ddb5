// Sparse files hold any nearly equal rows, and damaged ones are refused or consistent.
#include "codec/sparse/sparse.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "support/msa/surveillance.hpp"
#include "support/mutated.hpp"

namespace regraft::codec {
namespace {

using Bytes = std::vector<std::byte>;

std::optional<msa::DifferenceText> read(std::string_view text) {
    return msa::read_differences(msa::pieces_of(text));
}

Bytes packed(msa::DifferenceText const& text) {
    Bytes bytes;
    write_rgm(text, msa::placement_tree(text.rows),
              [&](std::span<std::byte const> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
    return bytes;
}

/// Rows that were copied from others and changed here and there, in some letters or in any.
std::string random_text(Random& random) {
    constexpr std::string_view letters = "ACGT";
    constexpr std::string_view others = "NNNN--RYnacgt?*.";
    auto const num_rows = 1 + random.below(random.below(4) == 0 ? 300 : 12);
    auto const num_sites = 1 + random.below(random.below(4) == 0 ? 700 : 40);
    std::vector<std::string> rows(1, std::string(num_sites, 'A'));
    for (auto& cell : rows[0]) cell = letters[random.below(4)];
    while (rows.size() < num_rows) {
        auto row = rows[random.below(rows.size())];
        for (auto changes = random.below(3); changes > 0; --changes)
            row[random.below(num_sites)] = letters[random.below(4)];
        for (auto runs = random.below(3); runs > 0; --runs) {
            auto const first = random.below(num_sites);
            auto const size =
                1 + random.below(std::min<std::uint64_t>(num_sites - first, random.below(2) == 0 ? 3 : 90));
            row.replace(first, size, size, others[random.below(others.size())]);
        }
        rows.push_back(std::move(row));
    }
    std::string text;
    std::string_view const line_end = random.below(4) == 0 ? "\r\n" : "\n";
    auto const width = random.below(3) == 0 ? 1 + random.below(num_sites) : num_sites;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        text.append(">t")
            .append(std::to_string(row * 7))
            .append(random.below(5) == 0 ? " of old" : "")
            .append(line_end);
        for (std::size_t at = 0; at < num_sites; at += width) text.append(rows[row].substr(at, width)).append(line_end);
    }
    if (random.below(4) == 0) text.resize(text.size() - line_end.size());
    return text;
}

/// Some rows in any order are those of the whole.
void expect_chosen_rows(RgmFile const& file, msa::DifferenceRows const& all, Random& random) {
    std::vector<std::size_t> chosen(all.num_taxa());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    shuffle(std::span(chosen), random);
    chosen.resize(random.below(std::min<std::size_t>(chosen.size(), 20) + 1));
    auto const rows = file.differences(chosen);
    ASSERT_EQ(rows.num_taxa(), chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        EXPECT_EQ(rows.names[i], all.names[chosen[i]]);
        EXPECT_TRUE(std::ranges::equal(rows.differences[i], all.differences[chosen[i]]));
        EXPECT_TRUE(std::ranges::equal(rows.runs[i], all.runs[chosen[i]]));
    }
}

TEST(SparseProperty, RowsOfAnyShapeAreReadBack) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const text = random_text(random);
        auto const rows = read(text);
        ASSERT_TRUE(rows);
        RgmFile const file(bytes_in_memory(packed(*rows), "f.rgm"));
        EXPECT_EQ(file.kind(), Kind::sparse);
        EXPECT_EQ(file.text(), text);
        EXPECT_EQ(file.differences(), rows->rows);
        EXPECT_NO_THROW(file.verify());
        expect_chosen_rows(file, rows->rows, random);
        auto const alignment = msa::parse_alignment(text, "f");
        auto const first = random.below(alignment.num_sites() + 1);
        auto const last = first + random.below(alignment.num_sites() - first + 1);
        SiteRange const sites{SiteId{first}, SiteId{last}};
        auto const part = file.read(sites).rows(sites);
        for (std::size_t row = 0; row < alignment.num_taxa(); ++row)
            ASSERT_EQ(part.row(row), alignment.row(row).substr(first, last - first)) << row;
    }
}

TEST(SparseProperty, SeveralBlocksOfRunsAreReadBack) {
    auto const text = test::surveillance_text({.taxa = 2 * runs_per_block + 100, .sites = 300, .seed = 1});
    auto const rows = read(text);
    ASSERT_TRUE(rows);
    RgmFile const file(bytes_in_memory(packed(*rows), "f.rgm"));
    EXPECT_EQ(file.differences(), rows->rows);
    file.verify();
    Random random(1);
    expect_chosen_rows(file, rows->rows, random);
}

#ifdef _OPENMP
TEST(SparseProperty, AnyNumberOfThreadsWritesTheSameBytes) {
    auto const rows = read(test::surveillance_text({.taxa = 3000, .sites = 400, .seed = 2}));
    std::vector<Bytes> files;
    for (int const threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        files.push_back(packed(*rows));
    }
    EXPECT_EQ(files[0], files[1]);
    EXPECT_EQ(files[0], files[2]);
}
#endif

// ---- Damage

/// What is wrong with rows that were decoded, or empty.
std::string complaint_about(msa::DifferenceRows const& rows) {
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        std::uint64_t end = 0;
        for (auto const& run : rows.runs[row]) {
            if (run.first < end || run.size == 0 || run.last() > rows.num_sites()) return "runs do not fit";
            end = run.last();
        }
        for (auto const& difference : rows.differences[row])
            if (difference.site() >= rows.num_sites()) return "a difference does not fit";
        auto cells = rows.reference_text();
        rows.write_row(row, cells);
    }
    return "";
}

TEST(DamagedSparseParts, AreRefusedOrConsistent) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        auto const rows = read(random_text(random))->rows;
        auto parts = encode_sparse(rows, msa::placement_tree(rows));
        std::vector<Bytes> blocks;
        for (std::size_t i = 0; i < parts.blocks.size(); ++i)
            blocks.emplace_back(parts.blocks[i].begin(), parts.blocks[i].end());
        switch (random.below(4)) {
            case 0:
                parts.tree = test::mutated(parts.tree, random);
                break;
            case 1:
                parts.model = test::mutated(parts.model, random);
                break;
            default:
                auto& block = blocks[random.below(blocks.size())];
                block = test::mutated(block, random);
        }
        Csr<std::byte> damaged;
        for (auto const& block : blocks) damaged.push_row(block);
        try {
            SparseDecoder const decoder(parts.tree, parts.model, static_cast<std::uint32_t>(rows.num_taxa()),
                                        rows.num_sites());
            ASSERT_EQ(complaint_about(decoder.rows(rows.names, damaged)), "") << seed;
            ++accepted;
        } catch (InputError const&) {
            continue;
        }
    }
    EXPECT_LT(accepted, 2000);
}

TEST(DamagedSparseParts, TakeNoMoreMemoryThanTheirSizeJustifies) {
    // Noise and constant bytes in place of each part: the coder then sees the most likely symbols for ever.
    auto const rows = read(test::surveillance_text({.taxa = 400, .sites = 300, .seed = 4}))->rows;
    auto const parts = encode_sparse(rows, msa::placement_tree(rows));
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        Csr<std::byte> blocks;
        for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
            Bytes block(random.below(3000), static_cast<std::byte>(random.below(256)));
            if (random.below(2) == 0)
                for (auto& byte : block) byte = static_cast<std::byte>(random.below(256));
            blocks.push_row(block);
        }
        SparseDecoder const decoder(parts.tree, parts.model, 400, 300);
        EXPECT_THROW(static_cast<void>(decoder.rows(rows.names, blocks)), InputError) << seed;
    }
}

}  // namespace
}  // namespace regraft::codec
