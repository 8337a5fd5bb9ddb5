#include "regraft/codec/pack.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "support/msa/alignment_instances.hpp"
#include "support/msa/surveillance.hpp"

namespace regraft::codec {
namespace {

RgmFile open(Packed const& packed) {
    auto const bytes = std::as_bytes(std::span(packed.bytes));
    return RgmFile(bytes_in_memory({bytes.begin(), bytes.end()}, "f.rgm"));
}

std::string fasta(msa::Alignment const& alignment) {
    std::string text;
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        auto const cells = alignment.row(row);
        text += ">" + alignment.names[row] + "\n" + std::string(cells.begin(), cells.end()) + "\n";
    }
    return text;
}

std::string genomes(std::uint32_t taxa, std::uint32_t sites) {
    std::string text;
    test::write_surveillance({taxa, sites, 1}, [&](std::string_view piece) { text += piece; });
    return text;
}

TEST(Pack, GivesTheTextAgainInTheKindThatIsSmallestAtEachLevel) {
    struct Case {
        std::string text;
        Kind kind;
    };
    std::vector<Case> const cases{{fasta(test::dna({100, 400, 1})), Kind::native},
                                  {genomes(300, 3000), Kind::sparse},
                                  {">a\nAC-\n>b\nAC-\n", Kind::plain}};
    for (auto const& [text, kind] : cases) {
        for (std::uint32_t level = fastest_level; level <= best_level; level += 4) {
            SCOPED_TRACE(level);
            auto const packed = pack(text, "f", {.level = level});
            EXPECT_EQ(packed.kind, kind);
            auto const file = open(packed);
            EXPECT_EQ(file.kind(), kind);
            EXPECT_EQ(file.text(), text);
            EXPECT_EQ(packed.taxa, file.names().size());
        }
    }
}

TEST(Pack, TakesTheKindThatIsAskedFor) {
    auto const text = genomes(200, 1000);
    for (auto const kind : {Kind::native, Kind::sparse, Kind::plain, Kind::thesis}) {
        auto const file = open(pack(text, "f", {.kind = kind}));
        EXPECT_EQ(file.kind(), kind);
        EXPECT_EQ(file.text(), text);
    }
}

TEST(Pack, CodesColumnsAlongTheTreeAndStoresPartitions) {
    auto const text = fasta(test::dna({5, 40, 1}));
    PackOptions options;
    options.tree = [](msa::Alignment const& alignment) {
        return guide_tree_from_newick("((taxon_4,taxon_0),(taxon_1,(taxon_3,taxon_2)));", "t", alignment.names);
    };
    options.partitions = [](msa::Alignment const& alignment) {
        return msa::parse_partitions("DNA, p = 1-30\nDNA, q = 31-40\n", "p", alignment.num_sites());
    };
    auto const file = open(pack(text, "f", options));
    EXPECT_EQ(file.kind(), Kind::native);
    EXPECT_EQ(to_newick(file.tree(), file.names()), "(taxon_1,(taxon_0,taxon_4),(taxon_2,taxon_3));");
    ASSERT_EQ(file.extras().partitions.size(), 2U);
    EXPECT_EQ(file.extras().partitions[1].name, "q");
}

TEST(Pack, RefusesWhatItCannotDo) {
    auto const error = [](std::string const& text, PackOptions const& options) -> std::string {
        try {
            pack(text, "f", options);
        } catch (InputError const& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_EQ(error(">a\nAC\n>b\nA\n", {}), "f:3:1: taxon 'b' has 1 sites, but 'a' on line 1 has 2");
    EXPECT_NE(error("2 3\na ACG\nb ACG\n", {.kind = Kind::sparse}).find("is no regular FASTA text"), std::string::npos);
    std::string const matched =
        "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=3;\nformat datatype=dna matchchar=.;\nmatrix\na ACG\nb "
        "..T\n;\nend;\n";
    EXPECT_NE(error(matched, {.kind = Kind::native}).find("has characters that stand for others"), std::string::npos);
    EXPECT_EQ(error(matched, {}), "no error");
}

TEST(Pack, RowsSufficeForLongTextsOfFewDifferences) {
    auto rows = msa::read_differences(msa::pieces_of(genomes(200, 1000)))->rows;
    EXPECT_FALSE(rows_suffice(rows, small_text));
    EXPECT_TRUE(rows_suffice(rows, small_text + 1));
    auto const more = rows.num_taxa() * rows.num_sites() / 64;
    for (std::uint64_t i = 0; i < more; ++i) rows.runs.push_value({0, 1, '-'});
    EXPECT_FALSE(rows_suffice(rows, most_text_by_columns));
    EXPECT_TRUE(rows_suffice(rows, most_text_by_columns + 1));
}

TEST(Pack, RowsAreOfNoUseWhereColumnsAreAskedFor) {
    EXPECT_EQ(row_use({}), RowUse::if_they_suffice);
    EXPECT_EQ(row_use({.kind = Kind::sparse}), RowUse::always);
    EXPECT_EQ(row_use({.kind = Kind::native}), RowUse::never);
    PackOptions options;
    options.tree = [](msa::Alignment const& alignment) { return guide_tree(alignment); };
    EXPECT_EQ(row_use(options), RowUse::never);
}

}  // namespace
}  // namespace regraft::codec
