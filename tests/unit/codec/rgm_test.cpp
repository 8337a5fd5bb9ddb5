#include "regraft/codec/rgm.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/core/zstd.hpp"
#include "unit/data_path.hpp"

namespace regraft::codec {
namespace {

using Bytes = std::vector<std::byte>;

ByteSink append_to(Bytes& bytes) {
    return [&bytes](std::span<std::byte const> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
}

RgmFile open(Bytes bytes) {
    return RgmFile(bytes_in_memory(std::move(bytes), "f.rgm"));
}

Bytes packed(std::string const& text, EncodeOptions const& options = {}) {
    auto const alignment = msa::parse_alignment(text, "f");
    Bytes bytes;
    write_rgm(CompressedAlignment::encode(alignment, guide_tree(alignment), options),
              {.partitions = {}, .layout = msa::layout_of(text, alignment)}, append_to(bytes));
    return bytes;
}

Bytes packed_plain(std::string const& text) {
    Bytes bytes;
    write_plain_rgm(text, append_to(bytes));
    return bytes;
}

std::string error_of(Bytes const& bytes) {
    try {
        open(bytes);
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

std::string const small = ">one\nACGTACGTAC\n>two\nACGTACGTAG\n>three\nACCTACG-AC\n>four\nACCTACGTAC\n";

std::string sample_text(std::string const& name) {
    std::ifstream in(std::string(REGRAFT_DATA) + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Rgm, GivesTheSampleFilesAgain) {
    for (std::string const name : {"vertebrates.phy", "primates.phy", "globins.phy", "elongation.phy"}) {
        auto const text = sample_text(name);
        auto const bytes = packed(text);
        auto const file = open(bytes);
        EXPECT_EQ(file.text(), text) << name;
        EXPECT_LT(bytes.size(), text.size()) << name;
        file.verify();
    }
}

TEST(Rgm, KnowsWhatItHolds) {
    auto const file = open(packed(small, {.kind = Kind::native, .sites_per_block = 4}));
    EXPECT_EQ(file.kind(), Kind::native);
    EXPECT_EQ(file.num_taxa(), 4u);
    EXPECT_EQ(file.num_sites(), 10u);
    EXPECT_EQ(file.sites_per_block(), 4u);
    EXPECT_TRUE(std::ranges::equal(file.names(), std::vector<std::string>{"one", "two", "three", "four"}));
    EXPECT_EQ(file.tree(), guide_tree(msa::parse_alignment(small, "f")));
    EXPECT_EQ(file.extras().layout, msa::TextLayout{});
    EXPECT_TRUE(file.extras().partitions.empty());
}

TEST(Rgm, LayersAddUpToTheFile) {
    for (auto const& bytes : {packed(small), packed_plain(small), packed(">a\n>b\n")}) {
        auto const file = open(bytes);
        double bits = 0;
        for (auto const& layer : file.layers()) bits += layer.bits;
        EXPECT_EQ(bits, 8.0 * static_cast<double>(bytes.size()));
    }
}

TEST(Rgm, TakesFewBytesBesideNamesTreeAndBlocks) {
    auto const file = open(packed(small));
    double overhead = 0;
    for (auto const& layer : file.layers()) {
        bool const is_payload = layer.name == "names" || layer.name == "topology" || layer.name == "row order" ||
                                layer.name == "model" || layer.name == "blocks";
        if (!is_payload) overhead += layer.bits / 8;
    }
    EXPECT_LE(overhead, 48);
}

TEST(Rgm, KeepsPartitions) {
    auto const alignment = msa::parse_alignment(small, "f");
    auto const partitions = msa::parse_partitions(
        "GTR+FC+G4m, gene1 = 1-6\\3, 2-6\\3\nJC,r\xc3\xa9st=3-6\\3\nHKY{1,2}, last = 7-10\n", "f", 10);
    Bytes bytes;
    write_rgm(CompressedAlignment::encode(alignment, guide_tree(alignment)),
              {.partitions = partitions, .layout = std::nullopt}, append_to(bytes));
    auto const file = open(bytes);
    EXPECT_EQ(file.extras().partitions, partitions);
    EXPECT_EQ(file.extras().layout, std::nullopt);
    EXPECT_EQ(file.text(), small) << "FASTA where the layout is not known";
}

TEST(Rgm, ReadsOnlyTheBlocksAskedFor) {
    auto const text = sample_text("vertebrates.phy");
    auto const alignment = msa::parse_alignment(text, "f");
    auto const bytes = packed(text, {.sites_per_block = 64});
    auto const file = open(bytes);
    auto const to_open = file.bytes_read();
    double metadata = 0;
    for (auto const& layer : file.layers()) {
        if (layer.name != "blocks") metadata += layer.bits / 8;
    }
    EXPECT_EQ(static_cast<double>(to_open), metadata);

    auto const some = file.read({SiteId{100}, SiteId{300}});
    EXPECT_EQ(some.sites(), (SiteRange{SiteId{64}, SiteId{320}}));
    EXPECT_EQ(file.bytes_read() - to_open, some.encoded().blocks.values.size());
    auto const rows = some.rows({SiteId{100}, SiteId{300}});
    for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon) {
        EXPECT_EQ(rows.row(taxon), alignment.row(taxon).substr(100, 200));
    }
    EXPECT_TRUE(file.read({SiteId{7}, SiteId{7}}).sites().empty());
}

TEST(Rgm, ADamagedBlockDoesNotHideTheOthers) {
    auto bytes = packed(small, {.kind = Kind::plain, .sites_per_block = 5});
    auto const cells = std::as_bytes(std::span(std::string_view("ACGTA")));
    auto const g = std::search(bytes.begin(), bytes.end(), cells.begin(), cells.end());
    ASSERT_NE(g, bytes.end());
    *g = std::byte{'C'};
    auto const file = open(bytes);
    EXPECT_EQ(file.read({SiteId{5}, SiteId{10}}).rows({SiteId{5}, SiteId{10}}).row(0), "CGTAC");
    EXPECT_THROW(file.read({SiteId{4}, SiteId{5}}), InputError);
    EXPECT_THROW(file.text(), InputError);
    EXPECT_THROW(file.verify(), InputError);
}

/// The file with another hash of its content, and the right checksum of that. For files without blocks' bytes.
Bytes with_other_content_hash(Bytes bytes) {
    constexpr std::size_t footer = 16;
    auto const end = bytes.end() - footer;
    *(end - 1) ^= std::byte{1};
    auto check = hash(std::span(bytes).first(bytes.size() - 8));
    for (auto at = bytes.end() - 8; at != bytes.end(); ++at, check >>= 8) *at = static_cast<std::byte>(check & 0xff);
    return bytes;
}

TEST(Rgm, VerifyComparesWithWhatWasCompressed) {
    auto const bytes = packed(">a\n>b\n");
    open(bytes).verify();
    auto const file = open(with_other_content_hash(bytes));
    EXPECT_EQ(file.text(), ">a\n>b\n") << "no checksum is wrong";
    EXPECT_THROW(file.verify(), InputError);
}

TEST(Rgm, IsVerifiedInPartsAsAWhole) {
    std::string text = small;
    for (auto const* name : {"five", "six"}) text += std::string(">") + name + "\nACGTTCGTAC\n";
    auto const file = open(packed(text, {.sites_per_block = 3}));
    ASSERT_EQ(file.num_content_parts(), 4U);
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t part = 4; part-- > 0;) {  // in any order
        auto const one = file.content_hashes({BlockId{part}, BlockId{part + 1}});
        hashes.insert(hashes.begin(), one.begin(), one.end());
    }
    EXPECT_EQ(hashes, file.content_hashes({BlockId{0}, BlockId{4}}));
    file.verify(hashes);
    ++hashes[2];
    EXPECT_THROW(file.verify(hashes), InputError);
    EXPECT_EQ(open(packed_plain(text)).num_content_parts(), 0U);
}

TEST(Rgm, TellsFromItsHeadWhetherItHoldsAText) {
    EXPECT_TRUE(holds_text(packed_plain(small)));
    EXPECT_FALSE(holds_text(packed(small)));
    EXPECT_FALSE(holds_text(std::as_bytes(std::span(small))));
}

TEST(Rgm, SaysWhatIsWrong) {
    auto const good = packed(small);
    auto const changed = [&](std::size_t at, int to) {
        auto bytes = good;
        bytes[at] = static_cast<std::byte>(to);
        return error_of(bytes);
    };
    EXPECT_EQ(error_of({}), "f.rgm: is no .rgm file: it does not begin as one");
    EXPECT_EQ(changed(1, 'X'), error_of({}));
    EXPECT_EQ(changed(4, 0), "f.rgm: has version 0 of the format, expected 1");
    EXPECT_EQ(changed(4, 9), "f.rgm: has version 9 of the format, expected 1; a newer release of regraft reads it");
    EXPECT_EQ(changed(5, 6), "f.rgm: has features 6 of the format, known are 1; a newer release of regraft reads it");
    EXPECT_EQ(changed(7, 77), "f.rgm: the file is cut off or damaged");
    EXPECT_EQ(error_of({good.begin(), good.end() - 1}), "f.rgm: the file is cut off or damaged");
    EXPECT_TRUE(error_of(packed_plain("no alignment")).starts_with("f.rgm:1:1: expected '>'"));
    EXPECT_EQ(std::string_view(error_of(packed_plain(""))).substr(0, 7), "f.rgm: ");
}

TEST(Rgm, SaysWhyAFileCannotBeRead) {
    auto const error = [](std::string const& path) {
        try {
            open_bytes(path);
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error("/no/such/file"), "/no/such/file: cannot be read: No such file or directory");
    EXPECT_EQ(error("/"), "/: cannot be read: Is a directory");
}

TEST(Rgm, IsReadFromDisk) {
    auto const path = std::filesystem::temp_directory_path() / ("regraft_rgm_test_" + std::to_string(::getpid()));
    auto const bytes = packed(small);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    EXPECT_EQ(RgmFile(open_bytes(path)).text(), small);
    std::filesystem::remove(path);
}

// ---- Texts as a whole

TEST(PlainRgm, HoldsAnyAlignmentAsItIs) {
    for (std::string const text :
         {">a\nACGT", "\xef\xbb\xbf> a b\rAC\r", "2 4\na AC\nb GT\n\nAC\nGT\n", ">a\n", "1 0\na\n"}) {
        auto const file = open(packed_plain(text));
        EXPECT_EQ(file.kind(), Kind::plain);
        EXPECT_EQ(file.text(), text);
        auto const alignment = msa::parse_alignment(text, "f");
        EXPECT_TRUE(std::ranges::equal(file.names(), alignment.names));
        EXPECT_EQ(file.read({SiteId{0}, SiteId{file.num_sites()}}).rows({SiteId{0}, SiteId{file.num_sites()}}).cells,
                  alignment.cells);
        file.verify();
    }
}

TEST(PlainRgm, IsNeverMuchLargerThanZstdMakesTheText) {
    std::vector<std::string> texts{"", "x", small, std::string(1 << 20, 'A'), sample_text("vertebrates.phy")};
    std::string noise;
    std::uint64_t state = 1;
    for (int i = 0; i < 300'000; ++i) noise += static_cast<char>((state = state * 6364136223846793005U + 1) >> 56);
    texts.push_back(noise);
    texts.push_back(noise.substr(0, 1000));
    for (auto const& text : texts) {
        auto const size = zstd_compress(std::as_bytes(std::span(text)), 3).size();
        EXPECT_LE(packed_plain(text).size(), size + 64);
    }
}

TEST(PlainRgm, HangsRowsOnACaterpillar) {
    auto const tree = open(packed_plain(">a\nA\n>b\nC\n>c\nA\n>d\nC\n>e\nA\n")).tree();
    EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{0, 0, 0, 0, 3, 3, 5, 5}));
    EXPECT_EQ(tree.first_tip, (std::vector<std::uint32_t>{0, 0, 1, 2, 2, 3, 3, 4}));
    EXPECT_EQ(tree.last_tip, (std::vector<std::uint32_t>{5, 1, 2, 5, 3, 5, 4, 5}));
    EXPECT_EQ(tree.row_of_tip, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

// ---- Files that promise more than they can hold

/// Writes files by hand.
class Forger {
public:
    void byte(unsigned number) { bytes_.push_back(static_cast<std::byte>(number)); }
    void number(std::uint64_t number) {
        for (; number >= 128; number /= 128) byte(static_cast<unsigned>(number % 128 + 128));
        byte(static_cast<unsigned>(number));
    }
    void text(std::string const& text) {
        for (char const c : text) byte(static_cast<unsigned char>(c));
    }
    /// The file: prefix, what was written as header, and an index of zeros.
    Bytes file(std::size_t index_size) const {
        Forger file;
        file.text("\x89RGM\x01");
        file.byte(0);
        file.bytes_.insert(file.bytes_.end(), bytes_.begin(), bytes_.end());
        for (std::size_t i = 0; i < index_size; ++i) file.byte(i == 0 ? 2 : 0);
        for (auto const size : {bytes_.size(), index_size}) {
            for (int i = 0; i < 4; ++i) file.byte(static_cast<unsigned>(size >> 8 * i & 0xff));
        }
        auto const check = hash(file.bytes_);
        for (int i = 0; i < 8; ++i) file.byte(static_cast<unsigned>(check >> 8 * i & 0xff));
        return file.bytes_;
    }

private:
    Bytes bytes_;
};

std::string error_of_shape(std::uint64_t num_sites, std::uint64_t sites_per_block, std::string const& names = "ab\n") {
    Forger forger;
    forger.byte(0);
    forger.number(num_sites);
    forger.number(sites_per_block);
    forger.number(names.size() + 1);
    forger.byte(0);
    forger.text(names);
    forger.number(1);  // tree
    forger.byte(0);
    for (int section = 0; section < 3; ++section) forger.byte(0);
    return error_of(forger.file(num_sites == 0 ? 9 : 150));
}

TEST(Rgm, WritesNothingIfABlockIsDamaged) {
    auto const alignment = msa::parse_alignment(small, "f");
    auto const whole = CompressedAlignment::encode(alignment, guide_tree(alignment));
    auto blocks = whole.encoded().blocks;
    blocks.values.back() ^= std::byte{0x40};
    auto const damaged = whole.with_blocks(blocks, 0);
    std::size_t written = 0;
    EXPECT_THROW(write_rgm(damaged, {}, [&](auto part) { written += part.size(); }), InputError);
    EXPECT_EQ(written, 0U);
}

TEST(Rgm, RefusesBlocksThatAreTooLargeBeforeTheyAreWritten) {
    auto const alignment = msa::parse_alignment(small, "f");
    auto const tree = guide_tree(alignment);
    auto const encoded = encode_columns(alignment, tree, {.sites_per_block = 100'000});
    EXPECT_THROW(CompressedAlignment(alignment.names, tree, encoded, alignment.num_sites()), InputError);
}

TEST(Rgm, TakesDescriptionsThatHardlyShareAnything) {
    std::string text;
    Random random(1);
    for (int taxon = 0; taxon < 3000; ++taxon) {
        text += ">t" + std::to_string(taxon) + ' ';
        text += std::string(1 + random.below(600), taxon % 2 == 0 ? ' ' : '\t') + "\nA\n";
    }
    EXPECT_EQ(open(packed(text)).text(), text);
}

TEST(Rgm, RefusesMoreCellsAtOnceThanAllowed) {
    RgmFile const file(bytes_in_memory(packed(small), "f.rgm"), {.most_text = 12});
    auto const sites = [](std::uint64_t last) { return SiteRange{SiteId{0}, SiteId{last}}; };
    EXPECT_EQ(file.read(sites(3)).rows(sites(3)).row(2), "ACC");
    EXPECT_THROW(static_cast<void>(file.read(sites(4))), InputError);
    EXPECT_THROW(static_cast<void>(file.text()), InputError);
}

TEST(Rgm, RefusesFilesThatPromiseTooMuch) {
    EXPECT_EQ(error_of_shape(0, 1), "no error") << "else what follows shows nothing";
    for (auto const shift : {10, 20, 40, 47, 60, 63}) {
        auto const num_sites = std::uint64_t{1} << shift;
        EXPECT_NE(error_of_shape(num_sites, 1), "no error") << shift;
        EXPECT_NE(error_of_shape(num_sites, num_sites), "no error") << shift;
        EXPECT_NE(error_of_shape(num_sites, 65536), "no error") << shift;
    }
    EXPECT_NE(error_of_shape(0, 0), "no error");
    EXPECT_NE(error_of_shape(0, 1, ""), "no error");
    EXPECT_NE(error_of_shape(0, 1, "a"), "no error");
    EXPECT_NE(error_of_shape(0, 1, "a\na\n"), "no error");
    EXPECT_NE(error_of_shape(0, 1, "a\x1b\n"), "no error");
    EXPECT_NE(error_of_shape(0, 1, "\n"), "no error");
}

}  // namespace
}  // namespace regraft::codec
