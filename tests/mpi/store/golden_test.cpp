// Archives that earlier versions have saved, data/golden/disk: any number of ranks opens them, and three ranks save the
// same bytes again. HACKING.md ("Change the format") says when new ones are made.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/disk/archive.hpp"
#include "support/store/archives.hpp"
#include "support/store/saved_program.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft {
namespace {

namespace fs = std::filesystem;
using test::Content;

constexpr std::size_t num_writers = 3;
constexpr std::uint64_t num_entities = 14;
constexpr std::uint64_t num_commits = 5;  // the last one is saved

fs::path golden(std::string const& name) {
    return fs::path(REGRAFT_DATA) / "golden/disk" / name;
}

std::vector<std::byte> bytes_of(std::string const& text) {
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::map<std::string, std::vector<std::byte>> files_in(fs::path const& folder) {
    std::map<std::string, std::vector<std::byte>> files;
    for (auto const& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = test::file_contents(entry.path());
    }
    return files;
}

/// A kind of archive: what it contains, and how it is saved and opened.
class Kind {
public:
    explicit Kind(std::string name) : name_(std::move(name)) {}
    Kind(Kind const&) = delete;
    Kind& operator=(Kind const&) = delete;
    virtual ~Kind() = default;

    std::string const& name() const { return name_; }
    /// Saves it into a new archive. Collective.
    virtual void save(ft::Communicator& comm, fs::path const& archive) const = 0;
    /// What is wrong with the archive; empty: nothing. Collective.
    virtual std::string wrong(ft::Communicator& comm, fs::path const& archive) const = 0;
    /// Whether its bytes are those of this version of Zstandard.
    virtual bool is_of_this_zstd() const { return true; }

private:
    std::string name_;
};

template <class Stored>
class BlocksOf : public Kind {
public:
    BlocksOf(std::string name, Content content, std::uint32_t files)
        : Kind(std::move(name)), content_(std::move(content)), files_(files) {}

    void save(ft::Communicator& comm, fs::path const& archive) const override {
        Stored stored(comm, {});
        test::Submission const part(content_,
                                    test::part_of(content_.num_blocks(), comm.position(comm.self()), comm.size()));
        stored.submit(part, content_);
        static_cast<void>(stored.store().save(archive, {.files = files_, .attributes = bytes_of(name())}));
    }
    std::string wrong(ft::Communicator& comm, fs::path const& archive) const override {
        auto const replicated = wrong_as<test::Replicated>(comm, archive);
        return replicated.empty() ? wrong_as<test::Coded>(comm, archive) : replicated;
    }

private:
    template <class Opened>
    std::string wrong_as(ft::Communicator& comm, fs::path const& archive) const {
        Opened opened(comm, {});
        auto const report = opened.open(archive);
        if (!report.refused.empty()) return report.refused.front();
        if (report.generation != 1 || report.attributes != bytes_of(name())) return "other attributes";
        return test::wrong_in(opened.store(), content_);
    }
    Content content_;
    std::uint32_t files_;
};

/// A block that is larger than a part, and a block behind it, so that there are two parts.
class TwoParts : public Kind {
public:
    TwoParts() : Kind("two-parts") {}
    void save(ft::Communicator& comm, fs::path const& archive) const override {
        BlockSizes::Builder sizes;
        for (auto const size : {large_, small_}) sizes.add(size);
        auto const all = content();
        std::vector<store::OwnBlocks> mine;
        if (comm.leads()) mine.push_back({{BlockId{0}, BlockId{2}}, all});
        static_cast<void>(store::save(comm, archive, std::move(sizes).take(), mine, {.files = 1}));
    }
    std::string wrong(ft::Communicator& comm, fs::path const& archive) const override {
        auto const opened = store::open(comm, archive, [](disk::Index const& index) {
            return std::vector<BlockRange>{{BlockId{0}, BlockId{index.sizes.num_blocks()}}};
        });
        if (!opened.refused.empty()) return opened.refused.front();
        auto const all = content();
        return std::ranges::equal(opened.bytes, all) ? "" : "other bytes";
    }

private:
    static std::vector<std::byte> content() {
        std::vector<std::byte> bytes(large_, std::byte{1});
        bytes.resize(large_ + small_, std::byte{2});
        return bytes;
    }
    static constexpr std::uint64_t large_ = 66'000, small_ = 10;
};

class StateOf : public Kind {
public:
    StateOf(std::string name, checkpoint::SnapshotOptions options) : Kind(std::move(name)), options_(options) {}
    void save(ft::Communicator& comm, fs::path const& archive) const override {
        test::SavedProgram program(comm, num_entities, options_);
        program.begin();
        for (std::uint64_t moment = 1; moment <= num_commits; ++moment) {
            program.go_to(moment);
            program.snapshot.commit();
        }
        static_cast<void>(program.snapshot.save(archive, {.files = 2, .attributes = bytes_of(written_by())}));
    }
    std::string wrong(ft::Communicator& comm, fs::path const& archive) const override {
        test::SavedProgram program(comm, num_entities, {});
        auto const report = program.open(archive);
        if (!report.refused.empty()) return report.refused.front();
        if (program.moment != num_commits || report.saved_commit != num_commits) return "another commit";
        return program.wrong();
    }
    bool is_of_this_zstd() const override {
        if (options_.form == checkpoint::SnapshotOptions::Form::plain) return true;
        auto const attributes = disk::Generation(golden(name()), 1).index().attributes;
        return std::ranges::search(attributes, bytes_of(written_by())).size() > 0;
    }

private:
    static std::string written_by() { return "Zstandard " REGRAFT_ZSTD; }
    checkpoint::SnapshotOptions options_;
};

std::vector<std::unique_ptr<Kind>> all_kinds() {
    using Form = checkpoint::SnapshotOptions::Form;
    std::vector<std::unique_ptr<Kind>> kinds;
    auto const add = [&](auto* kind) { kinds.emplace_back(kind); };
    add(new BlocksOf<test::Replicated>("one-size", Content(1, 11, Content::Sizes::fixed, 37), 2));
    add(new BlocksOf<test::Replicated>("many-sizes", Content(2, 30, Content::Sizes::variable, 90), 3));
    add(new BlocksOf<test::Coded>("coded", Content(3, 20, Content::Sizes::variable, 60), 1));
    add(new BlocksOf<test::Replicated>("no-blocks", Content(4, 0, Content::Sizes::fixed, 8), 1));
    add(new TwoParts);
    add(new StateOf("snapshot", {}));
    add(new StateOf("snapshot-compressed", {.form = Form::compressed}));
    return kinds;
}

TEST(GoldenArchives, AreReadByAnyNumberOfRanks) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& kind : all_kinds()) EXPECT_EQ(kind->wrong(comm, golden(kind->name())), "") << kind->name();
}

TEST(GoldenArchives, AreSavedAgainWithTheSameBytes) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() != num_writers) return;
    for (auto const& kind : all_kinds()) {
        if (!kind->is_of_this_zstd()) continue;  // another version makes other frames
        auto const archive = test::job_folder(kind->name());
        kind->save(comm, archive);
        if (!comm.leads()) continue;
        EXPECT_EQ(files_in(archive), files_in(golden(kind->name()))) << kind->name();
    }
}

TEST(GoldenArchives, AreTheOnesInTheFolder) {
    std::size_t in_folder = 0;
    for (auto const& entry : fs::directory_iterator(golden(""))) in_folder += entry.is_directory() ? 1 : 0;
    EXPECT_EQ(in_folder, all_kinds().size());
}

/// ninja -C build golden-archives runs it.
TEST(GoldenArchives, DISABLED_AreMadeAnew) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ASSERT_EQ(comm.size(), num_writers);
    if (comm.leads()) fs::remove_all(golden(""));
    static_cast<void>(comm.agree(true));
    for (auto const& kind : all_kinds()) {
        kind->save(comm, golden(kind->name()));
        if (comm.leads()) std::printf("%s\n", kind->name().c_str());
    }
}

}  // namespace
}  // namespace regraft
