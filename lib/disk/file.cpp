#include "disk/file.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"

namespace regraft::disk {
namespace {

[[noreturn]] void fail(std::filesystem::path const& path, char const* what) {
    throw InputError({path.string()}, std::string(what) + ": " + std::generic_category().message(errno));
}

/// Again and again while a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
    for (;;) {
        auto const result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves less than 2^31 bytes

}  // namespace

File::File(std::filesystem::path path, For what) : path_(std::move(path)) {
    int const flags = what == For::reading ? O_RDONLY : O_WRONLY | O_CREAT;
    descriptor_ = uninterrupted([&] { return open(path_.c_str(), flags | O_CLOEXEC, 0666); });
    if (descriptor_ < 0) fail(path_, what == For::reading ? "cannot be read" : "cannot be written");
}

File::~File() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t File::size() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail(path_, "cannot be read");
    return static_cast<std::uint64_t>(status.st_size);
}

void File::read(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        auto const count = uninterrupted([&] {
            return pread(descriptor_, out.data(), std::min(out.size(), most_at_once), static_cast<off_t>(offset));
        });
        if (count < 0) fail(path_, "cannot be read");
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
        if (count <= 0) fail(path_, "cannot be written");
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void File::finish() {
    if (uninterrupted([&] { return fsync(descriptor_); }) != 0) fail(path_, "cannot be written");
    // Network file systems tell some errors only now. After EINTR the descriptor is closed all the same.
    if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(path_, "cannot be written");
}

void sync_folder(std::filesystem::path const& path) {
    int const descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail(path, "cannot be written");
    int const result = uninterrupted([&] { return fsync(descriptor); });
    int const error = errno;
    close(descriptor);
    errno = error;
    if (result != 0 && error != EINVAL) fail(path, "cannot be written");  // EINVAL: this file system does not need it
}

}  // namespace regraft::disk
