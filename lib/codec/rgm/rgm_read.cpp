// Reads .rgm files (docs/alignments/file-format.md). Nothing in them is trusted: sizes are compared with those of the
// file before memory is allocated.
#include <algorithm>
#include <new>
#include <utility>

#include "codec/block_size.hpp"
#include "codec/content_hash.hpp"
#include "codec/entropy/text_model.hpp"
#include "codec/rgm/rgm_format.hpp"
#include "codec/sparse/sparse.hpp"
#include "regraft/codec/binary_newick.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::codec {
namespace {

/// Far more than any alignment has; it keeps numbers of cells from overflowing.
constexpr std::uint64_t max_cells = std::uint64_t{1} << 48;

/// Far more than any file has; it keeps numbers of nodes from overflowing.
constexpr std::uint32_t most_sparse_taxa = 1U << 30;

/// A sparse file gives its sites in plain blocks of some MiB.
std::uint64_t plain_sites_per_block(std::uint64_t num_taxa) {
    constexpr std::uint64_t cells = std::uint64_t{1} << 22;
    return std::clamp<std::uint64_t>(cells / num_taxa, 1, max_sites_per_block);
}

/// A tree with the rows in order, each the sibling of all later ones.
RootedTree caterpillar(std::uint32_t num_tips) {
    if (num_tips < 3) return trivial_tree(num_tips);
    RootedTree tree;
    std::uint32_t parent = 0;
    auto const add = [&](std::uint32_t first_tip, std::uint32_t last_tip) {
        tree.parent.push_back(parent);
        tree.first_tip.push_back(first_tip);
        tree.last_tip.push_back(last_tip);
    };
    add(0, num_tips);
    for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
        bool const opens_node = 2 <= tip && tip + 1 < num_tips;  // the root has one child more
        if (opens_node) {
            add(tip, num_tips);
            parent = tree.num_nodes() - 1;
        }
        add(tip, tip + 1);
        tree.row_of_tip.push_back(tip);
    }
    return tree;
}

double bits_of(std::uint64_t num_bytes) {
    return 8 * static_cast<double>(num_bytes);
}

[[noreturn]] void fail_frame() {
    throw InputError("the file is cut off or damaged");
}

constexpr auto newer_is_needed = "; a newer release of regraft reads it";

void check_prefix(std::span<std::byte const> prefix) {
    FormatReader in(prefix.subspan(rgm_magic.size()));
    auto const version = in.fixed(1);
    if (version != rgm_version) {
        throw InputError("has version " + std::to_string(version) + " of the format, expected " +
                         std::to_string(rgm_version) + (version > rgm_version ? newer_is_needed : ""));
    }
    auto const features = in.fixed(1);
    if ((features & ~std::uint64_t{known_features}) != 0)
        throw InputError("has features " + std::to_string(features) + " of the format, known are " +
                         std::to_string(known_features) + newer_is_needed);
}

}  // namespace

struct RgmFile::State {
    State(std::unique_ptr<ByteSource> given, RgmLimits given_limits) : source(std::move(given)), limits(given_limits) {}

    std::vector<std::byte> read_bytes(std::uint64_t offset, std::uint64_t size) {
        std::vector<std::byte> bytes(size);
        source->read(offset, bytes);
        bytes_read += size;
        return bytes;
    }

    /// Adds the file's name to messages of errors without it.
    template <class Action>
    auto naming_file(Action action) const {
        try {
            return action();
        } catch (OutputError const&) {
            throw;  // of a sink
        } catch (InputError const& error) {
            if (std::string_view(error.what()).starts_with(source->name() + ":")) throw;
            throw InputError({source->name()}, error.what());
        }
    }

    /// Refuses what is so much larger than the file that it may be a bomb.
    void check_size(std::string const& what, std::uint64_t size) const {
        if (size <= limits.most_text) return;
        throw InputError("holds " + what + " of " + std::to_string(size) + " bytes, expected at most " +
                         std::to_string(limits.most_text) +
                         " in a file of this size; if that is meant, regraft-msa decompress --any-size unpacks it");
    }

    void open();
    void open_text(std::span<std::byte const> header, std::span<std::byte const> frame,
                   std::span<std::byte const> index_bytes);
    void open_columns(std::span<std::byte const> header, std::span<std::byte const> index_bytes);
    RootedTree open_tree(std::span<std::byte const> section, std::uint64_t num_taxa);
    void open_sparse(std::span<std::byte const> tree, std::span<std::byte const> model, std::size_t num_taxa,
                     std::uint64_t num_sites);
    /// Reads blocks from the file.
    Csr<std::byte> read_blocks(std::uint64_t first, std::uint64_t last);
    CompressedAlignment read(SiteRange sites);
    msa::DifferenceRows const& read_sparse();
    void write_text(msa::TextSink const& sink);

    std::unique_ptr<ByteSource> source;
    RgmLimits limits;
    std::uint64_t bytes_read = 0;
    std::uint64_t body_begin = 0;
    std::uint64_t body_size = 0;
    std::uint64_t content_hash = 0;
    RgmExtras extras;
    std::vector<Layer> layers;
    BlockIndex index;
    std::optional<CompressedAlignment> alignment;  // without blocks, unless the file holds a text
    std::optional<std::string> whole_text;         // the text, if the file holds one
    std::optional<SparseDecoder> sparse;           // if the file is sparse
    std::optional<msa::DifferenceRows> rows;       // of a sparse file, once they have been read
};

void RgmFile::State::open() {
    auto const size = source->size();
    auto front = read_bytes(0, std::min<std::uint64_t>(size, prefix_size));
    if (front.size() < rgm_magic.size() || !is_rgm(front)) {
        throw InputError("is no .rgm file: it does not begin as one");
    }
    if (size < prefix_size + footer_size) fail_frame();
    check_prefix(front);
    auto const footer = read_bytes(size - footer_size, footer_size);
    FormatReader in(footer);
    auto const header_size = in.fixed(4);
    auto const index_size = in.fixed(4);
    if (header_size + index_size > size - prefix_size - footer_size) fail_frame();
    body_begin = prefix_size + header_size;
    body_size = size - footer_size - index_size - body_begin;
    auto const header = read_bytes(prefix_size, header_size);
    auto const index_bytes = read_bytes(body_begin + body_size, index_size);

    bool const is_text = holds_text(front);
    auto const text = is_text ? read_bytes(body_begin, body_size) : std::vector<std::byte>{};
    FormatWriter checked;
    checked.append(front);
    checked.append(header);
    checked.append(text);
    checked.append(index_bytes);
    checked.append(std::span(footer).first(8));
    if (in.fixed(8) != hash(checked.bytes())) fail_frame();
    is_text ? open_text(header, text, index_bytes) : open_columns(header, index_bytes);
    double named = 0;
    for (auto const& layer : layers) named += layer.bits;
    layers.push_back({"frame", bits_of(size) - named});
}

void RgmFile::State::open_text(std::span<std::byte const> header, std::span<std::byte const> frame,
                               std::span<std::byte const> index_bytes) {
    FormatReader numbers(header);
    auto const size = numbers.number();
    auto const coding = static_cast<TextCoding>(numbers.fixed(1));
    numbers.expect_end();
    if (coding > TextCoding::modelled) fail_frame();
    FormatReader hashes(index_bytes);
    content_hash = hashes.fixed(8);
    hashes.expect_end();
    check_size("a text", size);
    auto const bytes = coding == TextCoding::zstd ? zstd_decompress(frame, size) : decode_modelled(frame, size, {});
    if (bytes.size() != size || hash(bytes) != content_hash) throw InputError("the text is damaged");
    whole_text.emplace(reinterpret_cast<char const*>(bytes.data()), bytes.size());

    auto const parsed = msa::parse_alignment(*whole_text, source->name());
    extras.layout = msa::layout_without_skeleton(*whole_text, parsed);
    alignment = CompressedAlignment::encode(parsed, caterpillar(static_cast<std::uint32_t>(parsed.num_taxa())),
                                            {.kind = Kind::plain});
    layers = {{"text", bits_of(body_size)}};
}

RootedTree RgmFile::State::open_tree(std::span<std::byte const> section, std::uint64_t num_taxa) {
    auto const topology_size = std::min<std::uint64_t>(topology_bytes(num_taxa), section.size());
    layers.push_back({"topology", bits_of(topology_size)});
    layers.push_back({"row order", bits_of(section.size() - topology_size)});
    return decode_topology(section.first(topology_size), decode_row_order(section.subspan(topology_size), num_taxa));
}

void RgmFile::State::open_sparse(std::span<std::byte const> tree, std::span<std::byte const> model,
                                 std::size_t num_taxa, std::uint64_t num_sites) {
    sparse.emplace(tree, model, static_cast<std::uint32_t>(num_taxa), num_sites);
    if (extras.layout && (extras.layout->format == msa::TextFormat::phylip || !extras.layout->skeleton.empty()))
        fail_frame();
}

void RgmFile::State::open_columns(std::span<std::byte const> header, std::span<std::byte const> index_bytes) {
    FormatReader in(header);
    auto const position = [&] { return header.size() - in.rest().size(); };
    EncodedColumns encoded;
    encoded.kind = static_cast<Kind>(in.fixed(1));
    bool const is_sparse = encoded.kind == Kind::sparse;
    auto const num_sites = in.number();
    auto const per_block = in.number();
    if (per_block == 0 || (is_sparse && per_block != runs_per_block)) fail_frame();

    auto section = in.section();
    auto const most_names = is_sparse
                                ? std::uint64_t{most_sparse_taxa}
                                : 4 * header.size() + 2;  // each name has two bits of the topology, except for two
    auto names = decode_lines(section, position() - section.size(), most_names);
    if (names.empty() || num_sites > max_cells / names.size()) fail_frame();
    msa::check_names(names, source->name());
    if (!is_sparse) check_block_size(names.size(), per_block);
    encoded.sites_per_block = static_cast<std::uint32_t>(is_sparse ? plain_sites_per_block(names.size()) : per_block);
    layers.push_back({"names", bits_of(section.size())});

    auto const tree_section = in.section();
    auto tree =
        is_sparse ? caterpillar(static_cast<std::uint32_t>(names.size())) : open_tree(tree_section, names.size());
    if (is_sparse) layers.push_back({"topology and row order", bits_of(tree_section.size())});

    auto const model = in.section();
    if (!is_sparse) encoded.model.assign(model.begin(), model.end());
    layers.push_back({is_sparse ? "reference" : "model", bits_of(model.size())});

    section = in.section();
    extras.partitions = decode_partitions(section, num_sites, position() - section.size());
    layers.push_back({"partitions", bits_of(section.size())});

    section = in.section();
    if (!section.empty()) extras.layout = decode_layout(section, names, position() - section.size());
    layers.push_back({"layout", bits_of(section.size())});
    in.expect_end();
    if (!is_sparse && extras.layout && extras.layout->format == msa::TextFormat::maple) fail_frame();
    if (is_sparse) {
        encoded.kind = Kind::plain;  // in which its sites are given
        open_sparse(tree_section, model, names.size(), num_sites);
    }

    if (index_bytes.size() < 8) fail_frame();
    auto const num_blocks =
        sparse ? sparse->num_blocks() : num_sites / per_block + (num_sites % per_block != 0 ? 1 : 0);
    index = decode_index(index_bytes.first(index_bytes.size() - 8), num_blocks, body_size);
    content_hash = FormatReader(index_bytes.last(8)).fixed(8);
    auto const check_size = num_blocks * index.check_bytes;
    layers.push_back({"index", bits_of(index_bytes.size() - 8 - check_size)});
    layers.push_back({"checksums", bits_of(check_size)});
    if (sparse) {
        layers.push_back({"changes", bits_of(index.offsets[1])});
        layers.push_back({"runs", bits_of(body_size - index.offsets[1])});
    } else {
        layers.push_back({"blocks", bits_of(body_size)});
    }
    alignment.emplace(std::move(names), std::move(tree), std::move(encoded), num_sites);
}

Csr<std::byte> RgmFile::State::read_blocks(std::uint64_t first, std::uint64_t last) {
    Csr<std::byte> blocks;
    auto const begin = index.offsets[first];
    blocks.values = read_bytes(body_begin + begin, index.offsets[last] - begin);
    for (auto block = first; block < last; ++block) {
        blocks.offsets.push_back(index.offsets[block + 1] - begin);
        if (check_of(blocks[block - first], index.check_bytes) != index.checks[block]) {
            throw InputError("block " + std::to_string(block) + ", bytes " +
                             std::to_string(body_begin + index.offsets[block]) + " to " +
                             std::to_string(body_begin + index.offsets[block + 1] - 1) + ", is damaged");
        }
    }
    return blocks;
}

CompressedAlignment RgmFile::State::read(SiteRange sites) {
    if (!whole_text) check_size("cells", alignment->num_taxa() * sites.size());
    auto const per_block = alignment->encoded().sites_per_block;
    auto const first = sites.empty() ? 0 : value(sites.first) / per_block;
    auto const last = sites.empty() ? 0 : (value(sites.last) - 1) / per_block + 1;
    if (sparse) return alignment->with_blocks(plain_blocks(read_sparse(), per_block, first, last), first);
    if (!whole_text) return alignment->with_blocks(read_blocks(first, last), first);
    Csr<std::byte> blocks;
    for (auto block = first; block < last; ++block) blocks.push_row(alignment->encoded().blocks[block]);
    return alignment->with_blocks(std::move(blocks), first);
}

msa::DifferenceRows const& RgmFile::State::read_sparse() {
    if (!rows) {
        auto const names = alignment->names();
        rows = sparse->rows({names.begin(), names.end()}, read_blocks(0, sparse->num_blocks()));
    }
    return *rows;
}

void RgmFile::State::write_text(msa::TextSink const& sink) {
    if (whole_text) return sink(*whole_text);
    auto const layout = extras.layout.value_or(msa::TextLayout{});
    if (sparse) return msa::write_text(read_sparse(), layout, sink);
    SiteRange const all{SiteId{0}, SiteId{alignment->num_sites()}};
    sink(msa::to_text(read(all).rows(all), layout));
}

bool is_rgm(std::span<std::byte const> head) {
    REGRAFT_EXPECTS(head.size() >= rgm_magic.size());
    return std::ranges::equal(head.first(rgm_magic.size()), rgm_magic);
}

bool holds_text(std::span<std::byte const> head) {
    REGRAFT_EXPECTS(head.size() >= prefix_size);
    return is_rgm(head) && head[prefix_size - 1] == std::byte{feature_text};
}

RgmFile::RgmFile(std::unique_ptr<ByteSource> source, RgmLimits limits)
    : state_(std::make_unique<State>(std::move(source), limits)) {
    state_->naming_file([&] { state_->open(); });
}

RgmFile::RgmFile(RgmFile&&) noexcept = default;
RgmFile& RgmFile::operator=(RgmFile&&) noexcept = default;
RgmFile::~RgmFile() = default;

Kind RgmFile::kind() const {
    return state_->sparse ? Kind::sparse : state_->alignment->encoded().kind;
}

std::span<std::string const> RgmFile::names() const {
    return state_->alignment->names();
}

std::uint64_t RgmFile::num_taxa() const {
    return state_->alignment->num_taxa();
}

std::uint64_t RgmFile::num_sites() const {
    return state_->alignment->num_sites();
}

std::uint32_t RgmFile::sites_per_block() const {
    return state_->alignment->encoded().sites_per_block;
}

RootedTree const& RgmFile::tree() const {
    return state_->alignment->decoder().tree();
}

RgmExtras const& RgmFile::extras() const {
    return state_->extras;
}

std::span<Layer const> RgmFile::layers() const {
    return state_->layers;
}

CompressedAlignment RgmFile::read(SiteRange sites) const {
    REGRAFT_EXPECTS(sites.first <= sites.last && value(sites.last) <= num_sites());
    return state_->naming_file([&] { return state_->read(sites); });
}

msa::DifferenceRows RgmFile::differences() const {
    REGRAFT_EXPECTS(kind() == Kind::sparse);
    return state_->naming_file([&] { return state_->read_sparse(); });
}

msa::DifferenceRows RgmFile::differences(std::span<std::size_t const> rows) const {
    REGRAFT_EXPECTS(kind() == Kind::sparse);
    std::vector<std::string> chosen;
    for (auto const row : rows) chosen.push_back(names()[row]);
    return state_->naming_file([&] {
        return state_->sparse->rows(std::move(chosen), rows,
                                    [&](std::uint64_t block) { return state_->read_blocks(block, block + 1).values; });
    });
}

msa::PlacementTree RgmFile::placement_tree() const {
    REGRAFT_EXPECTS(kind() == Kind::sparse);
    return state_->naming_file([&] { return state_->sparse->tree(state_->read_blocks(0, 1).values); });
}

std::string RgmFile::newick() const {
    return state_->naming_file([&] {
        if (kind() == Kind::plain) throw InputError("holds no tree: the alignment is stored as a text");
        if (!state_->sparse) return to_newick(tree(), names());
        return msa::to_newick(placement_tree(), names());
    });
}

std::string RgmFile::text() const {
    std::string whole;
    write_text([&](std::string_view piece) { whole += piece; });
    return whole;
}

void RgmFile::write_text(msa::TextSink const& sink) const {
    state_->naming_file([&] {
        try {
            state_->write_text(sink);
        } catch (std::bad_alloc const&) {
            throw InputError("the text needs more memory than there is");
        }
    });
}

void RgmFile::verify() const {
    state_->naming_file([&] {
        if (state_->sparse || state_->whole_text) return;
        state_->check_size("cells", num_taxa() * num_sites());
    });
    verify(content_hashes({BlockId{0}, BlockId{num_content_parts()}}));
}

std::uint64_t RgmFile::num_content_parts() const {
    if (state_->whole_text) return 0;
    return state_->sparse ? num_taxa() : state_->index.checks.size();
}

std::vector<std::uint64_t> RgmFile::content_hashes(BlockRange parts) const {
    REGRAFT_EXPECTS(parts.first <= parts.last && value(parts.last) <= num_content_parts());
    return state_->naming_file([&]() -> std::vector<std::uint64_t> {
        auto const first = value(parts.first);
        auto const last = value(parts.last);
        if (parts.empty()) return {};
        if (state_->sparse) return row_hashes(state_->read_sparse(), first, last);
        return state_->alignment->with_blocks(state_->read_blocks(first, last), first).block_hashes();
    });
}

void RgmFile::verify(std::span<std::uint64_t const> hashes) const {
    REGRAFT_EXPECTS(hashes.size() == num_content_parts());
    state_->naming_file([&] {
        if (state_->whole_text) return;
        if (hash_of_content(names(), num_sites(), hashes) != state_->content_hash) {
            throw InputError("the names and cells are not those that were compressed: their hash differs");
        }
    });
}

std::uint64_t RgmFile::bytes_read() const {
    return state_->bytes_read;
}

}  // namespace regraft::codec
