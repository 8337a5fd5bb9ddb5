// Files by their descriptors. Every error is an InputError, or OutputError, with the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace regraft::disk {

class File {
public:
    enum class For { reading, writing };
    /// A file opened for writing keeps its contents, and is made if it does not exist.
    File(std::filesystem::path path, For what);
    File(File const&) = delete;
    File& operator=(File const&) = delete;
    ~File();

    std::filesystem::path const& path() const { return path_; }
    std::uint64_t size() const;
    void read(std::uint64_t offset, std::span<std::byte> out) const;
    void write(std::uint64_t offset, std::span<std::byte const> bytes);
    /// Returns when everything is on the disk, and closes the file.
    void finish();

private:
    std::filesystem::path path_;
    int descriptor_;
};

/// Returns when the names in the folder are on the disk, if the folder may be opened.
void sync_folder(std::filesystem::path const& path);

}  // namespace regraft::disk
