// Checkpoints on disk, in case all PEs die. They are written atomically and checked when read, and the previous one is
// kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace regraft::phylo {

/// The path PREFIX.ckp, or PREFIX.N.ckp for a PE that is not the leading one.
std::filesystem::path checkpoint_path(std::string const& prefix, std::optional<std::uint32_t> pe);

/// The checkpoints of all PEs of which the file or the previous one exists, by name.
std::vector<std::filesystem::path> find_checkpoints(std::string const& prefix);

/// The path of the previous file.
std::filesystem::path previous_checkpoint(std::filesystem::path const& path);

/// Writes beside `path` and makes sure that the file is on disk. Then the file at `path`, if it is not damaged, becomes
/// the previous one, and the new one takes its name. So at any time one of the two is whole. `job` identifies the job
/// for read_checkpoint. Throws OutputError if it cannot write.
void write_checkpoint(std::filesystem::path const& path, std::uint64_t job, std::span<std::byte const> contents);

struct CheckpointContents {
    std::vector<std::byte> bytes;
    std::filesystem::path read_from;
    std::string warning;  // why the contents are the previous ones; empty if they are not
};

/// The contents of the file at `path`, or of the previous one if that is damaged or missing; nothing if neither exists.
/// A file is damaged if it was cut or any bit of it was changed. Throws InputError if all existing files are damaged,
/// or if one belongs to another job or version of the program.
std::optional<CheckpointContents> read_checkpoint(std::filesystem::path const& path, std::uint64_t job);

/// Removes the checkpoints of all PEs, the previous ones, and what interrupted writes have left.
void remove_checkpoints(std::string const& prefix);

}  // namespace regraft::phylo
