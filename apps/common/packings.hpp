// The packers whose files are read as texts: gzip, bzip2, xz and zstd, each by its own library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace regraft::common {

/// Unpacks the members of a file, one after the other: RFC 1952 has the word for what other packers call streams or
/// frames.
class Unpacker {
public:
    enum class State : std::uint8_t { in_member, at_end_of_member, damaged, needs_memory };
    virtual ~Unpacker() = default;
    /// Begins the next member. The first one has begun.
    virtual void begin_member() = 0;
    /// Unpacks bytes from the begin of `packed` to the begin of `text`. Both become what is left of them. As long as
    /// one of them shrinks, there may be more to unpack.
    virtual State unpack(std::string_view& packed, std::span<char>& text) = 0;
};

/// What an unpacker may take.
enum class UnpackMemory : std::uint8_t {
    usual,  // as much as files need that were packed without unusual options: 128 MiB, and what the library needs
    any,
};

struct Packing {
    std::string_view name;        // of the packer
    std::string_view unpacker;    // the program that unpacks
    std::string_view any_memory;  // its options for files that need much memory
    std::string_view suffix;      // of its files
    /// Zeros behind a member have no meaning if they are a multiple of this; 0: they have no place there.
    std::size_t padding = 0;
    bool (*begins_member)(std::string_view head) = nullptr;  // head: the first bytes, up to packed_head
    std::unique_ptr<Unpacker> (*make_unpacker)(UnpackMemory) = nullptr;
};

/// The number of bytes from which a packing can be told.
inline constexpr std::size_t packed_head = 6;

std::span<Packing const> packings();
/// The packing of a file by its first bytes; null if it is none of them.
Packing const* packing_of(std::string_view head);

}  // namespace regraft::common
