#include "regraft/disk/index.hpp"

#include <algorithm>
#include <array>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"

namespace regraft::disk {
namespace {

constexpr std::array index_magic{std::byte{0x89}, std::byte{'R'}, std::byte{'G'}, std::byte{'I'}};
constexpr std::array data_magic{std::byte{0x89}, std::byte{'R'}, std::byte{'G'}, std::byte{'D'}};
constexpr std::uint8_t version = 1;
constexpr std::size_t prefix_bytes = index_magic.size() + sizeof version;
constexpr std::size_t hash_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  // bytes of all blocks, so that no offset in a file
                                                              // overflows

void put_files(FormatWriter& out, Csr<Piece> const& files) {
    out.number(files.size());
    for (std::size_t file = 0; file < files.size(); ++file) {
        out.number(files[file].size());
        for (auto const& [blocks, parts, seal] : files[file]) {
            out.number(value(blocks.first));
            out.number(blocks.size());
            out.number(parts);
            out.fixed(seal, hash_bytes);
        }
    }
}

Piece get_piece(FormatReader& in, BlockSizes const& sizes) {
    auto const first = in.number();
    auto const count = in.number();
    if (first >= sizes.num_blocks() || count == 0 || count > sizes.num_blocks() - first) {
        throw InputError("a piece has blocks that do not exist");
    }
    Piece piece{{BlockId{first}, BlockId{first + count}}, in.number(), in.fixed(hash_bytes)};
    // At most one part for every block, one for every 64 KiB, and one for the rest at both ends.
    auto const most = std::min(count, sizes.bytes(piece.blocks) / (64 << 10) + 2);
    if (piece.parts == 0 || piece.parts > most) throw InputError("a piece has a wrong number of parts");
    return piece;
}

Csr<Piece> get_files(FormatReader& in, BlockSizes const& sizes) {
    Csr<Piece> files;
    for (auto file = in.number(); file > 0; --file) {
        for (auto i = in.number(); i > 0; --i) files.push_value(get_piece(in, sizes));
        files.end_row();
    }
    return files;
}

void expect_every_block_once(Csr<Piece> const& files, std::uint64_t num_blocks) {
    std::vector<BlockRange> ranges;
    for (auto const& piece : files.values) ranges.push_back(piece.blocks);
    std::sort(ranges.begin(), ranges.end());
    BlockId next{0};
    for (auto const& range : ranges) {
        if (range.first != next) throw InputError("a block is missing, or there twice");
        next = range.last;
    }
    if (value(next) != num_blocks) throw InputError("a block is missing");
}

Index decode_body(std::span<std::byte const> body, std::uint64_t generation) {
    FormatReader in(body);
    Index index;
    index.generation = in.number();
    if (index.generation != generation) {
        throw InputError("it is of generation " + std::to_string(index.generation) + ", expected generation " +
                         std::to_string(generation));
    }
    index.sizes = get_sizes(in);
    auto const attributes = in.section();
    index.attributes.assign(attributes.begin(), attributes.end());
    index.files = get_files(in, index.sizes);
    in.expect_end();
    expect_every_block_once(index.files, index.sizes.num_blocks());
    return index;
}

}  // namespace

void put_sizes(FormatWriter& out, BlockSizes const& sizes) {
    auto const count = sizes.num_blocks();
    out.number(count);
    out.number(sizes.equal() ? sizes.bytes() / std::max<std::uint64_t>(1, count) + 1 : 0);
    if (sizes.equal()) return;
    for (BlockId id{0}; value(id) < count; id = advance(id, 1)) out.number(sizes.bytes(id));
}

BlockSizes get_sizes(FormatReader& in) {
    auto const count = in.number();
    auto const coded = in.number();
    if (coded != 0) {
        auto const each = coded - 1;
        if (each != 0 && count > most_bytes / each) throw InputError("there are too many bytes");
        return {count, each};
    }
    BlockSizes::Builder sizes;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        auto const size = in.number();
        if (size > most_bytes - sum) throw InputError("there are too many bytes");
        sum += size;
        sizes.add(size);
    }
    return std::move(sizes).take();
}

std::uint64_t file_bytes(Index const& index, std::size_t file) {
    auto bytes = head_bytes;
    for (auto const& piece : index.files[file]) bytes += bytes_on_disk(piece, index.sizes);
    return bytes;
}

std::vector<std::byte> file_head(std::uint64_t generation, std::size_t file) {
    FormatWriter out;
    out.append(data_magic);
    out.fixed(version, 4);
    out.fixed(generation, 8);
    out.fixed(file, 8);
    return out.take();
}

std::vector<std::byte> encode(Index const& index) {
    FormatWriter out;
    out.append(index_magic);
    out.fixed(version, sizeof version);
    out.number(index.generation);
    put_sizes(out, index.sizes);
    out.section(index.attributes);
    put_files(out, index.files);
    out.fixed(hash(out.bytes()), hash_bytes);
    return out.take();
}

Index decode(std::span<std::byte const> bytes, std::string const& file, std::uint64_t generation) {
    auto const is_index =
        bytes.size() >= prefix_bytes + hash_bytes && std::equal(index_magic.begin(), index_magic.end(), bytes.begin());
    if (!is_index) throw InputError({file}, "is no index of blocks on disk, or cut");
    auto const found = std::to_integer<unsigned>(bytes[index_magic.size()]);
    if (found != version) {
        throw InputError({file}, "has version " + std::to_string(found) + " of the format, expected version " +
                                     std::to_string(version));
    }
    auto const hashed = bytes.first(bytes.size() - hash_bytes);
    if (FormatReader(bytes.last(hash_bytes)).fixed(hash_bytes) != hash(hashed)) {
        throw InputError({file}, "is damaged: its checksum is wrong");
    }
    try {
        return decode_body(hashed.subspan(prefix_bytes), generation);
    } catch (InputError const& error) {
        throw InputError({file}, std::string("is damaged: ") + error.what());
    }
}

}  // namespace regraft::disk
