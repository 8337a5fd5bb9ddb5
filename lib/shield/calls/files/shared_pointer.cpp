#include "shield/calls/files/shared_pointer.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace regraft::shield {
namespace {

/// A lock of the whole file. The system releases it when a process dies.
class FileLock {
public:
    explicit FileLock(int file) : file_(file) { set(F_WRLCK); }
    FileLock(FileLock const&) = delete;
    FileLock& operator=(FileLock const&) = delete;
    ~FileLock() { set(F_UNLCK); }
    bool holds() const { return holds_; }

private:
    void set(short kind) {
        struct flock lock {};
        lock.l_type = kind;
        lock.l_whence = SEEK_SET;
        int code = 0;
        do {
            code = fcntl(file_, F_SETLKW, &lock);
        } while (code == -1 && errno == EINTR);
        holds_ = code != -1;
    }
    int file_;
    bool holds_ = false;
};

}  // namespace

SharedPointer::~SharedPointer() {
    if (file_ != -1) close(file_);
}

std::optional<std::int64_t> SharedPointer::reset() {
    struct stat about {};
    return stat(path_.c_str(), &about) == 0 ? set(0) : 0;
}

void SharedPointer::remove() const {
    unlink(path_.c_str());
}

std::optional<std::int64_t> SharedPointer::change(Change change, std::int64_t amount) {
    if (file_ == -1) file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file_ == -1) return {};
    FileLock const lock(file_);
    std::int64_t value = 0;
    auto const size = pread(file_, &value, sizeof value, 0);
    if (!lock.holds() || size == -1) return {};
    if (size != sizeof value) value = 0;
    if (change == Change::none) return value;
    auto const next = change == Change::set ? amount : value + amount;
    if (pwrite(file_, &next, sizeof next, 0) != sizeof next) return {};
    return value;
}

}  // namespace regraft::shield
