// How many failures a job survives: what `regraft-plan loss` reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input/options.hpp"
#include "regraft/placement/loss.hpp"

namespace regraft::plan {

/// The parts of all trials or of all probability that the text and the JSON tell of.
inline constexpr double told_quantiles[] = {0.01, 0.1, 0.5, 0.9};

/// What was simulated: of each trial, how many failures lost data, ascending.
struct Trials {
    std::vector<std::uint32_t> failures;

    double mean() const;
    double standard_error() const;
    /// The part of the trials that had lost data after so many failures.
    double loss(std::uint64_t after) const;
    /// The smallest number of failures after which at least q of the trials had lost data.
    std::uint64_t quantile(double q) const;
};

/// One number of replicas.
struct Safety {
    std::uint32_t replicas = 0;
    std::optional<placement::LossModel> model;  // none: no closed form
    std::optional<Trials> trials;               // none: not simulated
};

/// A point of a curve: how much of a job of some size fails until data is lost.
struct Fate {
    std::uint64_t units = 0;
    double mean = 0;  // failures, as the quantiles
    std::uint64_t tenth = 0;
    std::uint64_t nine_tenths = 0;
};

/// Over the number of ranks, or of nodes with each copy on another one.
struct Curve {
    std::uint32_t replicas = 0;
    std::vector<Fate> fates;
};

struct LossPlan {
    std::uint64_t units = 0;              // what fails as a whole: ranks, or nodes
    std::vector<std::uint64_t> failures;  // after which probabilities are told: ascending
    std::vector<Safety> safeties;
    std::vector<Curve> curves;  // empty if neither JSON nor SVG is asked for
};

/// Throws InputError.
LossPlan plan_loss(LossOptions const& options);

/// A drawing of the curves, with the trials as points.
std::string svg_of(LossOptions const& options, LossPlan const& plan);

/// "rank" or "node".
std::string unit_name(LossOptions const& options);

}  // namespace regraft::plan
