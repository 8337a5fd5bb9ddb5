// What must hold of the readers of alignments, of .rgm files and of coded columns for any bytes: they answer with
// InputError, or with something that is consistent. Shared by the targets for libFuzzer and by a test with fixed seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/codec/columns.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/difference_parts.hpp"
#include "regraft/msa/maple.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/text_layout.hpp"
#include "support/msa/alignment_texts.hpp"
#include "support/msa/block_texts.hpp"
#include "support/msa/nexus_texts.hpp"
#include "support/msa/vcf_texts.hpp"

namespace regraft::fuzz {

using Bytes = std::vector<std::byte>;

// ---- Texts

/// Gives out a text seven bytes at a time.
inline msa::TextSource in_sevens(std::string_view text) {
    return msa::pieces_of(text, 7);
}

inline std::optional<msa::DifferenceText> difference_text(std::string_view text) {
    return msa::read_differences(in_sevens(text));
}

/// Whether rows as differences, if the text can be read so, make the same text.
inline bool same_as_rows(std::string_view text) {
    auto const rows = difference_text(text);
    if (!rows) return true;
    std::string again;
    msa::write_text(rows->rows, rows->layout, [&](std::string_view piece) { again += piece; });
    return again == text;
}

/// What is wrong, or empty. `accepted` counts the texts that are alignments.
inline std::string complaint_about_text(std::string_view text, int& accepted) {
    try {
        auto const alignment = msa::parse_alignment(text, "fuzz");
        if (alignment.num_taxa() == 0) return "no taxa";
        if (alignment.cells.size() != alignment.num_taxa() * alignment.num_sites()) return "no rectangle";
        if (alignment.is_verbatim && msa::to_text(alignment, msa::layout_of(text, alignment)) != text)
            return "not the same text again";
        if (!same_as_rows(text)) return "not the same text from rows";
        ++accepted;
    } catch (InputError const&) {
        if (difference_text(text)) return "rows of a text that is no alignment";
    }
    return "";
}

inline std::string maple_text(msa::DifferenceText const& read) {
    std::string text;
    msa::write_maple(read.rows, read.layout, [&](std::string_view piece) { text += piece; });
    return text;
}

/// What is wrong with the file that the rows make, which holds their text.
inline std::string complaint_about_file_of(msa::DifferenceText const& read, std::string const& text) {
    Bytes bytes;
    try {
        codec::write_rgm(read, msa::placement_tree(read.rows),
                         [&](auto part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
        codec::RgmFile const file(codec::bytes_in_memory(std::move(bytes), "fuzz"));
        if (file.text() != text) return "not the same text from a file";
    } catch (InputError const& error) {
        return std::string("rows that cannot be kept: ") + error.what();
    }
    return "";
}

/// What is wrong with the reader of MAPLE, or empty. `accepted` counts the texts that are MAPLE.
inline std::string complaint_about_maple(std::string_view text, int& accepted) {
    std::optional<msa::DifferenceText> read;
    try {
        read = msa::read_maple(in_sevens(text), "fuzz");
    } catch (InputError const& error) {
        std::string message = error.what();
        return message.starts_with("fuzz:") ? "" : message.insert(0, "no place: ");
    }
    ++accepted;
    auto const regular = maple_text(*read);
    auto const again = msa::read_maple(in_sevens(regular), "fuzz");
    if (!(again.rows == read->rows)) return "other rows from the regular text";
    if (maple_text(again) != regular) return "a regular text is not written again";
    if (read->rows.num_taxa() * read->rows.num_sites() > (1U << 16)) return "";
    if (msa::find_format(text) == msa::InputFormat::maple &&
        msa::parse_alignment(text, "fuzz").cells != msa::to_alignment(read->rows).cells)
        return "other cells";
    return complaint_about_file_of(*read, regular);
}

// ---- Files

/// What is wrong with the columns of a file that could be opened.
inline std::string complaint_about_blocks(codec::RgmFile const& file) {
    auto const last = SiteId{file.num_sites()};
    auto const half = SiteId{file.num_sites() / 2};
    auto const part = file.read({half, last});
    auto const whole = file.read({SiteId{0}, last});
    try {
        auto const some = part.rows({half, last});
        auto const all = whole.rows({SiteId{0}, last});
        for (std::size_t row = 0; row < all.num_taxa(); ++row) {
            if (some.row(row) != all.row(row).substr(value(half))) return "a part is not a part of the whole";
        }
    } catch (InputError const&) {
        // has no name of a file, and is found again by verify
    }
    return "";
}

/// Asks everything that a file can be asked, if its size allows that.
inline std::string complaint_about_file(Bytes bytes, int& accepted) {
    constexpr std::uint64_t most_cells = 1 << 22;
    try {
        codec::RgmFile const file(codec::bytes_in_memory(std::move(bytes), "fuzz"));
        if (file.names().size() != file.num_taxa()) return "wrong number of names";
        if (file.tree().num_tips() != file.num_taxa()) return "wrong number of tips";
        if (file.num_taxa() * file.num_sites() > most_cells) return "";
        if (auto complaint = complaint_about_blocks(file); !complaint.empty()) return complaint;
        file.verify();
        static_cast<void>(file.text());
        ++accepted;
    } catch (InputError const& error) {
        std::string message = error.what();
        if (!message.starts_with("fuzz:")) return message.insert(0, "no name: ");
    }
    return "";
}

/// Makes the checksum of the frame right, so that damage gets further.
inline void reseal(Bytes& bytes) {
    constexpr std::size_t prefix = 6;
    constexpr std::size_t footer = 16;
    if (bytes.size() < prefix + footer) return;
    auto const size_at = [&](std::size_t back) {
        std::uint64_t size = 0;
        auto const* const begin = bytes.data() + bytes.size() - back;
        for (std::size_t i = 4; i > 0; --i) size = size << 8 | std::to_integer<std::uint64_t>(begin[i - 1]);
        return size;
    };
    auto const header_size = size_at(16);
    auto const index_size = size_at(12);
    if (header_size + index_size > bytes.size() - prefix - footer) return;
    bool const is_text = bytes[prefix - 1] == std::byte{1};
    Bytes checked;
    for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
        bool const is_body = prefix + header_size <= i && i < bytes.size() - footer - index_size;
        if (!is_body || is_text) checked.push_back(bytes[i]);
    }
    auto check = hash(checked);
    for (auto i = bytes.size() - 8; i < bytes.size(); ++i, check >>= 8) bytes[i] = static_cast<std::byte>(check & 0xff);
}

// ---- Coded columns

// Bytes for a decoder: the number of tips, 1 to 8; the number of sites; the size of the model; model; block.

inline Bytes columns_input(codec::EncodedColumns const& encoded, std::size_t num_tips, std::size_t block_sites,
                           std::size_t block) {
    Bytes bytes;
    auto const push = [&](std::size_t number) { bytes.push_back(static_cast<std::byte>(number & 0xff)); };
    push(num_tips - 1);
    push(block_sites - 1);
    push(encoded.model.size());
    push(encoded.model.size() >> 8);
    for (auto const byte : encoded.model) bytes.push_back(byte);
    for (auto const byte : encoded.blocks[block]) bytes.push_back(byte);
    return bytes;
}

inline codec::RootedTree tree_for(std::uint32_t num_tips) {
    return num_tips < 3 ? codec::trivial_tree(num_tips) : codec::hang_up(msa::random_tree(num_tips, num_tips));
}

/// Decodes row by row, column by column, and the last sites only: all must give the same, or an error.
inline std::string complaint_about_columns(codec::Kind kind, std::span<std::byte const> bytes, int& accepted) {
    if (bytes.size() < 4) return "";
    auto const num_tips = 1 + std::to_integer<std::uint32_t>(bytes[0]) % 8;
    auto const num_sites = 1 + std::to_integer<std::uint32_t>(bytes[1]);
    auto const model_size = std::min<std::size_t>(
        bytes.size() - 4, std::to_integer<std::size_t>(bytes[2]) | std::to_integer<std::size_t>(bytes[3]) << 8);
    try {
        codec::ColumnDecoder const decoder(kind, bytes.subspan(4, model_size), tree_for(num_tips));
        auto const block = bytes.subspan(4 + model_size);
        std::vector<char> rows(num_tips * num_sites);
        decoder.decode(block, num_sites, {0, num_sites}, {rows.data(), num_sites, 1});
        std::vector<char> columns(num_tips * num_sites);
        decoder.decode(block, num_sites, {0, num_sites}, {columns.data(), 1, num_tips});
        auto const first = num_sites / 2;
        std::vector<char> last(num_tips * (num_sites - first));
        decoder.decode(block, num_sites, {first, num_sites}, {last.data(), num_sites - first, 1});
        for (std::size_t row = 0; row < num_tips; ++row) {
            for (std::size_t site = 0; site < num_sites; ++site) {
                auto const cell = rows[row * num_sites + site];
                if (columns[site * num_tips + row] != cell) return "columns differ from rows";
                if (site >= first && last[row * (num_sites - first) + site - first] != cell) return "a part differs";
            }
        }
        ++accepted;
    } catch (InputError const&) {
        // refused
    }
    return "";
}

// ---- Good inputs, from which to start

inline std::string seed_text(Random& random) {
    auto const alignment = test::random_alignment(1 + random.below(6), random.below(50), random);
    if (random.below(4) == 0)
        return test::random_nexus(alignment, static_cast<test::NexusWords>(random.below(2)), random);
    if (random.below(8) == 0) return test::random_vcf(random);
    if (random.below(4) == 0) return test::random_a3m(1 + random.below(5), 1 + random.below(30), random).a3m;
    if (alignment.num_sites() != 0 && random.below(3) == 0)
        return test::random_block_text(alignment, static_cast<test::BlockStyle>(random.below(2)), random);
    auto const style = static_cast<test::TextStyle>(random.below(test::num_text_styles));
    auto const tidiness = random.below(2) == 0 ? test::Tidiness::regular : test::Tidiness::with_oddities;
    return test::random_text(alignment, style, tidiness, random);
}

/// A regular text of MAPLE.
inline std::string seed_maple(Random& random) {
    auto const alignment = test::random_alignment(1 + random.below(6), 1 + random.below(50), random, "acgtacgtacgtn-y");
    msa::TextLayout layout{.format = msa::TextFormat::maple, .descriptions = {"reference"}};
    if (random.below(2) == 0) layout.line_width = 1 + random.below(20);
    layout.carriage_returns = random.below(4) == 0;
    return maple_text({msa::in_lower_case(msa::to_differences(alignment)), layout});
}

inline codec::ByteSink append_to(Bytes& bytes) {
    return [&bytes](std::span<std::byte const> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
}

/// A file with every part that a file can have.
inline Bytes seed_file(codec::Kind kind, Random& random) {
    auto const text = seed_text(random);
    auto const alignment = msa::parse_alignment(text, "fuzz");
    Bytes bytes;
    if (random.below(4) == 0) {
        codec::write_plain_rgm(text, append_to(bytes));
        return bytes;
    }
    if (kind == codec::Kind::sparse) {
        auto const rows = difference_text(text);
        if (!rows) return seed_file(kind, random);
        codec::write_rgm(*rows, msa::placement_tree(rows->rows), append_to(bytes));
        return bytes;
    }
    codec::RgmExtras extras;
    auto const num_sites = alignment.num_sites();
    if (random.below(2) == 0 && alignment.is_verbatim) extras.layout = msa::layout_of(text, alignment);
    if (random.below(2) == 0 && num_sites > 4) {
        extras.partitions = {{"GTR", "one", {{0, 2, 1}, {3, num_sites, 2}}},
                             {"JC+G4m", "two", {{2, 3, 1}, {4, num_sites, 2}}}};
    }
    auto const sites_per_block = static_cast<std::uint32_t>(1 + random.below(20));
    write_rgm(codec::CompressedAlignment::encode(alignment, codec::guide_tree(alignment),
                                                 {.kind = kind, .sites_per_block = sites_per_block}),
              extras, append_to(bytes));
    return bytes;
}

inline Bytes seed_columns(codec::Kind kind, Random& random) {
    auto const num_tips = static_cast<std::uint32_t>(1 + random.below(8));
    auto const alignment = test::random_alignment(num_tips, 1 + random.below(60), random);
    auto const encoded = codec::encode_columns(alignment, tree_for(num_tips), {.kind = kind, .sites_per_block = 256});
    return columns_input(encoded, num_tips, alignment.num_sites(), 0);
}

}  // namespace regraft::fuzz
