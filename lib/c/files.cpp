// Files as state for callers in C.
#include "regraft/checkpoint/files.hpp"

#include <map>
#include <utility>

#include "c/archive.hpp"
#include "c/communicator.hpp"
#include "c/snapshot.hpp"

using namespace regraft;

struct regraft_files {
    regraft_files(std::shared_ptr<c::Shared> keep, checkpoint::FilesOptions options)
        : shared(std::move(keep)), has_archive(!options.archive.empty()), files(shared->comm, std::move(options)) {
        name();
    }
    /// Notes the names that there are.
    void name() { names = files.names(); }

    std::shared_ptr<c::Shared> shared;
    bool has_archive;
    bool is_discarded = false;
    checkpoint::Files files;
    std::vector<std::string> names;            // of this PE's files
    std::map<std::string, std::string> paths;  // that callers have
    std::vector<std::string> lost;             // names that the last restore found lost
    std::string problem;                       // of the last commit
    c::OpenedArchive opened;
};

namespace {

checkpoint::FilesOptions files_options(c::Shared const& shared, regraft_files_options const* options) {
    auto const& given = c::object(options, "options of files, not NULL");
    c::expect(given.folder != nullptr && *given.folder != '\0', "a folder for files, not NULL or empty");
    checkpoint::FilesOptions result{.folder = given.folder,
                                    .snapshot = c::snapshot_options(shared, given.snapshot),
                                    .save = c::save_options(given.save)};
    if (given.archive != nullptr) result.archive = c::archive_at(given.archive);
    if (given.flush_every != 0) result.flush_every = given.flush_every;
    return result;
}

/// Calls work() for a collective, and returns its outcome as a status.
template <class Work>
regraft_status guarded(regraft_files* files, Work work) noexcept {
    return c::guarded(files, [&](regraft_files& handle) {
        c::expect(!handle.is_discarded, "files that were not discarded");
        work(handle);
    });
}

/// Files may have come and gone, also if the call fails.
struct NamesAnew {
    regraft_files& handle;
    ~NamesAnew() { handle.name(); }
};

void expect_committed(regraft_files const& handle) {
    c::expect(handle.files.generation() > 0, "files that were committed");
}

}  // namespace

regraft_status regraft_files_create(regraft_communicator* comm, regraft_files_options const* options,
                                    regraft_files** files) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        c::make(files, handle.shared, files_options(*handle.shared, options));
    });
}

void regraft_files_free(regraft_files* files) {
    delete files;
}

regraft_status regraft_files_route(regraft_files* files, char const* name, char const** path) {
    return c::guarded([&] {
        auto& handle = c::object(files, "files, not NULL");
        c::expect(name != nullptr && checkpoint::is_file_name(name), "a relative path without . and .. as a name");
        auto& place = c::object(path, "where to put the path, not NULL");
        std::string const key(name);  // it may be one of those that change
        bool const is_new = !handle.files.has(key);
        auto const routed = handle.files.route(key);
        if (is_new) handle.name();
        place = handle.paths.try_emplace(key, routed.string()).first->second.c_str();  // stays where it is
    });
}

regraft_status regraft_files_remove(regraft_files* files, char const* name) {
    return c::guarded([&] {
        auto& handle = c::object(files, "files, not NULL");
        c::expect(name != nullptr && handle.files.has(name), "a name that a file here has");
        std::string const key(name);
        handle.files.remove(key);
        handle.paths.erase(key);
        handle.name();
    });
}

bool regraft_files_has(regraft_files const* files, char const* name) {
    return files != nullptr && name != nullptr && files->files.has(name);
}

uint64_t regraft_files_count(regraft_files const* files) {
    return files == nullptr ? 0 : files->names.size();
}

char const* regraft_files_name(regraft_files const* files, uint64_t index) {
    return files == nullptr ? nullptr : c::text_at(files->names, index);
}

regraft_status regraft_files_commit(regraft_files* files, regraft_files_report* report) {
    return guarded(files, [&](regraft_files& handle) {
        auto done = handle.files.commit();
        handle.problem = std::move(done.problem);
        if (report == nullptr) return;
        *report = {c::report_of(done), done.flushed.has_value(),
                   handle.problem.empty() ? nullptr : handle.problem.c_str()};
    });
}

bool regraft_files_due(regraft_files* files) {
    return files != nullptr && files->files.due();
}

regraft_status regraft_files_restore(regraft_files* files, regraft_restore_options const* options,
                                     regraft_restore_report* report) {
    return guarded(files, [&](regraft_files& handle) {
        expect_committed(handle);
        NamesAnew const anew{handle};
        try {
            auto done = handle.files.restore(c::restore_options(handle.files.snapshot(), options));
            if (report != nullptr) *report = c::report_of(done);
            handle.lost = std::move(done.lost);
        } catch (checkpoint::EntitiesLost const& error) {
            handle.lost = error.names();
            throw;
        }
    });
}

regraft_status regraft_files_resume(regraft_files* files, regraft_open_report* report) {
    return guarded(files, [&](regraft_files& handle) {
        c::expect(handle.files.generation() == 0, "files that were not committed");
        NamesAnew const anew{handle};
        auto done = handle.files.resume();
        regraft_open_report told{};
        if (done) {
            told = c::report_of(*done);
            handle.opened.take(*done, told);
        }
        if (report != nullptr) *report = told;
    });
}

regraft_status regraft_files_flush(regraft_files* files) {
    return guarded(files, [&](regraft_files& handle) {
        c::expect(handle.has_archive, "files with an archive");
        expect_committed(handle);
        handle.files.flush();
    });
}

regraft_status regraft_files_discard(regraft_files* files) {
    return c::guarded(files, [&](regraft_files& handle) {
        handle.is_discarded = true;
        handle.files.discard();
    });
}

uint64_t regraft_files_generation(regraft_files const* files) {
    return files == nullptr ? 0 : files->files.generation();
}

char const* regraft_files_lost(regraft_files const* files, uint64_t index) {
    return files == nullptr ? nullptr : c::text_at(files->lost, index);
}
