#include "checkpoint/registry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::checkpoint {
namespace {

std::span<std::byte const> head_of(Entity const& entity) {
    return entity.head ? entity.head() : std::span<std::byte const>{};
}

/// Reserves room for everything that is known to come: growing would copy what is there, and take half as much memory
/// again.
void make_room(Registry const& registry, Image& image) {
    std::uint64_t expected = 0;
    for (auto const& [name, entity] : registry) {
        if (entity.bytes) expected += head_of(entity).size() + entity.bytes().size();
    }
    if (image.bytes.capacity() >= expected) return;
    image.bytes = {};
    image.bytes.reserve(expected);
}

/// Whether samples become shorter by an eighth. To compress what does not takes as long as what does.
bool promises_to_shrink(std::span<std::byte const> plain) {
    constexpr std::uint64_t num_samples = 4, sample = 32 << 10;
    if (plain.size() < 2 * num_samples * sample) return true;
    std::uint64_t packed = 0;
    for (std::uint64_t i = 0; i < num_samples; ++i) {
        auto const begin = (plain.size() - sample) / (num_samples - 1) * i;
        packed += zstd_compress(plain.subspan(begin, sample), compression_level).size();
    }
    return packed <= num_samples * sample / 8 * 7;
}

void append_compressed(Entity const& entity, ByteWriter& out, Image::Stored& stored) {
    ByteWriter made;
    if (!entity.bytes) entity.save(made);
    auto const head = head_of(entity), plain = entity.bytes ? entity.bytes() : made.bytes();
    stored.bytes = head.size() + plain.size();
    if (!promises_to_shrink(plain)) {
        out.put_plain(head);
        out.put_plain(plain);
        return;
    }
    auto const frame = head.empty() ? zstd_compress(plain, compression_level)
                                    : zstd_compress_pieces(std::array{head, plain}, compression_level);
    if (frame.size() < stored.bytes) return out.put_plain(std::span<std::byte const>(frame));
    out.put_plain(head);
    out.put_plain(plain);
}

void give_up_all_but(std::vector<std::string_view> names, Registry& registry, Registry& given_up) {
    std::sort(names.begin(), names.end());
    for (auto next = registry.begin(); next != registry.end();) {
        auto const here = next++;
        if (!std::binary_search(names.begin(), names.end(), here->first)) given_up.insert(registry.extract(here));
    }
}

}  // namespace

GivenUp::~GivenUp() {
    for (auto* const side : {&own_, &common_}) {
        // An entity that the program has adopted under the same name meanwhile replaces the one that was given up.
        std::erase_if(side->given_up, [&](auto const& entry) {
            return own_.registered.contains(entry.first) || common_.registered.contains(entry.first);
        });
        side->registered.merge(side->given_up);
    }
}

void GivenUp::all_but(std::vector<std::string_view> own, std::vector<std::string_view> common) {
    give_up_all_but(std::move(own), own_.registered, own_.given_up);
    give_up_all_but(std::move(common), common_.registered, common_.given_up);
}

std::vector<std::string> GivenUp::for_good() {
    std::vector<std::string> names;
    for (auto* const side : {&own_, &common_}) {
        for (auto const& [name, entity] : side->given_up) names.push_back(name);
        side->given_up.clear();
    }
    return names;
}

void save(Registry const& registry, SnapshotOptions::Form form, Image& image) {
    image.entities.clear();
    image.bytes.clear();
    image.chunks.clear();
    if (form == SnapshotOptions::Form::plain) make_room(registry, image);
    ByteWriter out(std::move(image.bytes));
    for (auto const& [name, entity] : registry) {
        auto& stored = image.entities.emplace_back(Image::Stored{name});
        auto const begin = out.bytes().size();
        if (form == SnapshotOptions::Form::compressed) {
            append_compressed(entity, out, stored);
        } else if (entity.bytes) {
            out.put_plain(head_of(entity));
            out.put_plain(entity.bytes());
        } else {
            entity.save(out);
        }
        stored.stored_bytes = out.bytes().size() - begin;
        if (form == SnapshotOptions::Form::plain) stored.bytes = stored.stored_bytes;
    }
    image.bytes = out.take();
}

std::span<std::byte const> unpacked(std::span<std::byte const> stored, std::uint64_t bytes,
                                    std::vector<std::byte>& memory) {
    if (stored.size() >= bytes) {
        REGRAFT_EXPECTS(stored.size() == bytes);
        return stored;
    }
    memory = zstd_decompress(stored, bytes);
    if (memory.size() != bytes) throw InputError("a compressed entity has fewer bytes than it should have");
    return memory;
}

void restore(Entity const& entity, std::span<std::byte const> stored, std::uint64_t bytes) {
    std::vector<std::byte> memory;
    ByteReader in(unpacked(stored, bytes, memory));
    entity.restore(in);
    REGRAFT_EXPECTS(in.empty() && "restore reads all that save has written");
}

}  // namespace regraft::checkpoint
