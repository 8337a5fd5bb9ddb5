// The entities that a PE has registered, and how they become the bytes of a commit and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/checkpoint/entity.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/digest.hpp"

namespace regraft::checkpoint {

/// Entities by name, in the order of the names.
using Registry = std::map<std::string, Entity, std::less<>>;

/// Bytes from `first` to before `last`.
struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};
/// What the program has told of entities since the last commit.
using ToldChanges = std::map<std::string, std::vector<ByteRange>, std::less<>>;

/// Entities that a PE gives up on its way to another state. They are registered again unless that state is reached;
/// only then the program is told what it no longer has.
class GivenUp {
public:
    GivenUp(Registry& own, Registry& common) : own_{own, {}}, common_{common, {}} {}
    GivenUp(GivenUp const&) = delete;
    GivenUp& operator=(GivenUp const&) = delete;
    ~GivenUp();

    /// Unregisters all entities except these.
    void all_but(std::vector<std::string_view> own, std::vector<std::string_view> common);
    /// The state is reached: returns the names of the entities that stay unregistered.
    std::vector<std::string> for_good();

private:
    struct Reduced {
        Registry& registered;
        Registry given_up;
    };
    Reduced own_, common_;
};

/// Entities as they are stored, one behind the other.
struct Image {
    struct Stored {
        std::string name;
        std::uint64_t bytes = 0;
        std::uint64_t stored_bytes = 0;
    };
    std::vector<Stored> entities;
    std::vector<std::byte> bytes;
    std::vector<std::optional<Digest>> chunks;  // of bytes, as far as they are known; empty: none is
};

/// Replaces image; its memory is used as far as it suffices.
void save(Registry const& registry, SnapshotOptions::Form form, Image& image);

inline constexpr int compression_level = 1;

/// The bytes of an entity before compression. If it was compressed, they are `bytes` bytes in `memory`. Throws
/// InputError if stored is no frame of that many bytes.
std::span<std::byte const> unpacked(std::span<std::byte const> stored, std::uint64_t bytes,
                                    std::vector<std::byte>& memory);

/// Restores the entity from what was stored of it. The state has `bytes` bytes; `stored` is compressed if it is
/// shorter.
void restore(Entity const& entity, std::span<std::byte const> stored, std::uint64_t bytes);

}  // namespace regraft::checkpoint
