// Files that appear whole or not at all, even if the program or the machine dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::disk {

/// A new, empty file beside a target, open for writing. Its name is the target's with a random ending; it is at most as
/// long as the target's or 64 bytes, whichever is more.
struct Temporary {
    std::filesystem::path path;  // absolute or relative as the target's path
    int descriptor;              // open for writing; the caller closes it
};
/// Makes a temporary file. `mode` has the permissions, from which the umask removes some. Throws OutputError.
Temporary make_temporary(std::filesystem::path const& target, std::uint32_t mode);

/// A file that is written as a Temporary and takes the target's name when it is complete. Until then, and if that never
/// happens, the target stays as it was. Symbolic links are followed: what the link leads to is replaced, or made if it
/// does not exist. Devices and pipes are written directly. All member functions throw OutputError with the target's
/// name.
class NewFile {
public:
    /// Opens the temporary file, or the target if that is a device or a pipe. `mode`: as in make_temporary.
    explicit NewFile(std::filesystem::path target, std::uint32_t mode = 0666);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    /// Removes the file unless it has appeared.
    ~NewFile();

    /// Writes at the end. Each call is a system call.
    void write(std::span<std::byte const> bytes);
    /// The same for text.
    void write(std::string_view text);
    /// Returns when everything is on the disk. Nothing can be written after that.
    void sync();
    /// Gives the file its name, after a sync. Returns when the name is on the disk too.
    void appear();

    /// The name that the caller used.
    std::filesystem::path const& target() const { return target_; }
    /// The path of the temporary file. Empty if the target is written directly, or if the file has appeared.
    std::filesystem::path const& temporary() const { return temporary_; }
    /// The file's descriptor; -1 after a sync.
    int descriptor() const { return descriptor_; }

private:
    friend void appear(std::span<NewFile> files);
    void take_name();

    std::filesystem::path target_;     // the name that the caller used
    std::filesystem::path place_;      // the target behind symbolic links
    std::filesystem::path temporary_;  // the temporary file beside it
    int descriptor_ = -1;
};

/// Gives all files their names, in this order, after all of them were synced. Returns when the names are on the disk.
/// Some targets stay as they were only if the process dies between the first name and the last.
void appear(std::span<NewFile> files);

/// Removes the temporary files that killed writers of this target left. Precondition: no process is writing it.
void remove_unfinished(std::filesystem::path const& target) noexcept;

}  // namespace regraft::disk
#pragma GCC visibility pop
