// One job at a time writes the files of a prefix.
#pragma once

#include <filesystem>
#include <string>

namespace regraft::phylo {

/// A lock on the file PREFIX.lock, which all PEs of a job share, so it lasts until the last of them has ended. File
/// systems that know no locks, and folders without permission to write, have none: then nothing is locked.
class PrefixLock {
public:
    enum class For { job, member };

    /// job: takes the lock for a job, by its leading PE. Throws InputError that names the holder if another job has it.
    /// member: shares the lock that the leading PE has taken; does nothing if that is not possible.
    PrefixLock(std::string const& prefix, For whom);
    PrefixLock(PrefixLock const&) = delete;
    PrefixLock& operator=(PrefixLock const&) = delete;
    /// Ends the lock of this PE. That of a job also removes the file.
    ~PrefixLock();

private:
    void take();
    [[noreturn]] void refuse() const;
    bool is_in_place() const;

    std::filesystem::path path_;
    For whom_;
    int descriptor_ = -1;
};

}  // namespace regraft::phylo
