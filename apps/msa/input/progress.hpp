// Tells people how work on a file goes, and what was done.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/options.hpp"

namespace regraft::msa_cli {

/// One line on standard error that the next one replaces and that is removed at the end. Nothing is shown unless
/// standard error is a terminal.
class Progress {
public:
    Progress(std::string what, Verbosity verbosity);
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;
    ~Progress() { clear(); }

    /// Begins a phase. from, to: approximate percentages of the whole work that are done at its begin and its end.
    void phase(std::string_view name, int from, int to);
    /// Tells which part of the phase is done, 0 to 1. When the work takes long, the line says how long it will take.
    void reached(double part);
    /// Seconds since the object was made.
    double seconds() const;
    /// Removes the line.
    void clear();

private:
    void show(double percent);

    std::string what_;
    bool shown_;
    std::string phase_;
    int from_ = 0;
    int to_ = 0;
    double shown_at_ = 0;  // in seconds
    std::size_t width_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Prints a line on standard error, unless quiet.
void say(Verbosity verbosity, std::string_view line);

/// A number with its noun: "1 taxon", "2 taxa".
std::string counted_taxa(std::uint64_t count);

}  // namespace regraft::msa_cli
