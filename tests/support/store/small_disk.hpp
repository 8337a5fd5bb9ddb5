// A disk on which there is little room, and less whenever a test wants it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

namespace regraft::test {

/// A file system in memory over a folder. Only this thread sees it, and it is gone at the latest when the process ends.
class SmallDisk {
public:
    /// Whether this process may mount: mostly only root may.
    static bool possible() {
        return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    }

    /// Precondition: possible().
    SmallDisk(std::filesystem::path folder, std::size_t pages) : folder_(std::move(folder)) {
        auto const options = "mode=0700,size=" + std::to_string(pages * page);
        if (mount("none", folder_.c_str(), "tmpfs", 0, options.c_str()) != 0) throw std::runtime_error("cannot mount");
    }
    SmallDisk(SmallDisk const&) = delete;
    SmallDisk& operator=(SmallDisk const&) = delete;
    ~SmallDisk() { umount2(folder_.c_str(), MNT_DETACH); }

    /// Leaves room for so many pages. Precondition: there are more.
    void fill(std::size_t left) const {
        struct statvfs status {};
        statvfs(folder_.c_str(), &status);
        std::ofstream(folder_ / filler) << std::string((status.f_bavail - left) * page, 'x');
    }
    /// Gives the room back that fill() has taken.
    void empty() const { std::filesystem::remove(folder_ / filler); }

private:
    static constexpr std::size_t page = 4096;
    static constexpr char const* filler = "filler";
    std::filesystem::path folder_;
};

}  // namespace regraft::test
