#include "input/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace regraft::msa_cli {

Progress::Progress(std::string what, Verbosity verbosity)
    : what_(std::move(what)), shown_(verbosity != Verbosity::quiet && isatty(STDERR_FILENO) != 0) {}

void Progress::phase(std::string_view name, int from, int to) {
    phase_ = name;
    from_ = from;
    to_ = to;
    show(from);
}

void Progress::reached(double part) {
    constexpr double seconds_between = 0.2;
    if (seconds() - shown_at_ >= seconds_between) show(from_ + std::min(part, 1.0) * (to_ - from_));
}

void Progress::show(double percent) {
    if (!shown_) return;
    constexpr double seconds_for_an_estimate = 2;
    shown_at_ = seconds();
    auto line = fmt::format("{}: {} ({:.0f} %", what_, phase_, percent);
    if (shown_at_ >= seconds_for_an_estimate && percent >= 1)
        line += fmt::format(", about {:.0f} s left", shown_at_ * (100 - percent) / percent);
    line += ')';
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

void say(Verbosity verbosity, std::string_view line) {
    if (verbosity != Verbosity::quiet) fmt::print(stderr, "{}\n", line);
}

std::string counted_taxa(std::uint64_t count) {
    return count == 1 ? "1 taxon" : std::to_string(count) + " taxa";
}

}  // namespace regraft::msa_cli
