// A checkpoint file of the program, on this PE's node.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "store/together/complaint.hpp"

namespace regraft::checkpoint {

/// Makes the folder and those in front of it. Throws OutputError.
void make_folders(std::filesystem::path const& path);

/// Removes the file, and folders that are empty then. Another PE of the node may do the same.
void remove_file(std::filesystem::path const& folder, std::filesystem::path const& name);

/// The bytes of a file as memory. The file must not become shorter while it lives.
class Mapped {
public:
    /// Throws InputError, with the file's name, if it cannot be read.
    explicit Mapped(std::filesystem::path const& path);
    Mapped(Mapped const&) = delete;
    Mapped& operator=(Mapped const&) = delete;
    ~Mapped();
    std::span<std::byte const> bytes() const { return bytes_; }

private:
    std::span<std::byte const> bytes_;
};

class RoutedFile {
public:
    explicit RoutedFile(std::filesystem::path path) : path_(std::move(path)) {}

    /// Opens the file as the program has left it. Throws InputError.
    void open();
    /// What open() has found, or what was restored. Precondition: one of them was called, and not close() since.
    std::span<std::byte const> bytes() const;
    /// Writes the file and opens it. If it cannot, what it was to write stays in memory, because it may be committed
    /// again.
    store::Complaint restore(ByteReader& in);
    /// The program goes on with the file.
    void close() { mapped_.reset(); }

private:
    std::filesystem::path path_;
    std::unique_ptr<Mapped> mapped_;
    std::optional<std::vector<std::byte>> unwritten_;
};

}  // namespace regraft::checkpoint
