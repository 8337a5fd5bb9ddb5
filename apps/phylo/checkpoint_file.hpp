// Checkpoints on disk, for the death of all: written atomically, checked when read, and the one before is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace regraft::phylo {

/// PREFIX.ckp, or PREFIX.N.ckp of a PE that is not the leading one.
std::filesystem::path checkpoint_path(std::string const& prefix, std::optional<std::uint32_t> pe);

/// Those of which the file or the one before is there, of all PEs, by name.
std::vector<std::filesystem::path> find_checkpoints(std::string const& prefix);

/// The file before this one.
std::filesystem::path previous_checkpoint(std::filesystem::path const& path);

/// Writes beside `path` and makes sure that it is on disk. Then the file at `path`, if it is not damaged, becomes the
/// previous one, and this one takes its name. So at any time one of the two is whole. `job`: what the checkpoint
/// belongs to, for read_checkpoint. Throws OutputError if it cannot.
void write_checkpoint(std::filesystem::path const& path, std::uint64_t job, std::span<std::byte const> contents);

struct CheckpointContents {
    std::vector<std::byte> bytes;
    std::filesystem::path read_from;
    std::string warning;  // why it is the previous one; empty if it is not
};

/// The contents of the file at `path`, or of the previous one if that is damaged or missing; nothing if there is
/// neither. Damaged: it was cut or any bit of it was changed. Throws InputError if all there is is damaged, or if it
/// belongs to another job or version of the program.
std::optional<CheckpointContents> read_checkpoint(std::filesystem::path const& path, std::uint64_t job);

/// Removes those of all PEs, the previous ones, and what interrupted writes have left of them.
void remove_checkpoints(std::string const& prefix);

}  // namespace regraft::phylo
