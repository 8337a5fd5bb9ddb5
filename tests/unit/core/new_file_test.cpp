#include "regraft/disk/new_file.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"
#include "support/full_disk.hpp"
#include "support/store/archives.hpp"

namespace regraft::disk {
namespace {

namespace fs = std::filesystem;

class ANewFile : public testing::Test {
protected:
    std::string text_of(fs::path const& path) const {
        auto const bytes = test::file_contents(path);
        return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
    }
    static void write(fs::path const& path, std::string_view text) {
        test::write_contents(path, std::as_bytes(std::span(text)));
    }
    static void replace(fs::path const& path, std::string_view text) {
        NewFile file(path);
        file.write(text);
        file.appear();
    }
    /// The names in the folder.
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (auto const& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename().string());
        return found;
    }

    test::ScratchFolder scratch{"new-file"};
    fs::path folder = scratch.path();
    fs::path target = folder / "out";
};

TEST_F(ANewFile, TakesTheNameOnlyWhenItIsWhole) {
    write(target, "old");
    {
        NewFile file(target);
        file.write("ne");
        file.sync();
        EXPECT_EQ(text_of(target), "old");
        EXPECT_EQ(names().size(), 2u);
    }
    EXPECT_EQ(names(), std::set<std::string>{"out"}) << "what was given up is removed";
    EXPECT_EQ(text_of(target), "old");
    replace(target, "new");
    EXPECT_EQ(text_of(target), "new");
    EXPECT_EQ(names(), std::set<std::string>{"out"});
}

TEST_F(ANewFile, HasANameThatIsNotLongerThanTheTargets) {
    for (std::size_t const size : {1U, 63U, 64U, 65U, 240U, 255U}) {
        SCOPED_TRACE(size);
        fs::path const path = folder / std::string(size, 'n');
        NewFile file(path);
        EXPECT_LE(file.temporary().filename().string().size(), std::max<std::size_t>(size, 64));
        file.write("x");
        file.appear();
        EXPECT_EQ(text_of(path), "x");
    }
}

TEST_F(ANewFile, IsNotCutWithinACharacter) {
    std::string name;
    while (name.size() < 240) name += "\xe2\x82\xac";  // three bytes
    for (auto const* const end : {"", "a", "ab"}) {
        NewFile const file(folder / (name + end));
        auto const begin = file.temporary().filename().string();
        EXPECT_EQ(begin.find('.') % 3, 0u) << begin;
    }
}

TEST_F(ANewFile, FollowsLinksToFilesAndToNothing) {
    fs::create_directory(folder / "there");
    write(folder / "there" / "file", "old");
    fs::create_symlink("there/file", folder / "link");
    fs::create_symlink("link", target);
    replace(target, "new");
    EXPECT_TRUE(fs::is_symlink(target) && fs::is_symlink(folder / "link"));
    EXPECT_EQ(text_of(folder / "there" / "file"), "new");

    fs::create_symlink("there/nothing", folder / "dangling");
    replace(folder / "dangling", "made");
    EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
    EXPECT_EQ(text_of(folder / "there" / "nothing"), "made");

    fs::create_symlink("circle", folder / "circle");
    EXPECT_THROW(NewFile(folder / "circle"), OutputError);
}

TEST_F(ANewFile, WritesDevicesDirectly) {
    replace("/dev/null", "gone");
    EXPECT_FALSE(fs::is_regular_file("/dev/null"));
    NewFile full("/dev/full");
    EXPECT_THROW(full.write("more"), OutputError);
}

TEST_F(ANewFile, SaysWhichFileCannotBeWrittenAndWhy) {
    auto const error_of = [](auto const& body) -> std::string {
        try {
            body();
        } catch (OutputError const& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of([&] { NewFile const file(folder); }), folder.string() + ": cannot be written: Is a directory");
    EXPECT_EQ(error_of([&] { NewFile const file(folder / "none" / "out"); }),
              (folder / "none" / "out").string() + ": cannot be written: No such file or directory");
    test::ShortFiles const limit(10);
    EXPECT_EQ(error_of([&] { replace(target, std::string(100, 'x')); }),
              target.string() + ": cannot be written: File too large");
    EXPECT_TRUE(names().empty());
}

TEST_F(ANewFile, OfSeveralNoneAppearsIfOneCannotBeWritten) {
    write(target, "old");
    {
        std::vector<NewFile> files;
        for (auto const* const name : {"out", "out.more"}) files.emplace_back(folder / name).write("new");
        test::ShortFiles const limit(10);
        EXPECT_THROW(files[1].write(std::string(100, 'x')), OutputError);
    }
    EXPECT_EQ(names(), std::set<std::string>{"out"});
    EXPECT_EQ(text_of(target), "old");
    std::vector<NewFile> files;
    for (auto const* const name : {"out", "out.more"}) files.emplace_back(folder / name).write("new");
    appear(files);
    EXPECT_EQ(text_of(target) + text_of(folder / "out.more"), "newnew");
    EXPECT_EQ(names().size(), 2u);
}

TEST_F(ANewFile, ThatWasNotFinishedIsRemovedAndNothingElse) {
    write(target, "whole");
    close(make_temporary(target, 0600).descriptor);
    fs::path const other = folder / "out.more";
    auto const theirs = make_temporary(other, 0600);
    close(theirs.descriptor);
    for (auto const* const name : {"out.tmp", "out.1234.tmp", "out.abcdeF.tmp", "xout.abcdef.tmp"})
        write(folder / name, "");
    EXPECT_EQ(names().size(), 7u);
    remove_unfinished(target);
    EXPECT_EQ(names().size(), 6u);
    EXPECT_TRUE(fs::exists(theirs.path));
    EXPECT_EQ(text_of(target), "whole");
}

TEST_F(ANewFile, HasThePermissionsThatTheUmaskLeaves) {
    auto const mask = umask(027);
    replace(target, "");
    umask(mask);
    EXPECT_EQ(fs::status(target).permissions(), fs::perms{0640});
}

}  // namespace
}  // namespace regraft::disk
