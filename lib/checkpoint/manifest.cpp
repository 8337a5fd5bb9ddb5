#include "checkpoint/manifest.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/bytes.hpp"
#include "store/together/identity.hpp"

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

/// Gathers the bytes of all members.
class GatheredBytes {
public:
    GatheredBytes(ft::Communicator& comm, std::span<std::byte const> mine) {
        std::vector<std::uint64_t> words(1 + (mine.size() + 7) / 8);
        words[0] = mine.size();
        std::ranges::copy(mine, std::as_writable_bytes(std::span(words).subspan(1)).begin());
        rows_ = exchange::all_gather(comm, words);
    }
    std::span<std::byte const> operator[](std::size_t rank) const {
        auto const row = std::span<std::uint64_t const>(rows_[rank]);
        return std::as_bytes(row.subspan(1)).first(row[0]);
    }

private:
    Csr<std::uint64_t> rows_;
};

/// The hashes of common entities by name.
using Hashes = std::map<std::string, std::uint64_t>;

std::vector<std::byte> encoded_hashes(Image const& common) {
    ByteWriter out;
    std::span<std::byte const> rest = common.bytes;
    for (auto const& entity : common.entities) {
        out.put_text(entity.name);
        out.put(hash(rest.first(entity.stored_bytes)));
        rest = rest.subspan(entity.stored_bytes);
    }
    return out.take();
}

Hashes hashes_of(std::span<std::byte const> row) {
    Hashes hashes;
    for (ByteReader in(row); !in.empty();) {
        auto name = in.get_text();
        hashes[std::move(name)] = in.get<std::uint64_t>();
    }
    return hashes;
}

}  // namespace

std::string difference(ft::Communicator& comm, Image const& common) {
    GatheredBytes const all(comm, encoded_hashes(common));
    auto const first = hashes_of(all[0]);
    auto const rank_of = [&](std::size_t i) { return "rank " + std::to_string(value(comm.members()[i])); };
    for (std::size_t i = 1; i < comm.size(); ++i) {
        auto const other = hashes_of(all[i]);
        for (auto const& [name, hash] : first) {
            auto const found = other.find(name);
            if (found == other.end())
                return "'" + name + "', which " + rank_of(0) + " has and " + rank_of(i) + " has not";
            if (found->second != hash)
                return "'" + name + "', which differs between " + rank_of(0) + " and " + rank_of(i);
        }
        for (auto const& [name, hash] : other) {
            if (!first.contains(name))
                return "'" + name + "', which " + rank_of(i) + " has and " + rank_of(0) + " has not";
        }
    }
    return "an unknown one";  // two differences that cancel each other in the sum of hashes
}

std::uint64_t hash_of(std::span<Image::Stored const> entities, std::optional<std::uint32_t> node) {
    return hash(encoded(entities, node));
}

std::vector<Head> gather_heads(ft::Communicator& comm, Head const& mine) {
    std::vector const words{mine.call,
                            mine.options,
                            mine.entities,
                            mine.common,
                            std::bit_cast<std::uint64_t>(mine.cost.step_ms),
                            std::bit_cast<std::uint64_t>(mine.cost.commit_ms)};
    auto const rows = exchange::all_gather(comm, words);
    store::expect_same_call(comm, rows);
    std::vector<Head> heads;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const row = rows[i];
        heads.push_back(
            {row[0], row[1], row[2], row[3], {std::bit_cast<double>(row[4]), std::bit_cast<double>(row[5])}});
    }
    return heads;
}

Manifest gather_manifest(ft::Communicator& comm, std::span<Image::Stored const> entities,
                         std::optional<std::uint32_t> node) {
    GatheredBytes const all(comm, encoded(entities, node));
    Manifest manifest;
    BlockSizes::Builder sizes;
    for (std::size_t i = 0; i < comm.size(); ++i) append(all[i], comm.members()[i], manifest, sizes);
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
