#include "store/kept/manifest.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/disk/index.hpp"

namespace regraft::store {
namespace {

constexpr std::array magic{std::byte{0x89}, std::byte{'R'}, std::byte{'G'}, std::byte{'K'}};
constexpr std::uint8_t version_of_blocks = 1, version_of_pieces = 2;
constexpr std::size_t prefix_bytes = magic.size() + sizeof version_of_blocks;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);

void put_text(FormatWriter& out, std::string const& text) {
    out.section(std::as_bytes(std::span(text)));
}

std::string get_text(FormatReader& in) {
    auto const bytes = in.section();
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

void put_common(FormatWriter& out, Common const& common) {
    for (auto const word : common.id.words()) out.fixed(word, word_bytes);
    out.number(common.replicas);
    disk::put_sizes(out, common.coding ? common.coding->sizes : common.sizes);
    out.section(common.attributes);
    if (common.coding) put_coding(out, *common.coding);
}

Common get_common(FormatReader& in, std::uint8_t version) {
    Common common;
    std::array<std::uint64_t, 6> words{};
    for (auto& word : words) word = in.fixed(word_bytes);
    common.id = GenerationId::from(words);
    auto const replicas = in.number();
    if (replicas > std::uint32_t(-1)) throw InputError("it has too many replicas");
    common.replicas = static_cast<std::uint32_t>(replicas);
    common.sizes = disk::get_sizes(in);
    auto const attributes = in.section();
    common.attributes.assign(attributes.begin(), attributes.end());
    if (version == version_of_pieces) {
        common.coding = get_coding(in, std::move(common.sizes));
        common.sizes = piece_sizes(common.coding->layout());
    }
    return common;
}

BlockRange get_blocks(FormatReader& in, BlockId after, std::uint64_t num_blocks) {
    auto const first = in.number();
    auto const count = in.number();
    if (first < value(after)) throw InputError("its blocks do not ascend");
    if (first >= num_blocks || count == 0 || count > num_blocks - first) {
        throw InputError("it has blocks that do not exist");
    }
    return {BlockId{first}, BlockId{first + count}};
}

void put_blocks(FormatWriter& out, BlockRange blocks) {
    out.number(value(blocks.first));
    out.number(blocks.size());
}

void get_pieces(FormatReader& in, Manifest& manifest) {
    auto const& sizes = manifest.common.sizes;
    BlockId after{0};
    for (auto left = in.number(); left > 0; --left) {
        Manifest::Extent piece{get_blocks(in, after, sizes.num_blocks()), in.number(), in.number()};
        after = piece.blocks.last;
        auto const bytes = sizes.bytes(piece.blocks);
        bool const is_there =
            bytes == 0 || (piece.file < manifest.files.size() && bytes <= manifest.files[piece.file].bytes &&
                           piece.offset <= manifest.files[piece.file].bytes - bytes);
        if (!is_there) throw InputError("it has blocks beyond its files");
        manifest.pieces.push_back(piece);
    }
}

void get_sums(FormatReader& in, Manifest& manifest) {
    BlockId after{0};
    for (auto left = in.number(); left > 0; --left) {
        auto const blocks = get_blocks(in, after, manifest.common.sizes.num_blocks());
        after = blocks.last;
        manifest.sums.push_back({blocks, in.fixed(word_bytes)});
    }
}

/// Every block of a piece has one checksum, and no other has.
void expect_sums_of_pieces(Manifest const& manifest) {
    auto sum = manifest.sums.begin();
    for (auto const& piece : manifest.pieces) {
        auto at = piece.blocks.first;
        for (; at < piece.blocks.last && sum != manifest.sums.end(); ++sum) {
            if (sum->blocks.first != at || sum->blocks.last > piece.blocks.last) break;
            at = sum->blocks.last;
        }
        if (at != piece.blocks.last) throw InputError("it has not the checksums of its blocks");
    }
    if (sum != manifest.sums.end()) throw InputError("it has checksums of other blocks");
}

/// Names are used in the folder as they are.
void expect_plain(std::string const& name) {
    bool const is_plain = !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
                          name.find('\0') == std::string::npos;
    if (!is_plain) throw InputError("it has a file without a plain name");
}

Manifest decode_body(std::span<std::byte const> body, std::uint8_t version, std::string const& store,
                     std::uint64_t owner) {
    FormatReader in(body);
    if (auto const other = get_text(in); other != store) {
        throw InputError("it is of '" + other + "', expected '" + store + "'");
    }
    Manifest manifest;
    manifest.owner = in.fixed(word_bytes);
    if (manifest.owner != owner) throw InputError("its name is that of another file");
    manifest.common = get_common(in, version);
    manifest.boot = in.fixed(word_bytes);
    for (auto left = in.number(); left > 0; --left) manifest.replaces.push_back(in.fixed(word_bytes));
    for (auto left = in.number(); left > 0; --left) {
        auto name = get_text(in);
        expect_plain(name);
        manifest.files.push_back({std::move(name), in.number()});
    }
    get_pieces(in, manifest);
    auto const checked = in.number();
    if (checked > 1) throw InputError("it is neither checked nor unchecked");
    manifest.checked = checked == 1;
    if (manifest.checked) {
        get_sums(in, manifest);
        expect_sums_of_pieces(manifest);
    }
    in.expect_end();
    return manifest;
}

}  // namespace

GenerationId GenerationId::from(std::span<std::uint64_t const> words) {
    REGRAFT_EXPECTS(words.size() == 6);
    return {words[0], words[1], words[2], words[3], words[4], words[5]};
}

std::uint64_t GenerationId::mark() const {
    auto const all = words();
    return regraft::hash(std::as_bytes(std::span(all))) | 1U;  // never 0, which marks no generation
}

std::uint64_t Common::hash() const {
    FormatWriter out;
    put_common(out, *this);
    return regraft::hash(out.bytes());
}

std::uint64_t Manifest::bytes() const {
    std::uint64_t sum = 0;
    for (auto const& piece : pieces) sum += common.sizes.bytes(piece.blocks);
    return sum;
}

std::vector<std::byte> encode(Manifest const& manifest, std::string const& store) {
    FormatWriter out;
    out.append(magic);
    out.fixed(manifest.common.coding ? version_of_pieces : version_of_blocks, sizeof version_of_blocks);
    put_text(out, store);
    out.fixed(manifest.owner, word_bytes);
    put_common(out, manifest.common);
    out.fixed(manifest.boot, word_bytes);
    out.number(manifest.replaces.size());
    for (auto const owner : manifest.replaces) out.fixed(owner, word_bytes);
    out.number(manifest.files.size());
    for (auto const& [name, bytes] : manifest.files) {
        put_text(out, name);
        out.number(bytes);
    }
    out.number(manifest.pieces.size());
    for (auto const& [blocks, file, offset] : manifest.pieces) {
        put_blocks(out, blocks);
        out.number(file);
        out.number(offset);
    }
    out.number(manifest.checked ? 1 : 0);
    if (manifest.checked) {
        out.number(manifest.sums.size());
        for (auto const& [blocks, sum] : manifest.sums) {
            put_blocks(out, blocks);
            out.fixed(sum, word_bytes);
        }
    }
    out.fixed(hash(out.bytes()), word_bytes);
    return out.take();
}

Manifest decode(std::span<std::byte const> bytes, std::string const& store, std::uint64_t owner,
                std::string const& file) {
    bool const is_manifest =
        bytes.size() >= prefix_bytes + word_bytes && std::equal(magic.begin(), magic.end(), bytes.begin());
    if (!is_manifest) throw InputError({file}, "is no list of kept blocks, or cut");
    auto const version = std::to_integer<std::uint8_t>(bytes[magic.size()]);
    if (version != version_of_blocks && version != version_of_pieces) {
        throw InputError({file}, "has version " + std::to_string(version) + " of the format, expected version " +
                                     std::to_string(version_of_blocks) + " or " + std::to_string(version_of_pieces));
    }
    auto const hashed = bytes.first(bytes.size() - word_bytes);
    if (FormatReader(bytes.last(word_bytes)).fixed(word_bytes) != hash(hashed)) {
        throw InputError({file}, "is damaged: its checksum is wrong");
    }
    try {
        return decode_body(hashed.subspan(prefix_bytes), version, store, owner);
    } catch (InputError const& error) {
        throw InputError({file}, std::string("cannot be used: ") + error.what());
    }
}

}  // namespace regraft::store
