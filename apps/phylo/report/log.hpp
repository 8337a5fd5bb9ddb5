// The log that a job writes while it runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace regraft::phylo {

/// Every PE keeps the log. The leading one also prints it and, on a terminal, shows progress between the lines.
class Log {
public:
    /// Where lines go: nowhere while a run is only rehearsed.
    enum class Voice : std::uint8_t { silent, lines, lines_and_progress };
    /// silence: after so long without a line, progress is a line, too.
    explicit Log(Voice voice, std::chrono::milliseconds silence = std::chrono::seconds(10))
        : voice_(voice), silence_(silence) {}

    void line(std::string const& text, bool leads);
    /// What happens to the log of an earlier job in the file.
    enum class Earlier : std::uint8_t { goes, stays };
    /// From now on the leading PE writes the lines to a file as well, including earlier ones. If it cannot, it says so,
    /// and the search continues.
    void keep_in(std::filesystem::path path, Earlier earlier, bool leads);
    /// Closes the file; further lines do not go to it.
    void close_file() { file_.reset(); }
    /// The contents of the file, or of the log, with this text as the last line.
    std::string with(std::string const& text) const;
    /// Why standard output lacks lines; empty if it has all.
    std::string const& problem() const { return problem_; }
    /// Replaces the last progress line, at most ten times a second. After a long silence, which is also a twentieth of
    /// the time so far, it is written as a line of its own.
    void progress(std::string const& text, bool leads);
    /// Seconds since the log was created.
    double seconds() const;

private:
    using Clock = std::chrono::steady_clock;
    void clear_progress();
    std::string stamped(std::string const& text) const;
    void put(std::string const& line);
    void print(std::string_view text);
    void append(std::string_view text);
    void give_up(std::string const& why);
    Voice voice_;
    std::chrono::milliseconds silence_;
    std::string text_;
    std::string problem_;
    std::optional<std::filesystem::path> file_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_line_ = start_;
    Clock::time_point last_progress_{};
    std::size_t progress_width_ = 0;
};

}  // namespace regraft::phylo
