#include "checkpoint/saved.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/core/zstd.hpp"
#include "regraft/disk/archive.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::array magic{std::byte{0x89}, std::byte{'R'}, std::byte{'G'}, std::byte{'S'}};
constexpr std::uint64_t version = 1;

void put_text(FormatWriter& out, std::string_view text) {
    out.section(std::as_bytes(std::span(text)));
}

std::string get_text(FormatReader& in) {
    auto const bytes = in.section();
    std::string text(bytes.size(), '\0');
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(text)).begin());
    return text;
}

PeId get_pe(FormatReader& in) {
    auto const number = in.number();
    if (number > std::numeric_limits<std::uint32_t>::max()) throw InputError("there is no member of such a number");
    return PeId{static_cast<std::uint32_t>(number)};
}

std::vector<PeId> get_members(FormatReader& in) {
    std::vector<PeId> members;
    for (auto left = in.number(); left > 0; --left) {
        auto const pe = get_pe(in);
        if (!members.empty() && pe <= members.back()) throw InputError("its members are not ascending");
        members.push_back(pe);
    }
    return members;
}

void put_common(FormatWriter& out, Image const& common) {
    out.number(common.entities.size());
    std::span<std::byte const> rest = common.bytes;
    for (auto const& entity : common.entities) {
        put_text(out, entity.name);
        out.section(rest.first(entity.bytes));
        rest = rest.subspan(entity.bytes);
    }
}

Image get_common(FormatReader& in) {
    Image common;
    for (auto left = in.number(); left > 0; --left) {
        auto name = get_text(in);
        auto const bytes = in.section();
        common.entities.push_back({std::move(name), bytes.size(), bytes.size()});
        common.bytes.insert(common.bytes.end(), bytes.begin(), bytes.end());
    }
    return common;
}

std::vector<CommittedEntity> get_entities(FormatReader& in, std::span<PeId const> members, BlockSizes const& sizes) {
    std::vector<CommittedEntity> entities;
    if (in.number() != sizes.num_blocks()) throw InputError("it has not as many entities as blocks");
    for (BlockId block{0}; value(block) < sizes.num_blocks(); block = advance(block, 1)) {
        CommittedEntity entity{get_text(in), get_pe(in), in.number(), sizes.bytes(block)};
        if (!std::binary_search(members.begin(), members.end(), entity.home)) {
            throw InputError("an entity is at home with no member");
        }
        if (entity.bytes < entity.stored_bytes || entity.bytes > zstd_max_content(entity.stored_bytes)) {
            throw InputError("an entity cannot have " + std::to_string(entity.bytes) + " bytes");
        }
        entities.push_back(std::move(entity));
    }
    return entities;
}

void expect_unique_names(SavedState const& state) {
    std::set<std::string_view> names;
    auto const add = [&](std::string const& name) {
        if (!names.insert(name).second) throw InputError("two entities are called '" + name + "'");
    };
    for (auto const& entity : state.entities) add(entity.name);
    for (auto const& entity : state.common.entities) add(entity.name);
}

SavedState decode_body(FormatReader in, BlockSizes const& sizes) {
    SavedState state;
    state.commit = in.number();
    state.members = get_members(in);
    state.common = get_common(in);
    state.entities = get_entities(in, state.members, sizes);
    auto const attributes = in.section();
    state.attributes.assign(attributes.begin(), attributes.end());
    in.expect_end();
    expect_unique_names(state);
    return state;
}

}  // namespace

std::vector<std::byte> encode(SavedState const& state) {
    FormatWriter out;
    out.append(magic);
    out.number(version);
    out.number(state.commit);
    out.number(state.members.size());
    for (auto const pe : state.members) out.number(value(pe));
    put_common(out, state.common);
    out.number(state.entities.size());
    for (auto const& [name, home, bytes, stored_bytes] : state.entities) {
        put_text(out, name);
        out.number(value(home));
        out.number(bytes);
    }
    out.section(state.attributes);
    return out.take();
}

SavedState decode(std::span<std::byte const> bytes, BlockSizes const& sizes, std::string const& file) {
    bool const is_snapshot = bytes.size() > magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
    if (!is_snapshot) throw InputError({file}, "has blocks that no snapshot has saved");
    try {
        FormatReader in(bytes.subspan(magic.size()));
        auto const found = in.number();
        if (found != version) {
            throw InputError("it has version " + std::to_string(found) +
                             " of the format of snapshots, expected version " + std::to_string(version));
        }
        return decode_body(in, sizes);
    } catch (InputError const& error) {
        throw InputError({file}, std::string("is no snapshot that can be read: ") + error.what());
    }
}

/// A generation of an archive, and the positions of entities in it.
class SavedEntities::OpenSave {
public:
    explicit OpenSave(disk::Saved const& saved) {
        try {
            auto const& [archive, number] = saved;
            generation_.emplace(archive, number);
            auto const& index = generation_->index();
            entities_ = decode(index.attributes, index.sizes, disk::index_path(archive, number).string()).entities;
            for (std::uint64_t i = 0; i < entities_.size(); ++i) block_of_[entities_[i].name] = BlockId{i};
        } catch (InputError const& error) {
            unreadable_ = error;
        }
    }
    OpenSave(OpenSave const&) = delete;
    OpenSave& operator=(OpenSave const&) = delete;

    void read(CommittedEntity const& entity, std::span<std::byte> out) {
        if (unreadable_) throw InputError(*unreadable_);
        auto const found = block_of_.find(entity.name);
        if (found == block_of_.end()) throw InputError("entity '" + entity.name + "' was not saved");
        auto const block = found->second;
        auto const& there = entities_[value(block)];
        if (there.bytes != entity.bytes) throw InputError("entity '" + entity.name + "' was saved with another size");
        BlockRange const range{block, advance(block, 1)};
        if (there.stored_bytes == there.bytes && there.bytes == out.size()) return generation_->read(range, out);

        std::vector<std::byte> stored(there.stored_bytes), memory;
        generation_->read(range, stored);
        auto plain = unpacked(stored, there.bytes, memory);  // stored is a frame, whichever program wrote it
        if (out.size() == stored.size()) {
            std::ranges::copy(stored, out.begin());
            return;
        }
        // A snapshot of the other form wrote it.
        std::vector<std::byte> packed;
        if (out.size() < plain.size()) plain = packed = zstd_compress(plain, compression_level);
        if (out.size() != plain.size()) throw InputError("entity '" + entity.name + "' is compressed otherwise");
        std::ranges::copy(plain, out.begin());
    }

private:
    std::optional<InputError> unreadable_;
    std::optional<disk::Generation> generation_;
    std::vector<CommittedEntity> entities_;
    std::map<std::string_view, BlockId> block_of_;
};

void SavedEntities::read(CommittedEntity const& entity, std::span<std::byte> out) {
    REGRAFT_EXPECTS(out.size() == entity.stored_bytes);
    std::optional<InputError> error;
    for (std::size_t i = 0; i < where_.size(); ++i) {
        if (i == open_.size()) open_.push_back(std::make_shared<OpenSave>(where_[where_.size() - 1 - i]));
        try {
            return open_[i]->read(entity, out);
        } catch (InputError const& next) {
            error = next;
        }
    }
    throw error ? *error : InputError("the last commit is not on disk");
}

}  // namespace regraft::checkpoint
