#include "regraft/codec/compressed_alignment.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "codec/block_size.hpp"
#include "codec/content_hash.hpp"
#include "codec/first_error.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

struct CompressedAlignment::Parts {
    Parts(std::vector<std::string> names_given, RootedTree tree, EncodedColumns given, std::uint64_t sites,
          std::uint64_t block)
        : names(std::make_shared<std::vector<std::string> const>(std::move(names_given))),
          encoded(std::move(given)),
          decoder(encoded.kind, encoded.model, std::move(tree)),
          num_sites(sites),
          first_block(block) {
        REGRAFT_EXPECTS(!names->empty() && decoder.tree().num_tips() == names->size());
        REGRAFT_EXPECTS(encoded.sites_per_block > 0);
        check_block_size(names->size(), encoded.sites_per_block);
        check_number_of_blocks();
    }
    Parts(Parts const& other, Csr<std::byte> blocks, std::uint64_t block)
        : names(other.names), decoder(other.decoder), num_sites(other.num_sites), first_block(block) {
        encoded.kind = other.encoded.kind;
        encoded.sites_per_block = other.encoded.sites_per_block;
        encoded.model = other.encoded.model;
        encoded.blocks = std::move(blocks);
        check_number_of_blocks();
    }

    void check_number_of_blocks() const {
        auto const per_block = encoded.sites_per_block;
        auto const num_blocks = num_sites / per_block + (num_sites % per_block != 0 ? 1 : 0);
        REGRAFT_EXPECTS(first_block <= num_blocks && encoded.blocks.size() <= num_blocks - first_block);
    }
    SiteRange sites_of(std::uint64_t block) const {
        auto const first = block * encoded.sites_per_block;
        return {SiteId{first}, SiteId{std::min<std::uint64_t>(first + encoded.sites_per_block, num_sites)}};
    }
    /// The blocks that contain any of the sites.
    BlockRange blocks_of(SiteRange sites) const {
        if (sites.empty()) return {BlockId{first_block}, BlockId{first_block}};
        return {BlockId{value(sites.first) / encoded.sites_per_block},
                BlockId{(value(sites.last) - 1) / encoded.sites_per_block + 1}};
    }
    std::span<std::byte const> bytes_of(std::uint64_t block) const { return encoded.blocks[block - first_block]; }
    /// Decodes the part of the sites that the block has.
    void decode(std::uint64_t block, SiteRange sites, CellGrid out) const;

    std::shared_ptr<std::vector<std::string> const> names;
    EncodedColumns encoded;
    ColumnDecoder decoder;
    std::uint64_t num_sites;
    std::uint64_t first_block;
    std::vector<std::uint64_t> block_hashes;  // of the original's cells; empty if unknown
};

void CompressedAlignment::Parts::decode(std::uint64_t block, SiteRange sites, CellGrid out) const {
    auto const here = sites_of(block);
    auto const wanted = intersect(here, sites);
    auto const offset = [&](SiteId site) { return static_cast<std::uint32_t>(value(site) - value(here.first)); };
    out.begin += (value(wanted.first) - value(sites.first)) * out.site_stride;
    decoder.decode(bytes_of(block), static_cast<std::uint32_t>(here.size()),
                   {offset(wanted.first), offset(wanted.last)}, out);
}

namespace {

/// The hash of a block's cells, row by row.
std::uint64_t hash_of_cells(std::span<char const> cells) {
    return hash(std::as_bytes(cells));
}

/// The hash of each block, from the alignment before it was compressed.
std::vector<std::uint64_t> hash_blocks(msa::Alignment const& alignment, std::uint32_t sites_per_block) {
    auto const num_sites = alignment.num_sites();
    std::vector<std::uint64_t> hashes((num_sites + sites_per_block - 1) / sites_per_block);
    FirstError error;
#pragma omp parallel for schedule(static) if (hashes.size() > 1)
    for (std::size_t block = 0; block < hashes.size(); ++block) {
        error.run(block, [&] {
            std::vector<char> cells;
            for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
                auto const part = alignment.row(row).substr(block * sites_per_block, sites_per_block);
                cells.insert(cells.end(), part.begin(), part.end());
            }
            hashes[block] = hash_of_cells(cells);
        });
    }
    error.rethrow();
    return hashes;
}

}  // namespace

CompressedAlignment CompressedAlignment::encode(msa::Alignment const& alignment, RootedTree const& tree,
                                                EncodeOptions const& options) {
    check_block_size(alignment.num_taxa(), options.sites_per_block);
    auto encoded = encode_columns(alignment, tree, options);
    auto const parts = std::make_shared<Parts>(alignment.names, tree, std::move(encoded), alignment.num_sites(), 0);
    parts->block_hashes = hash_blocks(alignment, parts->encoded.sites_per_block);
    return CompressedAlignment(parts);
}

CompressedAlignment::CompressedAlignment(std::shared_ptr<Parts const> parts) : parts_(std::move(parts)) {}

CompressedAlignment::CompressedAlignment(std::vector<std::string> names, RootedTree tree, EncodedColumns encoded,
                                         std::uint64_t num_sites, std::uint64_t first_block)
    : CompressedAlignment(std::make_shared<Parts const>(std::move(names), std::move(tree), std::move(encoded),
                                                        num_sites, first_block)) {}

CompressedAlignment CompressedAlignment::with_blocks(Csr<std::byte> blocks, std::uint64_t first_block) const {
    return CompressedAlignment(std::make_shared<Parts const>(*parts_, std::move(blocks), first_block));
}

std::span<std::string const> CompressedAlignment::names() const {
    return *parts_->names;
}

std::size_t CompressedAlignment::num_taxa() const {
    return parts_->names->size();
}

std::uint64_t CompressedAlignment::num_sites() const {
    return parts_->num_sites;
}

SiteRange CompressedAlignment::sites() const {
    auto const first = parts_->first_block * parts_->encoded.sites_per_block;
    auto const last = first + parts_->encoded.blocks.size() * parts_->encoded.sites_per_block;
    return {SiteId{std::min(first, num_sites())}, SiteId{std::min(last, num_sites())}};
}

ColumnDecoder const& CompressedAlignment::decoder() const {
    return parts_->decoder;
}

EncodedColumns const& CompressedAlignment::encoded() const {
    return parts_->encoded;
}

void CompressedAlignment::decode(SiteRange wanted, CellGrid out) const {
    REGRAFT_EXPECTS(wanted.first <= wanted.last && intersect(wanted, sites()).size() == wanted.size());
    auto const blocks = parts_->blocks_of(wanted);
    FirstError error;
#pragma omp parallel for schedule(static) if (blocks.size() > 1)
    for (auto block = value(blocks.first); block < value(blocks.last); ++block) {
        error.run(block, [&] { parts_->decode(block, wanted, out); });
    }
    error.rethrow();
}

msa::Alignment CompressedAlignment::rows(SiteRange wanted) const {
    msa::Alignment alignment{.file = {}, .names = *parts_->names, .cells = {}};
    alignment.cells.resize(wanted.size() * num_taxa());
    decode(wanted, {alignment.cells.data(), checked_cast<std::size_t>(wanted.size()), 1});
    return alignment;
}

CsrView<std::byte> CompressedAlignment::bytes(SiteRange wanted) const {
    REGRAFT_EXPECTS(wanted.first <= wanted.last && intersect(wanted, sites()).size() == wanted.size());
    auto const blocks = parts_->blocks_of(wanted);
    auto const first = value(blocks.first) - parts_->first_block;
    return {std::span(parts_->encoded.blocks.offsets).subspan(first, blocks.size() + 1), parts_->encoded.blocks.values};
}

std::uint64_t CompressedAlignment::content_hash() const {
    REGRAFT_EXPECTS(sites().size() == num_sites());
    return hash_of_content(names(), num_sites(), block_hashes());
}

std::vector<std::uint64_t> CompressedAlignment::block_hashes() const {
    if (!parts_->block_hashes.empty()) return parts_->block_hashes;
    std::vector<std::uint64_t> hashes(parts_->encoded.blocks.size());
    FirstError error;
#pragma omp parallel if (hashes.size() > 1)
    {
        std::vector<char> cells;
#pragma omp for schedule(static)
        for (std::size_t block = 0; block < hashes.size(); ++block) {
            error.run(block, [&] {
                auto const number = parts_->first_block + block;
                auto const here = parts_->sites_of(number);
                cells.resize(here.size() * num_taxa());
                parts_->decode(number, here, {cells.data(), checked_cast<std::size_t>(here.size()), 1});
                hashes[block] = hash_of_cells(cells);
            });
        }
    }
    error.rethrow();
    return hashes;
}

}  // namespace regraft::codec
