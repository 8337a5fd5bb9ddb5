#include "store/kept/folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk/system_calls.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using disk::uninterrupted;

/// The name as a part of a path: other characters than these become %XX.
std::string as_file_name(std::string const& name) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    for (std::size_t i = 0; i < name.size(); ++i) {
        bool const is_plain = plain.find(name[i]) != std::string_view::npos && !(i == 0 && name[i] == '.');
        auto const byte = static_cast<unsigned char>(name[i]);
        result += is_plain ? std::string(1, name[i]) : std::string{'%', digits[byte / 16], digits[byte % 16]};
    }
    return result;
}

/// Opens the folder in its parent, and makes it if it is not there. -1: it cannot be had, and errno says why.
int open_folder(int parent, std::string const& name) {
    if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) return -1;
    int const descriptor = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return -1;
    struct stat status {};
    bool const is_ours = fstat(descriptor, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
    if (is_ours) return descriptor;
    close(descriptor);
    errno = EPERM;
    return -1;
}

}  // namespace

KeptFolder::KeptFolder(Keep const& keep) : store_(keep.job + '/' + keep.name), room_(keep.room) {
    auto const job = "regraft-" + as_file_name(keep.job);
    auto const name = as_file_name(keep.name);
    path_ = keep.folder / job / name;
    open_or_make();
}

void KeptFolder::open_or_make() {
    auto const above = path_.parent_path().parent_path();
    auto const job = path_.parent_path().filename().string();
    auto const name = path_.filename().string();
    int const root = ::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) throw InputError({above.string()}, "cannot be opened: " + std::generic_category().message(errno));
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
        int const parent = open_folder(root, job);
        descriptor_ = parent < 0 ? -1 : open_folder(parent, name);
        int const error = errno;
        if (parent >= 0) close(parent);
        // Another PE may remove an empty folder between the two.
        if (descriptor_ >= 0 || (error == ENOENT && attempt < 100)) continue;
        close(root);
        if (error == EPERM) {
            throw InputError({path_.string()}, "belongs to another user, or others may use it: expected mode 0700");
        }
        fail("", "cannot be made", error);
    }
    close(root);
}

KeptFolder::~KeptFolder() {
    close(descriptor_);
}

void KeptFolder::lock(Lock how, double patience, std::function<void()> const& waiting) {
    using Clock = std::chrono::steady_clock;
    int const operation = how == Lock::none ? LOCK_UN : how == Lock::shared ? LOCK_SH : LOCK_EX;
    auto const begin = Clock::now();
    for (;;) {
        if (flock(descriptor_, operation | LOCK_NB) == 0) {
            if (how == Lock::none || !is_removed()) return;
            // The process that had the lock has removed the folder.
            close(std::exchange(descriptor_, -1));
            open_or_make();
            continue;
        }
        if (errno != EINTR && errno != EWOULDBLOCK) fail("", "cannot be locked", errno);
        if (std::chrono::duration<double>(Clock::now() - begin).count() > patience) {
            throw InputError({path_.string()},
                             "is in use by another process: by a rank of this job's predecessor that "
                             "still runs, or by another store of the same name");
        }
        waiting();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

std::vector<std::string> KeptFolder::names() const {
    int const copy = openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const listing = copy < 0 ? nullptr : fdopendir(copy);
    if (listing == nullptr) {
        if (copy >= 0) close(copy);
        fail("", "cannot be read", errno);
    }
    std::vector<std::string> result;
    errno = 0;
    while (auto const* const entry =
               readdir(listing)) {  // NOLINT(concurrency-mt-unsafe): each call has its own listing
        if (entry->d_name[0] != '.') result.emplace_back(entry->d_name);
    }
    int const error = errno;
    closedir(listing);
    if (error != 0) fail("", "cannot be read", error);
    std::sort(result.begin(), result.end());
    return result;
}

int KeptFolder::open_existing(std::string const& name) const {
    int const descriptor =
        uninterrupted([&] { return openat(descriptor_, name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC); });
    if (descriptor < 0) fail(name, "cannot be opened", errno);
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        fail(name, "is no file", 0);
    }
    return descriptor;
}

std::vector<std::byte> KeptFolder::read(std::string const& name) const {
    int const descriptor = open_existing(name);
    std::vector<std::byte> bytes(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)));
    std::size_t done = 0;
    while (done < bytes.size()) {
        auto const count = uninterrupted(
            [&] { return pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done)); });
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    int const error = errno;
    close(descriptor);
    if (done < bytes.size()) fail(name, "cannot be read", error);
    return bytes;
}

int KeptFolder::make(std::string const& name, std::uint64_t bytes) const {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int const descriptor = uninterrupted([&] { return openat(descriptor_, name.c_str(), flags, 0600); });
    if (descriptor < 0) fail(name, "cannot be made", errno);
    // Takes all of the space now: a page that cannot be had later would kill the process.
    int error = 0;
    do {
        error = bytes == 0 ? 0 : posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    } while (error == EINTR);
    if (error == 0) return descriptor;
    close(descriptor);
    remove(name);
    fail(name, "cannot have " + std::to_string(bytes) + " bytes", error);
}

void KeptFolder::write(std::string const& name, std::span<std::byte const> bytes) const {
    // Several PEs of a node may write the same name at the same time.
    auto const temporary = name + '.' + std::to_string(random_number()) + ".tmp";
    int const descriptor = make(temporary, 0);
    std::size_t done = 0;
    int error = 0;
    while (done < bytes.size() && error == 0) {
        auto const count = uninterrupted([&] { return ::write(descriptor, bytes.data() + done, bytes.size() - done); });
        if (count <= 0) error = count == 0 ? ENOSPC : errno;
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    if (close(descriptor) != 0 && errno != EINTR && error == 0) error = errno;
    if (error == 0 && renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) != 0) error = errno;
    if (error == 0) return;
    remove(temporary);
    fail(name, "cannot have " + std::to_string(bytes.size()) + " bytes", error);
}

void KeptFolder::remove(std::string const& name) const noexcept {
    unlinkat(descriptor_, name.c_str(), 0);
}

void KeptFolder::remove_all_but(std::string const& name) const noexcept {
    try {
        for (auto const& file : names()) {
            if (file != name) remove(file);
        }
    } catch (std::exception const&) {  // NOLINT(bugprone-empty-catch): another PE has removed the folder
    }
}

void KeptFolder::link(std::string const& name, std::string const& further) const {
    if (linkat(descriptor_, name.c_str(), descriptor_, further.c_str(), 0) != 0) fail(name, "cannot be linked", errno);
}

void KeptFolder::remove_if_empty() const noexcept {
    rmdir(path_.c_str());
    rmdir(path_.parent_path().c_str());
}

bool KeptFolder::is_removed() const noexcept {
    struct stat status {};
    return fstat(descriptor_, &status) != 0 || status.st_nlink == 0;
}

void KeptFolder::expect_room(std::uint64_t bytes) const {
    if (bytes > room_ || used_ > room_ - bytes) {
        throw InputError({path_.string()}, "has room for " + std::to_string(room_) + " bytes of this rank, of which " +
                                               std::to_string(used_) + " are taken: " + std::to_string(bytes) +
                                               " more do not fit");
    }
}

void KeptFolder::fail(std::string const& name, std::string const& what, int error) const {
    auto const why = error == 0 ? std::string() : ": " + std::generic_category().message(error);
    throw InputError({name.empty() ? path_.string() : path(name)}, what + why);
}

std::uint64_t random_number() {
    std::uint64_t number = 0;
    bool const is_random = getentropy(&number, sizeof number) == 0;
    REGRAFT_EXPECTS(is_random && "the system has random numbers");
    return number;
}

std::uint64_t boot_of_node() {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    return text.empty() ? 0 : hash(std::as_bytes(std::span(text)));
}

std::string job_of_environment() {
    auto const text_of = [](char const* name) {
        char const* const text = std::getenv(name);
        return std::string(text == nullptr ? "" : text);
    };
    if (auto job = text_of("REGRAFT_JOB"); !job.empty()) return job;
    for (char const* const name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
        // A batch job may run several programs.
        if (auto const number = text_of(name); !number.empty()) return number + '-' + program_invocation_short_name;
    }
    return {};
}

bool whole_job_is_here(std::size_t num_ranks) {
    auto const number = [](char const* name) {
        char const* const text = std::getenv(name);
        return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
    };
    auto const here = number("OMPI_COMM_WORLD_LOCAL_SIZE");
    return here > 0 && here == number("OMPI_COMM_WORLD_SIZE") && num_ranks <= here;
}

}  // namespace regraft::store
