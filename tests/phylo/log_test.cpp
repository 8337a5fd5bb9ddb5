#include "report/log.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/input.hpp"
#include "job/climb.hpp"

namespace regraft::phylo {
namespace {

using std::chrono::milliseconds;

/// A log in a file of a folder of its own.
struct InFile {
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("log" + std::to_string(getpid()));
    std::filesystem::path path = folder / "log";
    Log log;

    InFile(Log::Voice voice, milliseconds silence, bool leads = true) : log(voice, silence) {
        std::filesystem::create_directories(folder);
        log.line("first", leads);
        log.keep_in(path, Log::Earlier::goes, leads);
    }
    ~InFile() { std::filesystem::remove_all(folder); }
    InFile(InFile const&) = delete;

    std::string text() const { return std::filesystem::exists(path) ? common::read_text(path.string()) : ""; }
};

bool has(std::string const& text, std::string const& word) {
    return text.find(word) != std::string::npos;
}

TEST(Log, TellsProgressInALineAfterALongSilence) {
    for (auto const voice : {Log::Voice::lines, Log::Voice::lines_and_progress}) {
        InFile f(voice, milliseconds(300));
        f.log.progress("too early", true);
        std::this_thread::sleep_for(milliseconds(350));
        f.log.progress("7 of 100 done", true);
        f.log.progress("too early again", true);
        EXPECT_TRUE(has(f.text(), " s] 7 of 100 done\n")) << f.text();
        EXPECT_FALSE(has(f.text(), "too early")) << f.text();
        std::this_thread::sleep_for(milliseconds(350));
        f.log.line("second", true);  // ends the silence
        f.log.progress("too early after a line", true);
        EXPECT_FALSE(has(f.text(), "too early")) << f.text();
    }
}

TEST(Log, IsSilentAboutProgressElsewhereAndWhileARunIsRehearsed) {
    InFile other(Log::Voice::lines, milliseconds(0), false);
    other.log.progress("7 of 100 done", false);
    EXPECT_EQ(other.text(), "");
    InFile rehearsed(Log::Voice::silent, milliseconds(0));
    rehearsed.log.progress("7 of 100 done", true);
    EXPECT_FALSE(has(rehearsed.text(), "7 of 100"));
}

TEST(Log, WaitsTheLongerTheLongerTheJobHasRun) {
    InFile f(Log::Voice::lines, milliseconds(0));
    std::this_thread::sleep_for(milliseconds(2000));  // a twentieth are 100 ms
    f.log.line("second", true);
    f.log.progress("too early", true);
    EXPECT_FALSE(has(f.text(), "too early"));
    std::this_thread::sleep_for(milliseconds(200));
    f.log.progress("late enough", true);
    EXPECT_TRUE(has(f.text(), "late enough"));
}

TEST(Batch, TellsTheLogLikelihoodFromWhenItIsKnown) {
    auto state = start_state(Goal::evaluation, msa::random_tree(5, 1), {}, {});
    Batch const batch{.mine = 50, .done = 7, .num_groups = 2};
    EXPECT_EQ(batch.progress("final model", state).substr(0, 50), "7 of 50 done in one of 2 groups: final model, step");
    EXPECT_FALSE(has(batch.progress("final model", state), "log-likelihood"));
    state.loglh = -1234.56789;
    EXPECT_EQ(Batch().progress("final model", state), "final model, step 1, log-likelihood -1234.5679");
}

}  // namespace
}  // namespace regraft::phylo
