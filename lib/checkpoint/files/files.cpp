#include "regraft/checkpoint/files.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "checkpoint/files/routed_file.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/disk/archive.hpp"
#include "store/together/complaint.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;

ft::FailPhase files_commit_phase("files-commit");
ft::FailPhase files_restore_phase("files-restore");

/// Adds what an earlier call has done that could not report it.
void prepend(RestoreReport& earlier, RestoreReport& report) {
    earlier.adopted.insert(earlier.adopted.end(), report.adopted.begin(), report.adopted.end());
    earlier.removed.insert(earlier.removed.end(), report.removed.begin(), report.removed.end());
    report.adopted = std::move(earlier.adopted);
    report.removed = std::move(earlier.removed);
}

}  // namespace

struct Files::Impl {
    Impl(ft::Communicator& communicator, FilesOptions given)
        : comm(communicator), options(std::move(given)), snapshot(comm, options.snapshot) {}

    void add(std::string const& name);
    void remove(std::string const& name);
    /// All throw DiskError if anything went wrong on any member.
    void expect_no_trouble(store::Complaint const& mine) const {
        if (auto const complaint = store::first_complaint(comm, mine)) throw store::DiskError(*complaint);
    }
    /// What restores have written is complete, or all members throw.
    void end_restore();
    OpenOptions open_options(Deal const& deal) {
        return {.adopt = [this](std::string const& name) { add(name); }, .deal = deal};
    }
    std::optional<OpenReport> open(Deal const& deal);
    /// Completes the flush that is under way. Throws DiskError if it could not be written. Collective, uniform.
    std::optional<store::SaveReport> complete_flush();
    void flush_when_due(FilesReport& report);

    ft::Communicator& comm;
    FilesOptions options;
    std::map<std::string, RoutedFile, std::less<>> files;
    Snapshot snapshot;
    store::Complaint trouble;  // of the first file that could not be written
    RestoreReport unreported;  // of restores whose files could not be written
    std::optional<store::Saving> flushing;
    std::uint64_t flushing_commit = 0;  // the commit that is or was flushed last
    std::uint64_t flushed_commit = 0;   // the commit that is complete in the archive
};

void Files::Impl::add(std::string const& name) {
    auto& file = files.try_emplace(name, options.folder / name).first->second;
    snapshot.add(name, {[&file](ByteWriter& out) { out.put_plain(file.bytes()); },
                        [this, &file](ByteReader& in) {
                            auto complaint = file.restore(in);
                            if (!trouble) trouble = std::move(complaint);
                        },
                        [&file] { return file.bytes(); }});
}

void Files::Impl::remove(std::string const& name) {
    if (snapshot.has(name)) snapshot.remove(name);
    files.erase(name);
}

void Files::Impl::end_restore() {
    for (auto& [name, file] : files) file.close();
    comm.reach(files_restore_phase.inside);
    expect_no_trouble(std::exchange(trouble, std::nullopt));
}

std::optional<store::SaveReport> Files::Impl::complete_flush() {
    if (!flushing) return {};
    auto saving = std::move(*flushing);
    flushing.reset();
    auto const report = saving.wait();
    flushed_commit = flushing_commit;
    return report;
}

void Files::Impl::flush_when_due(FilesReport& report) {
    if (options.archive.empty()) return;
    auto const commit = snapshot.generation();
    bool const is_due = commit % options.flush_every == 0;
    auto const tried = [&](auto work) {
        try {
            work();
        } catch (store::DiskError const& error) {
            report.problem = error.what();
        }
    };
    // A snapshot of one generation has waited by then until it was written.
    if (is_due || commit >= flushing_commit + 2) tried([&] { report.flushed = complete_flush(); });
    if (!is_due) return;
    tried([&] {
        flushing.emplace(snapshot.start_save(options.archive, options.save));
        flushing_commit = commit;
    });
}

bool is_file_name(std::string_view name) {
    fs::path const path(name);
    return !path.empty() && path.is_relative() && path.has_filename() && name.find('\0') == name.npos &&
           std::ranges::none_of(path, [](fs::path const& part) { return part == "." || part == ".."; });
}

Files::Files(ft::Communicator& comm, FilesOptions options) {
    REGRAFT_EXPECTS(!options.folder.empty() && options.flush_every > 0);
    impl_ = std::make_unique<Impl>(comm, std::move(options));
}
Files::Files(Files&&) noexcept = default;
Files::~Files() = default;

fs::path Files::route(std::string_view name) {
    REGRAFT_EXPECTS(is_file_name(name));
    auto const path = impl_->options.folder / name;
    make_folders(path.parent_path());
    if (!has(name)) impl_->add(std::string(name));
    return path;
}

void Files::remove(std::string_view name) {
    REGRAFT_EXPECTS(has(name));
    impl_->remove(std::string(name));
}

bool Files::has(std::string_view name) const {
    return impl_->files.contains(name);
}

std::vector<std::string> Files::names() const {
    std::vector<std::string> names;
    for (auto const& [name, file] : impl_->files) names.push_back(name);
    return names;
}

FilesReport Files::commit() {
    auto& files = *impl_;
    files.comm.reach(files_commit_phase.before);
    files.expect_no_trouble(store::attempt([&] {
        for (auto& [name, file] : files.files) file.open();
    }));
    files.comm.reach(files_commit_phase.inside);
    FilesReport report{files.snapshot.commit()};
    files.unreported = {};
    for (auto& [name, file] : files.files) file.close();
    files.flush_when_due(report);
    files.comm.reach(files_commit_phase.after);
    return report;
}

bool Files::due() {
    return impl_->snapshot.due();
}

RestoreReport Files::restore(RestoreOptions options) {
    REGRAFT_EXPECTS(!options.adopt);
    auto& files = *impl_;
    files.comm.reach(files_restore_phase.before);
    files.flushing.reset();
    files.trouble.reset();
    if (options.generation != 0) files.flushing_commit = files.flushed_commit = 0;  // their numbers will come again
    options.adopt = [&](std::string const& name) { files.add(name); };
    auto report = files.snapshot.restore(options);
    for (auto const& name : report.removed) files.remove(name);
    prepend(files.unreported, report);
    files.unreported = report;
    files.end_restore();
    files.unreported = {};
    files.comm.reach(files_restore_phase.after);
    return report;
}

std::optional<OpenReport> Files::Impl::open(Deal const& deal) {
    if (options.snapshot.keep) {
        if (auto report = snapshot.reopen(open_options(deal))) return report;
    }
    if (options.archive.empty()) return {};
    bool any = true;  // which the leading member finds out for all; what is wrong is told by the open
    if (comm.leads()) {
        static_cast<void>(
            store::attempt([&] { any = fs::exists(options.archive) && !disk::generations(options.archive).empty(); }));
    }
    if (!comm.agree(any)) return {};
    auto report = snapshot.open(options.archive, open_options(deal));
    flushed_commit = snapshot.generation();
    return report;
}

std::optional<OpenReport> Files::resume(Deal const& deal) {
    auto& files = *impl_;
    REGRAFT_EXPECTS(generation() == 0);
    files.comm.reach(files_restore_phase.before);
    auto report = files.open(deal);
    if (!report) return {};
    for (auto const& name : report->removed) files.remove(name);
    files.end_restore();
    files.comm.reach(files_restore_phase.after);
    return report;
}

void Files::flush() {
    auto& files = *impl_;
    REGRAFT_EXPECTS(!files.options.archive.empty() && generation() > 0);
    static_cast<void>(files.complete_flush());
    if (files.flushed_commit == generation()) return;
    static_cast<void>(files.snapshot.save(files.options.archive, files.options.save));
    files.flushed_commit = generation();
}

void Files::discard() {
    auto& files = *impl_;
    files.flushing.reset();
    files.comm.agree();  // no member reads its files any more
    for (auto const& entity : files.snapshot.committed()) remove_file(files.options.folder, entity.name);
    for (auto const& [name, file] : files.files) remove_file(files.options.folder, name);
    if (files.options.snapshot.keep) files.snapshot.discard();
    files.comm.agree();  // another set may be made in the same folder
}

std::uint64_t Files::generation() const {
    return impl_->snapshot.generation();
}

Snapshot const& Files::snapshot() const {
    return impl_->snapshot;
}

}  // namespace regraft::checkpoint
