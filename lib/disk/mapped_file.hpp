// The bytes of a file as memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "disk/file.hpp"

// Exported for the files of libregraft_mpi.
#pragma GCC visibility push(default)
namespace regraft::disk {

/// Throws InputError, with the file's name, if it cannot be read. While it lives the file must not become shorter.
class MappedFile {
public:
    explicit MappedFile(std::filesystem::path path);
    MappedFile(MappedFile const&) = delete;
    MappedFile& operator=(MappedFile const&) = delete;
    ~MappedFile();

    std::span<std::byte const> bytes() const { return bytes_; }

private:
    File file_;
    std::span<std::byte const> bytes_;
};

}  // namespace regraft::disk
#pragma GCC visibility pop
