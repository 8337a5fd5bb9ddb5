#include "files/checkpoint_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"
#include "support/full_disk.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t job = 42;

class CheckpointFile : public testing::Test {
protected:
    CheckpointFile() { fs::create_directories(directory_); }
    ~CheckpointFile() override { fs::remove_all(directory_); }

    static std::vector<std::byte> contents(char filling, std::size_t size = 50) {
        return std::vector<std::byte>(size, std::byte(filling));
    }
    static std::string read(fs::path const& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void write(fs::path const& path, std::string const& text) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    }

    fs::path directory_ = fs::temp_directory_path() / ("regraft-checkpoints-" + std::to_string(getpid()));
    std::string prefix_ = (directory_ / "out").string();
    fs::path path_ = checkpoint_path(prefix_, {});
};

TEST_F(CheckpointFile, GivesBackWhatWasWrittenLast) {
    EXPECT_FALSE(read_checkpoint(path_, job));
    write_checkpoint(path_, job, contents('a'));
    write_checkpoint(path_, job, contents('b', 0));
    auto const found = read_checkpoint(path_, job);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bytes, contents('b', 0));
    EXPECT_EQ(found->read_from, path_);
    EXPECT_EQ(found->warning, "");
}

TEST_F(CheckpointFile, CutAtAnyByteIsRefusedAndTheOneBeforeIsUsed) {
    write_checkpoint(path_, job, contents('a'));
    write_checkpoint(path_, job, contents('b'));
    auto const whole = read(path_);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        write(path_, whole.substr(0, size));
        auto const found = read_checkpoint(path_, job);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->bytes, contents('a'));
        EXPECT_EQ(found->read_from, previous_checkpoint(path_));
        EXPECT_NE(found->warning.find(path_.string()), std::string::npos);
    }
}

TEST_F(CheckpointFile, WithAnyBitFlippedIsRefusedAndTheOneBeforeIsUsed) {
    write_checkpoint(path_, job, contents('a'));
    write_checkpoint(path_, job, contents('b'));
    auto const whole = read(path_);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        SCOPED_TRACE(bit);
        auto flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        write(path_, flipped);
        auto const found = read_checkpoint(path_, job);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->bytes, contents('a'));
    }
}

TEST_F(CheckpointFile, IsRefusedIfAllThereIsIsDamaged) {
    write_checkpoint(path_, job, contents('a'));
    auto const whole = read(path_);
    write(path_, whole + "x");
    EXPECT_THROW(read_checkpoint(path_, job), InputError);
    write(previous_checkpoint(path_), "x");
    EXPECT_THROW(read_checkpoint(path_, job), InputError);
    fs::remove(path_);
    EXPECT_THROW(read_checkpoint(path_, job), InputError);
    write(previous_checkpoint(path_), whole);
    EXPECT_EQ(read_checkpoint(path_, job)->bytes, contents('a'));
}

TEST_F(CheckpointFile, OfAnotherJobIsRefused) {
    write_checkpoint(path_, job, contents('a'));
    EXPECT_THROW(read_checkpoint(path_, job + 1), InputError);
}

TEST_F(CheckpointFile, ThatCannotBeWrittenLeavesTheOneBefore) {
    write_checkpoint(path_, job, contents('a'));
    {
        test::ShortFiles const limit(10);
        EXPECT_THROW(write_checkpoint(path_, job, contents('b')), OutputError);
    }
    EXPECT_EQ(read_checkpoint(path_, job)->read_from, path_);
    EXPECT_EQ(read_checkpoint(path_, job)->bytes, contents('a'));
}

TEST_F(CheckpointFile, ThatIsDamagedDoesNotReplaceTheOneBefore) {
    write_checkpoint(path_, job, contents('a'));
    write_checkpoint(path_, job, contents('b'));
    write(path_, read(path_).substr(1));
    write_checkpoint(path_, job, contents('c'));
    EXPECT_EQ(read_checkpoint(path_, job)->bytes, contents('c'));
    fs::remove(path_);
    EXPECT_EQ(read_checkpoint(path_, job)->bytes, contents('a'));
}

TEST_F(CheckpointFile, ThatCannotBeReadIsNotTakenForMissing) {
    fs::create_directory(path_);
    EXPECT_THROW(read_checkpoint(path_, job), InputError);
}

TEST_F(CheckpointFile, AreFoundOfAllRanksAndRemovedWithoutAnyOthers) {
    std::vector<fs::path> const ours{path_, checkpoint_path(prefix_, 0), checkpoint_path(prefix_, 31)};
    for (auto const& path : ours) write_checkpoint(path, job, contents('a'));
    write_checkpoint(path_, job, contents('b'));
    fs::remove(checkpoint_path(prefix_, 31));
    write_checkpoint(checkpoint_path(prefix_, 31), job, contents('b'));
    std::vector<fs::path> const others{prefix_ + ".a.ckp", prefix_ + "2.ckp", prefix_ + ".json", prefix_ + ".1x.ckp"};
    for (auto const& path : others) write(path, "x");
    auto const found = find_checkpoints(prefix_);
    EXPECT_EQ(std::set(found.begin(), found.end()), std::set(ours.begin(), ours.end()));
    remove_checkpoints(prefix_);
    EXPECT_TRUE(find_checkpoints(prefix_).empty());
    for (auto const& path : others) EXPECT_TRUE(fs::exists(path)) << path;
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), std::ssize(others));
}

TEST_F(CheckpointFile, ThatWasNotFinishedIsRemovedButIsNoneToGoOnFrom) {
    auto const [left, descriptor] =
        disk::make_temporary(checkpoint_path(prefix_, 2), 0600);  // its first checkpoint: the job died then
    close(descriptor);
    EXPECT_TRUE(find_checkpoints(prefix_).empty());
    remove_checkpoints(prefix_);
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(CheckpointFile, ThatDoesNotFitOnTheDiskLeavesNoPiece) {
    test::ShortFiles const limit(10);
    EXPECT_THROW(write_checkpoint(path_, job, contents('a')), OutputError);
    EXPECT_TRUE(fs::is_empty(directory_));
}

}  // namespace
}  // namespace regraft::phylo
