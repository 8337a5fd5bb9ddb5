// Which units of a machine fail at what time: drawn by mean times between failures (MTBF), or read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/machine.hpp"

namespace regraft::plan::simulated {

inline constexpr double seconds_per_hour = 3600;

/// A unit fails and takes all of its ranks with it.
struct Failure {
    double seconds = 0;        // since the begin of the job
    Unit unit = Unit::node;    // what fails
    std::uint32_t number = 0;  // which of the units of this kind
    friend bool operator==(Failure const&, Failure const&) = default;
};

/// How often units fail. Each unit is new when the job begins, and fails at most once, as nothing is replaced.
struct FailureRates {
    /// By Unit: mean time between failures of one unit, in hours; 0: such units never fail.
    std::array<double, 4> mtbf_hours{};
    /// The shape of a Weibull distribution: 1 is the exponential one; less: many units fail early.
    double shape = 1;

    double mtbf(Unit unit) const { return mtbf_hours[static_cast<std::size_t>(unit)]; }
    /// The mean time between two failures on the whole machine, in seconds, if units are replaced; infinite if nothing
    /// fails.
    double seconds_between(Machine const& machine) const;
};

/// All failures before `seconds`, ascending by time. Each unit has its own stream of random numbers, so the failures of
/// a unit do not depend on `seconds`, or on the rates of other units.
std::vector<Failure> draw_failures(Machine const& machine, FailureRates const& rates, double seconds,
                                   std::uint64_t seed);

/// The failures of `count` different nodes, drawn at random, which all fail at `seconds`. Precondition: count <= nodes.
std::vector<Failure> draw_burst(Machine const& machine, std::uint32_t count, double seconds, std::uint64_t seed);

/// Reads lines TIME KIND NUMBER: hours since the begin, rank, node, rack or switch, and which one of them. '#' begins a
/// comment. The result ascends by time. Throws InputError with the place in the file of that name.
std::vector<Failure> parse_trace(std::string_view text, std::string const& name, Machine const& machine);

}  // namespace regraft::plan::simulated
