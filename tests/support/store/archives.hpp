// Archives with known blocks, written by one process in the steps in which many processes would write them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/random.hpp"
#include "regraft/disk/archive.hpp"

namespace regraft::test {

/// A folder of this process, which is removed with it.
class ScratchFolder {
public:
    explicit ScratchFolder(std::string const& name)
        : path_(std::filesystem::temp_directory_path() / ("regraft-" + name + "-" + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ScratchFolder(ScratchFolder const&) = delete;
    ScratchFolder& operator=(ScratchFolder const&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::vector<std::byte> file_contents(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline void write_contents(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Blocks whose bytes follow from a salt.
struct KnownBlocks {
    BlockSizes sizes;
    std::vector<std::byte> bytes;

    KnownBlocks(std::vector<std::uint64_t> const& sizes_of_all, std::uint64_t salt) {
        BlockSizes::Builder builder;
        for (auto const size : sizes_of_all) builder.add(size);
        *this = KnownBlocks(std::move(builder).take(), salt);
    }
    KnownBlocks(BlockSizes sizes_of_all, std::uint64_t salt) : sizes(std::move(sizes_of_all)) {
        bytes.resize(sizes.bytes());
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(mix(salt * 1000003 + i));
    }
    std::span<std::byte const> of(BlockRange blocks) const {
        return std::span(bytes).subspan(sizes.begin(blocks.first), sizes.bytes(blocks));
    }
    BlockRange all() const { return {BlockId{0}, BlockId{sizes.num_blocks()}}; }
};

/// The index of blocks that lie in data files like that, without seals.
inline disk::Index index_of(KnownBlocks const& blocks, Csr<BlockRange> const& files) {
    disk::Index index;
    index.sizes = blocks.sizes;
    for (std::size_t file = 0; file < files.size(); ++file) {
        for (auto const& range : files[file]) index.files.push_value({range, num_parts(range, blocks.sizes)});
        index.files.end_row();
    }
    return index;
}

/// Writes every piece by a writer of its own, those of a file in reverse order. Returns the generation.
inline std::uint64_t write_generation(std::filesystem::path const& archive, KnownBlocks const& blocks,
                                      Csr<BlockRange> const& files, std::vector<std::byte> attributes = {}) {
    auto index = index_of(blocks, files);
    index.attributes = std::move(attributes);
    index.generation = disk::begin_generation(archive);
    for (std::size_t file = 0; file < files.size(); ++file) {
        if (files[file].empty()) disk::write_pieces(archive, index, {file, 0, {}});
        for (auto i = files[file].size(); i-- > 0;) {
            auto const bytes = blocks.of(files[file][i]);
            index.files[file][i].seal = disk::write_pieces(archive, index, {file, i, std::span(&bytes, 1)}).front();
        }
    }
    disk::commit(archive, index);
    return index.generation;
}

/// Data files that hold ranges from one block to the next of these: row by file.
inline Csr<BlockRange> files_of(std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> const& rows) {
    Csr<BlockRange> files;
    for (auto const& row : rows) {
        for (auto const& [first, last] : row) files.push_value({BlockId{first}, BlockId{last}});
        files.end_row();
    }
    return files;
}

}  // namespace regraft::test
