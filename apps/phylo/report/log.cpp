#include "report/log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "files/file_texts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {

void Log::line(std::string const& text, bool leads) {
    auto const line = stamped(text);
    text_ += line;
    if (leads && voice_ != Voice::silent) put(line);
}

void Log::put(std::string const& line) {
    last_line_ = Clock::now();
    clear_progress();
    print(line);
    if (file_) append(line);
}

void Log::keep_in(std::filesystem::path path, Earlier earlier, bool leads) {
    file_ = std::move(path);
    if (!leads) return;
    try {
        if (earlier == Earlier::goes) write_files({{*file_, text_}});
        if (earlier == Earlier::stays) append(text_);
    } catch (OutputError const& error) {
        give_up(error.what());
    }
}

std::string Log::with(std::string const& text) const {
    auto const whole = [&] {
        try {
            if (file_) return common::read_text(file_->string());
        } catch (InputError const&) {  // another process has removed it
        }
        return text_;
    };
    return whole() + stamped(text);
}

std::string Log::stamped(std::string const& text) const {
    return fmt::format("[{:8.3f} s] {}\n", seconds(), text);
}

void Log::append(std::string_view text) {
    errno = 0;
    std::ofstream file(*file_, std::ios::app);
    file << text << std::flush;
    if (!file) give_up(OutputError(file_->string(), errno).what());
}

/// Stops writing the log file. The end of the job tries once more.
void Log::give_up(std::string const& why) {
    file_.reset();
    print("warning: " + why + '\n');
}

/// Prints to standard output. A full disk behind it must not end a search.
void Log::print(std::string_view text) {
    bool const written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written && problem_.empty()) problem_ = OutputError("standard output", errno).what();
}

void Log::progress(std::string const& text, bool leads) {
    constexpr int share = 20;  // of the time so far, so that the log of a long job stays short
    auto const now = Clock::now();
    if (!leads || voice_ == Voice::silent) return;
    if (now - last_line_ >= std::max<Clock::duration>(silence_, (now - start_) / share)) return put(stamped(text));
    if (voice_ != Voice::lines_and_progress || now - last_progress_ < std::chrono::milliseconds(100)) return;
    last_progress_ = now;
    fmt::print(stderr, "\r{:<{}}", text, progress_width_);
    progress_width_ = text.size();
}

double Log::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Log::clear_progress() {
    if (progress_width_ == 0) return;
    fmt::print(stderr, "\r{:{}}\r", "", progress_width_);
    progress_width_ = 0;
}

}  // namespace regraft::phylo
