#include "disk/file.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk/system_calls.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::disk {
namespace {

[[noreturn]] void fail_to_read(std::filesystem::path const& path) {
    throw InputError({path.string()}, "cannot be read: " + std::generic_category().message(errno));
}

[[noreturn]] void fail_to_write(std::filesystem::path const& path) {
    throw OutputError(path.string(), errno);
}

}  // namespace

File::File(std::filesystem::path path, For what) : path_(std::move(path)) {
    int const flags = what == For::reading ? O_RDONLY : O_WRONLY | O_CREAT;
    descriptor_ = uninterrupted([&] { return open(path_.c_str(), flags | O_CLOEXEC, 0666); });
    if (descriptor_ >= 0) return;
    if (what == For::reading) fail_to_read(path_);
    fail_to_write(path_);
}

File::~File() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t File::size() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail_to_read(path_);
    return static_cast<std::uint64_t>(status.st_size);
}

void File::read(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        auto const count = uninterrupted([&] {
            return pread(descriptor_, out.data(), std::min(out.size(), most_at_once), static_cast<off_t>(offset));
        });
        if (count < 0) fail_to_read(path_);
        if (count == 0) throw InputError({path_.string()}, "is damaged: it ends too early");
        offset += static_cast<std::uint64_t>(count);
        out = out.subspan(static_cast<std::size_t>(count));
    }
}

void File::write(std::uint64_t offset, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const count = uninterrupted([&] {
            return pwrite(descriptor_, bytes.data(), std::min(bytes.size(), most_at_once), static_cast<off_t>(offset));
        });
        if (count == 0) errno = ENOSPC;
        if (count <= 0) fail_to_write(path_);
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void File::finish() {
    if (uninterrupted([&] { return fsync(descriptor_); }) != 0) fail_to_write(path_);
    // Network file systems report some errors only now. After EINTR the descriptor is closed all the same.
    if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_to_write(path_);
}

void sync_folder(std::filesystem::path const& path) {
    int const descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 && errno == EACCES)
        return;  // a process that may write to a folder need not be allowed to open
                 // it
    if (descriptor < 0) fail_to_write(path);
    int const result = uninterrupted([&] { return fsync(descriptor); });
    int const error = errno;
    close(descriptor);
    errno = error;
    if (result != 0 && error != EINVAL) fail_to_write(path);  // EINVAL: this file system does not need it
}

}  // namespace regraft::disk
