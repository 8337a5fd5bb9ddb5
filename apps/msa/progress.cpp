#include "progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace regraft::msa_cli {

Progress::Progress(std::string what, Voice voice)
    : what_(std::move(what)), shown_(voice != Voice::quiet && isatty(STDERR_FILENO) != 0) {}

void Progress::phase(std::string_view name, int percent) {
    if (!shown_) return;
    auto const line = fmt::format("{}: {} ({} %)", what_, name, percent);
    fmt::print(stderr, "\r{:<{}}", line, width_);
    static_cast<void>(std::fflush(stderr));
    width_ = line.size();
}

double Progress::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::clear() {
    if (width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
    width_ = 0;
}

void say(Voice voice, std::string_view line) {
    if (voice != Voice::quiet) fmt::print(stderr, "{}\n", line);
}

}  // namespace regraft::msa_cli
