// The parts of an .rgm file and their encoding as bytes (docs/alignments/file-format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "regraft/codec/columns.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/format_bytes.hpp"

namespace regraft::codec {

// ---- The frame: prefix, header, body (blocks, or a text), index, footer

inline constexpr std::array rgm_magic{std::byte{0x89}, std::byte{'R'}, std::byte{'G'}, std::byte{'M'}};
inline constexpr std::uint8_t rgm_version = 1;
/// Features that a reader must know to read the file: one bit each.
inline constexpr std::uint8_t feature_text = 1;  // the body is a text
inline constexpr std::uint8_t known_features = feature_text;
inline constexpr std::size_t prefix_size = rgm_magic.size() + 2;  // magic, version, features
inline constexpr std::size_t footer_size = 16;                    // sizes of header and index, checksum

/// How the body of a file that holds a text is coded.
enum class TextCoding : std::uint8_t { zstd = 0, modelled = 1 };

// ---- Sections of the header

/// The largest number of bytes that may come out of a compressed part of the header. header_size is the distance of its
/// end from the header's begin. It bounds the memory that opening a file takes.
constexpr std::uint64_t max_expansion(std::uint64_t header_size) {
    return (std::uint64_t{1} << 20) + 64 * header_size;
}

// `before` is the number of bytes of the header in front of a section's content.

/// Encodes texts without LF, for example names.
std::vector<std::byte> encode_lines(std::span<std::string const> lines, std::uint64_t before);
/// Decodes them. Throws InputError also if there are more than most_lines.
std::vector<std::string> decode_lines(std::span<std::byte const> section, std::uint64_t before,
                                      std::uint64_t most_lines);

std::vector<std::byte> encode_layout(msa::TextLayout const& layout, std::span<std::string const> names,
                                     std::uint64_t before);
msa::TextLayout decode_layout(std::span<std::byte const> section, std::span<std::string const> names,
                              std::uint64_t before);

std::vector<std::byte> encode_partitions(std::span<msa::PartitionSpec const> partitions, std::uint64_t before);
std::vector<msa::PartitionSpec> decode_partitions(std::span<std::byte const> section, std::uint64_t num_sites,
                                                  std::uint64_t before);

/// Encodes the order of the rows at the tips. It takes about log2(n!) bits, and fewer if neighbours follow each other.
std::vector<std::byte> encode_row_order(std::span<std::uint32_t const> row_of_tip);
std::vector<std::uint32_t> decode_row_order(std::span<std::byte const> section, std::uint64_t num_taxa);

// ---- Index

/// The offsets of blocks, and their checksums.
struct BlockIndex {
    std::vector<std::uint64_t> offsets{0};  // per block, and one more; relative to the begin of the body
    std::vector<std::uint32_t> checks;      // per block
    std::size_t check_bytes = 0;            // number of bytes of a checksum
};

/// The checksum of a block: the lowest bytes of its XXH3.
std::uint32_t check_of(std::span<std::byte const> block, std::size_t check_bytes);

std::vector<std::byte> encode_index(CsrView<std::byte> blocks);
/// Throws InputError if the blocks do not take exactly body_size bytes.
BlockIndex decode_index(std::span<std::byte const> bytes, std::uint64_t num_blocks, std::uint64_t body_size);

}  // namespace regraft::codec
