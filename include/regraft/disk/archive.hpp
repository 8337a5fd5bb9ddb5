// A folder with generations of the same blocks: written by many at once, each as a whole or not at all.
//
// A generation is a folder of its own with data files and, written last, an index. It counts from the moment when the
// index has its name. Who writes goes through the steps below in this order; steps of different writers may overlap,
// but for those that one of them takes for all. One job at a time writes to an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "regraft/disk/index.hpp"

namespace regraft::disk {

std::filesystem::path index_path(std::filesystem::path const& archive, std::uint64_t generation);
std::filesystem::path data_path(std::filesystem::path const& archive, std::uint64_t generation, std::size_t file);

/// Those that have an index, the newest first. Throws InputError if the folder cannot be read.
std::vector<std::uint64_t> generations(std::filesystem::path const& archive);

/// For all: makes the folder of a generation that is newer than all that are there, complete or not, and the archive if
/// need be. Returns its number. Throws InputError if it cannot.
std::uint64_t begin_generation(std::filesystem::path const& archive);

/// Pieces that follow each other in a data file, and the bytes of each.
struct PiecesToWrite {
    std::size_t file = 0;
    std::size_t first = 0;  // in the file's row of the index
    std::span<std::span<std::byte const> const> bytes{};
};
/// Writes them, and what is in front of all pieces, and returns when that is on the disk. What others write to the same
/// file stays. index: as it will be, but for seals. Returns the seals. Throws InputError if it cannot. Precondition:
/// each has the bytes of its blocks. O(bytes), each of which is read once.
std::vector<std::uint64_t> write_pieces(std::filesystem::path const& archive, Index const& index,
                                        PiecesToWrite const& pieces);

/// For all, when everything else is on the disk: writes the index, and returns when the generation is complete and will
/// be after a loss of power. Throws InputError if it cannot; then the generation does not count.
void commit(std::filesystem::path const& archive, Index const& index);

/// For all: removes the files of a generation, the index first, as far as that is possible.
void remove_generation(std::filesystem::path const& archive, std::uint64_t generation) noexcept;
/// For all: the same for what is older than a generation, but for the `kept - 1` newest that have an index.
void remove_older(std::filesystem::path const& archive, std::uint64_t than, std::uint64_t kept) noexcept;

}  // namespace regraft::disk
