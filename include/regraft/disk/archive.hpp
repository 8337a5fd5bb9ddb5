// A folder with generations of the same blocks. Many processes write a generation at once, and it is there as a whole
// or not at all.
//
// A generation is a folder of its own with data files and an index, which is written last. The generation counts from
// the moment when the index has its name. Writers go through the steps below in this order; steps of different writers
// may overlap, except for those that one writer takes for all. One job at a time writes to an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "regraft/disk/index.hpp"

#pragma GCC visibility push(default)
namespace regraft::disk {

/// The file by whose name a generation is complete.
std::filesystem::path index_path(std::filesystem::path const& archive, std::uint64_t generation);
/// Data file number `file` of a generation, counted from 0.
std::filesystem::path data_path(std::filesystem::path const& archive, std::uint64_t generation, std::size_t file);

/// The generations that have an index, the newest first. Throws InputError if the folder cannot be read.
std::vector<std::uint64_t> generations(std::filesystem::path const& archive);

/// One writer calls it for all: makes the folder of a generation that is newer than all that are there, complete or
/// not, and the archive if needed. Returns the generation's number. Throws InputError if it cannot.
std::uint64_t begin_generation(std::filesystem::path const& archive);

/// Consecutive pieces in a data file, and the bytes of each.
struct PiecesToWrite {
    std::size_t file = 0;                                 // number of the data file
    std::size_t first = 0;                                // position of the first piece in the file's row of the index
    std::span<std::span<std::byte const> const> bytes{};  // per piece: its blocks, one behind the other
};
/// Writes the pieces and what is in front of all pieces, and returns when that is on the disk. Does not touch what
/// others write to the same file. index is the final one, except for seals. Returns the seals. Throws InputError if it
/// cannot write. Precondition: each entry has the bytes of its blocks. O(bytes); each byte is read once.
std::vector<std::uint64_t> write_pieces(std::filesystem::path const& archive, Index const& index,
                                        PiecesToWrite const& pieces);

/// One writer calls it for all when everything else is on the disk: writes the index, and returns when the generation
/// is complete and will be after a loss of power. Throws InputError if it cannot; then the generation does not count.
void commit(std::filesystem::path const& archive, Index const& index);

/// One writer calls it for all: removes the files of a generation, the index first, as far as that is possible.
void remove_generation(std::filesystem::path const& archive, std::uint64_t generation) noexcept;
/// One writer calls it for all: removes the generations older than `than`, except for the `kept - 1` newest that have
/// an index.
void remove_older(std::filesystem::path const& archive, std::uint64_t than, std::uint64_t kept) noexcept;

}  // namespace regraft::disk
#pragma GCC visibility pop
