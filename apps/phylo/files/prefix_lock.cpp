#include "files/prefix_lock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

/// Whether this process has it now. Sets `held` if it has not because another job has.
bool lock(int descriptor, int kind, bool& held) {
    int result = 0;
    do {
        result = flock(descriptor, kind | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    held = result != 0 && errno == EWOULDBLOCK;
    return result == 0;
}

std::string this_process() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    auto const now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("process {} on {} since {:%F %T} UTC", getpid(), host.data(), fmt::gmtime(now));
}

}  // namespace

PrefixLock::PrefixLock(std::string const& prefix, For whom) : path_(prefix + ".lock"), whom_(whom) {
    if (whom == For::job) {
        take();
        return;
    }
    bool held = false;
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ >= 0) lock(descriptor_, LOCK_SH, held);
}

PrefixLock::~PrefixLock() {
    if (descriptor_ < 0) return;
    if (whom_ == For::job && is_in_place()) unlink(path_.c_str());
    close(descriptor_);
}

void PrefixLock::take() {
    for (;;) {
        descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0) return;
        bool held = false;
        bool const is_mine = lock(descriptor_, LOCK_EX, held);
        if (held) refuse();
        if (!is_mine || is_in_place()) break;
        close(descriptor_);  // a job that has ended has removed it in between
    }
    auto const text = this_process();
    bool const is_told = ftruncate(descriptor_, 0) == 0 && write(descriptor_, text.data(), text.size()) >= 0;
    static_cast<void>(is_told);  // the lock holds without its text, too
    bool held = false;
    lock(descriptor_, LOCK_SH, held);
    if (held) refuse();  // for a moment nobody had it
}

void PrefixLock::refuse() const {
    std::array<char, 400> text{};
    auto const size = pread(descriptor_, text.data(), text.size(), 0);
    auto const holder = size > 0 ? std::string_view(text.data(), static_cast<std::size_t>(size)) : "another job";
    close(descriptor_);
    throw InputError({path_.string()}, fmt::format("{} writes files of this prefix; expected that it has ended, or "
                                                   "another --prefix",
                                                   holder));
}

bool PrefixLock::is_in_place() const {
    struct stat mine {};
    struct stat named {};
    return fstat(descriptor_, &mine) == 0 && stat(path_.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

}  // namespace regraft::phylo
