// Shows people at a terminal the progress of work on a file.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "options.hpp"

namespace regraft::msa_cli {

/// One line on standard error that the next one replaces and that is removed at the end. Nothing is shown unless
/// standard error is a terminal.
class Progress {
public:
    Progress(std::string what, Voice voice);
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;
    ~Progress() { clear(); }

    /// Begins a phase. percent: approximate part of the whole work that is done then.
    void phase(std::string_view name, int percent);
    /// Seconds since the object was made.
    double seconds() const;
    /// Removes the line.
    void clear();

private:
    std::string what_;
    bool shown_;
    std::size_t width_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Prints a line on standard error, unless quiet.
void say(Voice voice, std::string_view line);

}  // namespace regraft::msa_cli
