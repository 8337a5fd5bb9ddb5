#include "checkpoint/manifest.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/bytes.hpp"

namespace regraft::checkpoint {
namespace {

std::vector<std::byte> encoded(std::span<Image::Stored const> entities, std::optional<std::uint32_t> node) {
    ByteWriter out;
    out.put(std::uint64_t{node.has_value()});
    out.put(node.value_or(0));
    out.put(std::uint64_t{entities.size()});
    for (auto const& [name, bytes, stored_bytes] : entities) {
        out.put_text(name);
        out.put(bytes);
        out.put(stored_bytes);
    }
    return out.take();
}

/// Adds the entities of the next member.
void append(std::span<std::byte const> row, PeId member, Manifest& manifest, BlockSizes::Builder& sizes) {
    ByteReader in(row);
    bool const has_node = in.get<std::uint64_t>() != 0;
    auto const node = in.get<std::uint32_t>();
    if (has_node) manifest.node_of.push_back(node);
    BlockId const first{manifest.entities.size()};
    auto const count = in.get<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        CommittedEntity entity{in.get_text(), member};
        entity.bytes = in.get<std::uint64_t>();
        entity.stored_bytes = in.get<std::uint64_t>();
        sizes.add(entity.stored_bytes);
        manifest.entities.push_back(std::move(entity));
    }
    manifest.ranges.push_back({first, BlockId{manifest.entities.size()}});
    manifest.members.push_back(member);
    manifest.hashes.push_back(hash(row));
}

}  // namespace

std::uint64_t hash_of(std::span<Image::Stored const> entities, std::optional<std::uint32_t> node) {
    return hash(encoded(entities, node));
}

std::vector<Head> gather_heads(ft::Communicator& comm, Head const& mine) {
    std::vector const words{mine.options, mine.entities, mine.common, std::bit_cast<std::uint64_t>(mine.cost.step_ms),
                            std::bit_cast<std::uint64_t>(mine.cost.commit_ms)};
    auto const rows = exchange::all_gather(comm, words);
    std::vector<Head> heads;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const row = rows[i];
        heads.push_back({row[0], row[1], row[2], {std::bit_cast<double>(row[3]), std::bit_cast<double>(row[4])}});
    }
    return heads;
}

Manifest gather_manifest(ft::Communicator& comm, std::span<Image::Stored const> entities,
                         std::optional<std::uint32_t> node) {
    auto const mine = encoded(entities, node);
    std::vector<std::uint64_t> words(1 + (mine.size() + 7) / 8);
    words[0] = mine.size();
    std::ranges::copy(mine, std::as_writable_bytes(std::span(words).subspan(1)).begin());
    auto const rows = exchange::all_gather(comm, words);
    Manifest manifest;
    BlockSizes::Builder sizes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        append(std::as_bytes(rows[i].subspan(1)).first(rows[i][0]), comm.members()[i], manifest, sizes);
    }
    REGRAFT_EXPECTS((manifest.node_of.empty() || manifest.node_of.size() == comm.size()) &&
                    "all members give a node or none does");
    manifest.sizes = std::move(sizes).take();
    return manifest;
}

bool Manifest::all_have_bytes() const {
    return std::ranges::all_of(ranges, [&](BlockRange const& range) { return sizes.bytes(range) > 0; });
}

bool holds(Manifest const& manifest, std::span<PeId const> members, std::span<Head const> heads) {
    return std::ranges::equal(manifest.members, members) &&
           std::ranges::equal(manifest.hashes, heads, {}, {}, &Head::entities);
}

std::optional<std::string> duplicate(Manifest const& manifest, std::span<Image::Stored const> common) {
    std::vector<std::string_view> names;
    for (auto const& entity : manifest.entities) names.push_back(entity.name);
    for (auto const& entity : common) names.push_back(entity.name);
    std::sort(names.begin(), names.end());
    auto const found = std::adjacent_find(names.begin(), names.end());
    return found == names.end() ? std::nullopt : std::optional<std::string>(*found);
}

}  // namespace regraft::checkpoint
