// The folder in which the PEs of a node keep the files of one store. All of its functions throw InputError with the
// folder's path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/store/keep.hpp"

namespace regraft::store {

/// Files are opened relative to the folder, which belongs to this user alone, and no symbolic links are followed.
class KeptFolder {
public:
    /// Opens FOLDER/regraft-JOB/NAME, and makes it if needed.
    explicit KeptFolder(Keep const& keep);
    KeptFolder(KeptFolder const&) = delete;
    KeptFolder& operator=(KeptFolder const&) = delete;
    ~KeptFolder();

    /// Job and name, as manifests have them.
    std::string const& store() const { return store_; }
    std::string path(std::string const& name) const { return (path_ / name).string(); }

    enum class Lock { none, shared, exclusive };
    /// Locks the folder for as long as this object lives, or until the next call. Processes of a job share it, so that
    /// no other job uses it meanwhile. The system unlocks it when the process ends. While a lock is not to be had, the
    /// function calls waiting(), and gives up after `patience` seconds. If the folder was removed meanwhile, it is made
    /// again.
    void lock(Lock how, double patience, std::function<void()> const& waiting);

    std::vector<std::string> names() const;
    std::vector<std::byte> read(std::string const& name) const;
    /// Writes a file that appears whole or not at all, and replaces one of the same name.
    void write(std::string const& name, std::span<std::byte const> bytes) const;
    /// Removes the file if it is there.
    void remove(std::string const& name) const noexcept;
    /// Removes all files but this one, as far as it can.
    void remove_all_but(std::string const& name) const noexcept;
    /// Removes the folder, and that of the job, if they are empty.
    void remove_if_empty() const noexcept;
    /// Whether another PE has removed the folder since it was opened.
    bool is_removed() const noexcept;
    /// Returns a descriptor for reading and writing.
    int make(std::string const& name, std::uint64_t bytes) const;
    void link(std::string const& name, std::string const& further) const;
    int open_existing(std::string const& name) const;

    /// Throws InputError if this PE's files would have more bytes than Keep::room.
    void expect_room(std::uint64_t bytes) const;
    void take_room(std::uint64_t bytes) noexcept { used_ += bytes; }
    void give_room_back(std::uint64_t bytes) noexcept { used_ -= bytes; }

private:
    void open_or_make();
    [[noreturn]] void fail(std::string const& name, std::string const& what, int error) const;

    std::filesystem::path path_;
    std::string store_;
    std::uint64_t room_;
    std::uint64_t used_ = 0;
    int descriptor_ = -1;
};

/// A random number, which is different on every PE.
std::uint64_t random_number();
/// A number that stays the same until the node is restarted.
std::uint64_t boot_of_node();

/// Whether all processes that were started with this one run on this node, and are at least so many. False if that is
/// not known.
bool whole_job_is_here(std::size_t num_ranks);

}  // namespace regraft::store
