// Files that a fuzzer starts from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>

namespace regraft::fuzz {

/// Writes a file, and makes its folder if that is not there.
inline void write_seed(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace regraft::fuzz
