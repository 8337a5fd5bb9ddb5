// What people at a terminal see while a file is being worked on.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "options.hpp"

namespace regraft::msa_cli {

/// One line on standard error that is replaced by the next one and taken away at the end; nothing unless that is a
/// terminal.
class Progress {
public:
    Progress(std::string what, Voice voice);
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;
    ~Progress() { clear(); }

    /// percent: of the whole work, about, when the phase begins.
    void phase(std::string_view name, int percent);
    /// Seconds since the begin.
    double seconds() const;
    /// Takes the line away.
    void clear();

private:
    std::string what_;
    bool shown_;
    std::size_t width_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A line on standard error, unless quiet.
void say(Voice voice, std::string_view line);

}  // namespace regraft::msa_cli
