// Files as state: a program that writes checkpoint files writes them to its node, and a commit keeps their bytes as a
// Snapshot keeps memory. After deaths the files are back, on the nodes of those that need them.
//
// The roles are those of SCR (Moody et al. 2010): a file is routed to the node, copies are in the memory of partners,
// and every n-th commit goes to the file system while the program goes on. docs/mpi/files.md has a program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/checkpoint/snapshot.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// All members pass the same options, except for folder, and for what SnapshotOptions says.
struct FilesOptions {
    /// A folder of this PE's node that belongs to the job alone, such as one below /dev/shm. It is made if needed. PEs
    /// of a node may share it.
    std::filesystem::path folder;
    SnapshotOptions snapshot{};       // how the bytes of the files are kept
    std::filesystem::path archive{};  // a folder that all members see, to which commits are flushed; empty: to none
    std::uint64_t flush_every = 10;   // the commits whose numbers are multiples of it are flushed; not 0
    store::SaveOptions save{};        // how they are flushed
};

/// What a commit of files did.
struct FilesReport : CommitReport {
    /// The flush that has become complete meanwhile. The same on all members.
    std::optional<store::SaveReport> flushed{};
    /// Why a flush could not be written; empty: none has failed. The commit is as good as any other. The same on all
    /// members.
    std::string problem{};
};

/// Whether a file may have this name: a relative path without "." and "..".
bool is_file_name(std::string_view name);

/// The files of a job. A file belongs to one PE and has a name that no other file of the job has. Memory beside the
/// files: that of a Snapshot.
class Files {
public:
    /// Makes an empty set, which must live through recoveries: outside of the body of ft::resilient. The communicator
    /// must outlive it. Throws as Snapshot's constructor. Not collective.
    explicit Files(ft::Communicator& comm, FilesOptions options);
    Files(Files&&) noexcept;
    Files& operator=(Files&&) = delete;
    ~Files();

    /// Registers a file of this PE, unless it is registered, and returns the path where the program writes it. Folders
    /// in the name are made. Throws OutputError if they cannot be. Precondition: is_file_name(name). Not collective, as
    /// are all functions up to commit.
    std::filesystem::path route(std::string_view name);
    /// Unregisters a file, which stays where it is. Precondition: has(name).
    void remove(std::string_view name);
    /// Whether a file of this PE has this name.
    bool has(std::string_view name) const;
    /// The names of this PE's files, ascending: after a restore or resume also of those that it has taken over.
    std::vector<std::string> names() const;

    /// Makes the present bytes of all files those that a restore goes back to. Call it when they are written and
    /// closed. If a file cannot be read on any member, all throw store::DiskError; in this case and on ProcessFailure
    /// the commit before stays. Otherwise as Snapshot::commit. A flush begins here, and one of the next two commits
    /// completes it. Collective, uniform.
    FilesReport commit();
    /// Counts a step and returns whether a commit is due, as Snapshot::due.
    bool due();

    /// Goes back to the last commit: writes every file of this PE, those of the dead to their new homes. If a file
    /// cannot be written on any member, all throw store::DiskError; it may be called again when there is room. What is
    /// under way of a flush is given up. Otherwise as Snapshot::restore. Precondition: generation() > 0; options.adopt
    /// is empty. Collective, uniform.
    RestoreReport restore(RestoreOptions options = {});
    /// In a new job: takes over what the job before has kept on the nodes (SnapshotOptions::keep) or, if there is
    /// nothing, what was flushed to the archive last; writes the files and commits them. Returns nothing if there is
    /// neither. On ProcessFailure, shrink and, if generation() is still 0, call it again; otherwise restore() goes back
    /// to this commit, as after a store::DiskError. Otherwise as Snapshot::reopen and open. Precondition: generation()
    /// == 0. Collective, uniform.
    std::optional<OpenReport> resume(Deal const& deal = {});
    /// Writes the last commit to the archive, unless it is there, and returns when it is complete. Throws
    /// store::DiskError if it cannot be written. Precondition: there is an archive; generation() > 0. Collective,
    /// uniform.
    void flush();
    /// Removes the files of the last commit, and those that are registered, from all folders, and what
    /// SnapshotOptions::keep has kept, for a program that has ended well. What was flushed stays. As Snapshot::discard.
    /// Collective, uniform.
    void discard();

    /// The number of commits that have succeeded, also of a job that was resumed.
    std::uint64_t generation() const;
    /// What is behind it: an entity is a file.
    Snapshot const& snapshot() const;

private:
    struct [[gnu::visibility("hidden")]] Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
