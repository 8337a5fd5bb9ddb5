// The entities that a PE has registered, and how they become the bytes of a commit and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/checkpoint/entity.hpp"
#include "regraft/checkpoint/snapshot.hpp"

namespace regraft::checkpoint {

/// Entities by name: their order is that of the names.
using Registry = std::map<std::string, Entity, std::less<>>;

/// What a PE gives up on its way to another state. It is registered again unless that is reached: only then the program
/// is told what it has no more.
class GivenUp {
public:
    GivenUp(Registry& own, Registry& common) : own_{own, {}}, common_{common, {}} {}
    GivenUp(GivenUp const&) = delete;
    GivenUp& operator=(GivenUp const&) = delete;
    ~GivenUp();

    /// Unregisters all but these.
    void all_but(std::vector<std::string_view> own, std::vector<std::string_view> common);
    /// The state is reached: the names of what stays unregistered.
    std::vector<std::string> for_good();

private:
    struct Part {
        Registry& registered;
        Registry given_up;
    };
    Part own_, common_;
};

/// What is stored of entities, one behind the other.
struct Image {
    struct Part {
        std::string name;
        std::uint64_t bytes = 0;
        std::uint64_t stored_bytes = 0;
    };
    std::vector<Part> parts;
    std::vector<std::byte> bytes;
};

/// Replaces image, in the memory that it has as far as that reaches.
void save(Registry const& registry, SnapshotOptions::Form form, Image& image);

inline constexpr int compression_level = 1;

/// What was stored, as it was before it was compressed, if it was: `bytes` bytes, in `memory` if they had to be made.
/// Throws InputError if it is no frame of so many bytes.
std::span<std::byte const> unpacked(std::span<std::byte const> stored, std::uint64_t bytes,
                                    std::vector<std::byte>& memory);

/// Gives the entity what was stored of it: `bytes` bytes, compressed if that is more than `stored` has.
void restore(Entity const& entity, std::span<std::byte const> stored, std::uint64_t bytes);

}  // namespace regraft::checkpoint
