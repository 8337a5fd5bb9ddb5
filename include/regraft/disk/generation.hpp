// Reads a generation of an archive, by one process: every byte that it gives was compared with its checksum.
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

namespace regraft::disk {

/// Opens one data file at a time. Everything throws InputError, with the name of the file, if a file is missing, cut,
/// too long, of another generation, or if any bit of what is looked at is wrong. Not thread-safe.
class Generation {
public:
    /// Reads the index.
    Generation(std::filesystem::path archive, std::uint64_t number);
    /// With an index that is known.
    Generation(std::filesystem::path archive, Index index);
    Generation(Generation&&) noexcept;
    Generation& operator=(Generation&&) noexcept;
    ~Generation();

    Index const& index() const { return index_; }
    /// Reads blocks into out, one behind the other. After an exception out is unspecified. Precondition: blocks exist;
    /// out has their size. O(bytes, and those of parts of 64 KiB or a block that are wanted in part); memory: the
    /// checksums of what was read so far, and such a part.
    void read(BlockRange blocks, std::span<std::byte> out);
    /// Whether the data file is there, as long as it must be, and of this generation.
    void check_file(std::size_t file);
    /// Reads everything.
    void verify();

private:
    class Files;
    struct PartSum {
        BlockRange blocks;
        std::uint64_t sum = 0;
    };
    struct Place {
        Piece piece;
        std::size_t file = 0;
        std::uint64_t offset = 0;
        std::vector<PartSum> parts{};  // when they were read
    };
    void read(Place& place, BlockRange blocks, std::span<std::byte> out);
    void read_sums(Place& place);

    Index index_;
    std::vector<Place> places_;  // ascending
    std::unique_ptr<Files> files_;
};

/// The index file as it is, to be decoded by others too. Throws InputError if it cannot be read.
std::vector<std::byte> read_index(std::filesystem::path const& archive, std::uint64_t generation);

/// The newest generation of which all is right, and what is wrong with those that are newer.
struct Newest {
    Generation generation;
    std::vector<std::string> refused;
};
/// Throws InputError, with what is wrong with each, if there is none. Reads everything.
Newest open_newest(std::filesystem::path const& archive);
/// What to say if there is none, and why not each.
std::string nothing_readable(std::filesystem::path const& archive, std::span<std::string const> refused);

/// Where the same blocks are on disk.
struct Saved {
    std::filesystem::path archive;
    std::uint64_t generation = 0;
};
/// A source of last resort for store::LoadOptions::reread: reads from the last of them of which what is wanted is
/// right. Throws InputError, with what is wrong with the last, if there is none. Empty if `saved` is.
std::function<void(BlockRange, std::span<std::byte>)> reread(std::vector<Saved> saved);

}  // namespace regraft::disk
