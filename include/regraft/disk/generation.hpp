// Reads a generation of an archive in one process. Every byte that it returns was verified by its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/disk/index.hpp"

#pragma GCC visibility push(default)
namespace regraft::disk {

/// A generation on disk; it opens one data file at a time. All member functions throw InputError, with the name of the
/// file, if a file is missing, cut, too long, or of another generation, or if any bit of what is read is wrong. Not
/// thread-safe.
class Generation {
public:
    /// Reads the index.
    Generation(std::filesystem::path archive, std::uint64_t number);
    /// Uses an index that is known already.
    Generation(std::filesystem::path archive, Index index);
    Generation(Generation&&) noexcept;
    Generation& operator=(Generation&&) noexcept;
    ~Generation();

    /// What the generation has, and where.
    Index const& index() const { return index_; }
    /// Reads blocks into out, one behind the other. After an exception out is unspecified. Precondition: blocks exist;
    /// out has their size. O(bytes), plus the parts (64 KiB or a block) that are wanted only partly. Memory: the
    /// checksums of what was read so far, and one such part.
    void read(BlockRange blocks, std::span<std::byte> out);
    /// Checks that the data file exists, has the right length, and belongs to this generation.
    void check_file(std::size_t file);
    /// Reads and verifies everything.
    void verify();

private:
    class [[gnu::visibility("hidden")]] Files;
    struct PartSum {
        BlockRange blocks;
        std::uint64_t sum = 0;
    };
    struct StoredPiece {
        Piece piece;
        std::size_t file = 0;
        std::uint64_t offset = 0;
        std::vector<PartSum> parts{};  // filled when they were read
    };
    void read(StoredPiece& stored, BlockRange blocks, std::span<std::byte> out);
    void read_sums(StoredPiece& stored);

    Index index_;
    std::vector<StoredPiece> pieces_;  // ascending by block
    std::unique_ptr<Files> files_;
};

/// The bytes of the index file, to be decoded by other processes as well. Throws InputError if it cannot be read.
std::vector<std::byte> read_index(std::filesystem::path const& archive, std::uint64_t generation);

/// The newest undamaged generation, and what is wrong with each newer one.
struct Newest {
    Generation generation;             // already read once and verified
    std::vector<std::string> refused;  // a message for each newer generation, the newest first
};
/// Opens the newest undamaged generation. Throws InputError, with what is wrong with each, if there is none. Reads
/// everything.
Newest open_newest(std::filesystem::path const& archive);
/// The message that no generation is readable, with the reason for each.
std::string nothing_readable(std::filesystem::path const& archive, std::span<std::string const> refused);

/// A generation on disk with the same blocks.
struct Saved {
    std::filesystem::path archive;  // folder of the archive
    std::uint64_t generation = 0;   // number of the generation in it
};
/// A source of last resort for store::LoadOptions::reread: reads from the last entry of `saved` where the wanted blocks
/// are undamaged. Throws InputError, with what is wrong with the last entry, if there is none. Empty if `saved` is.
std::function<void(BlockRange, std::span<std::byte>)> reread(std::vector<Saved> saved);

}  // namespace regraft::disk
#pragma GCC visibility pop
