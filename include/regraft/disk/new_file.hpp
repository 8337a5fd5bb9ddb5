// Files that appear whole or not at all, whenever the program or the machine dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace regraft::disk {

/// A new, empty file beside a target, open for writing. Its name is the target's and a random ending; it is as long as
/// the target's or 64 bytes, whichever is more.
struct Temporary {
    std::filesystem::path path;
    int descriptor;
};
/// `mode`: permissions, of which the umask leaves some. Throws OutputError.
Temporary make_temporary(std::filesystem::path const& target, std::uint32_t mode);

/// A file that is written as a Temporary and takes the target's name when it is complete. Until then, and if that never
/// happens, the target stays as it was. Symbolic links are followed: what the link leads to is replaced, or made if it
/// is not there. Devices and pipes are written directly. All members throw OutputError with the target's name.
class NewFile {
public:
    explicit NewFile(std::filesystem::path target, std::uint32_t mode = 0666);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    /// Removes the file unless it has appeared.
    ~NewFile();

    /// Writes at the end. Each call is a system call.
    void write(std::span<std::byte const> bytes);
    void write(std::string_view text);
    /// Returns when everything is on the disk. Nothing can be written after that.
    void sync();
    /// The file takes its name, after a sync. Returns when the name is on the disk too.
    void appear();

    std::filesystem::path const& target() const { return target_; }
    /// Empty if the target is written directly, or if the file has appeared.
    std::filesystem::path const& temporary() const { return temporary_; }
    /// -1 after a sync.
    int descriptor() const { return descriptor_; }

private:
    friend void appear(std::span<NewFile> files);
    void take_name();

    std::filesystem::path target_;     // as the caller calls it
    std::filesystem::path place_;      // behind symbolic links
    std::filesystem::path temporary_;  // beside it
    int descriptor_ = -1;
};

/// All files take their names, in this order, after all of them were synced. Returns when the names are on the disk.
/// Only a death between the first name and the last leaves some targets as they were.
void appear(std::span<NewFile> files);

/// Removes the temporary files of writers of this target that were killed. Precondition: nobody is writing it.
void remove_unfinished(std::filesystem::path const& target) noexcept;

}  // namespace regraft::disk
