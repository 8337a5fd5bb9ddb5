#include "checkpoint/files/routed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk/system_calls.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;

/// Closes the file when it goes.
class Descriptor {
public:
    Descriptor(fs::path const& path, int flags)
        : number_(disk::uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); })) {}
    Descriptor(Descriptor const&) = delete;
    Descriptor& operator=(Descriptor const&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void fail_to_read(fs::path const& path, int code) {
    throw InputError({path.string()}, "cannot be read: " + std::generic_category().message(code));
}

/// Replaces the contents of the file, which is made if it is not there.
void write(fs::path const& path, std::span<std::byte const> bytes) {
    Descriptor const file(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.number() < 0) throw OutputError(path.string(), errno);
    while (!bytes.empty()) {
        auto const count = disk::uninterrupted(
            [&] { return ::write(file.number(), bytes.data(), std::min(bytes.size(), disk::most_at_once)); });
        if (count <= 0) throw OutputError(path.string(), count == 0 ? ENOSPC : errno);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

}  // namespace

void make_folders(fs::path const& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw OutputError(path.string(), error.value());
}

void remove_file(fs::path const& folder, fs::path const& name) {
    std::error_code ignored;
    for (auto part = name; !part.empty(); part = part.parent_path()) fs::remove(folder / part, ignored);
    // Without the empty name behind a slash at the end.
    fs::remove(folder.has_filename() ? folder : folder.parent_path(), ignored);
}

Mapped::Mapped(fs::path const& path) {
    Descriptor const file(path, O_RDONLY);
    struct stat status {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) fail_to_read(path, errno);
    if (!S_ISREG(status.st_mode)) fail_to_read(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
    auto const size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return;
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file.number(), 0);
    if (mapped == MAP_FAILED) fail_to_read(path, errno);
    bytes_ = {static_cast<std::byte const*>(mapped), size};
}

Mapped::~Mapped() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void RoutedFile::open() {
    unwritten_.reset();
    mapped_.reset();
    mapped_ = std::make_unique<Mapped>(path_);
}

std::span<std::byte const> RoutedFile::bytes() const {
    if (unwritten_) return *unwritten_;
    REGRAFT_EXPECTS(mapped_ && "it was opened or restored");
    return mapped_->bytes();
}

store::Complaint RoutedFile::restore(ByteReader& in) {
    mapped_.reset();
    auto& bytes = unwritten_.emplace(in.size());
    in.get_plain(std::span(bytes));
    auto complaint = store::attempt([&] {
        make_folders(path_.parent_path());
        write(path_, bytes);
        mapped_ = std::make_unique<Mapped>(path_);
    });
    if (!complaint) unwritten_.reset();
    return complaint;
}

}  // namespace regraft::checkpoint
