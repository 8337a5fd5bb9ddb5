// The figure of ReStore (Huebner et al. 2022, figure 3), computed instead of simulated: which part of a job fails until
// data is lost, over the size of the job, on logarithmic axes.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "common/svg.hpp"
#include "common/words.hpp"
#include "loss/loss.hpp"

namespace regraft::plan {
namespace {

using common::svg_colours;
using common::svg_text;

constexpr double width = 640;
constexpr double height = 440;

/// A logarithmic axis: a value's place in pixels.
struct Axis {
    double lowest = 0;
    double highest = 0;
    double begin = 0;  // pixel of the lowest value
    double end = 0;

    double at(double value) const {
        auto const part = std::log(value / lowest) / std::log(highest / lowest);
        return begin + std::clamp(part, 0.0, 1.0) * (end - begin);
    }
};

struct Axes {
    Axis x{256, 33554432, 70, width - 110};
    Axis y{1e-4, 1, height - 55, 45};
};

/// Whole decades around everything that is drawn.
Axes make_axes(LossPlan const& plan) {
    Axes axes;
    auto least = 1.0;
    for (auto const& curve : plan.curves) {
        for (auto const& fate : curve.fates)
            least = std::min(least, static_cast<double>(fate.tenth) / static_cast<double>(fate.units));
    }
    axes.y.lowest = std::pow(10, std::floor(std::log10(least)));
    return axes;
}

std::string grid(Axes const& axes, std::string_view unit) {
    std::string svg;
    for (auto exponent = 8; exponent <= 25; ++exponent) {
        auto const x = axes.x.at(std::exp2(exponent));
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"#e2e2e2\"/>\n", x, axes.y.begin, axes.y.end);
        if (exponent % 2 != 0 && exponent != 25) continue;
        if (exponent == 24) continue;
        svg += svg_text(x, axes.y.begin + 16, "text-anchor=\"middle\" fill=\"#555555\"",
                        fmt::format("2<tspan dy=\"-4\" font-size=\"8\">{}</tspan>", exponent));
    }
    for (auto part = axes.y.lowest; part < 1.5; part *= 10) {
        auto const y = axes.y.at(part);
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e2e2e2\"/>\n", axes.x.begin, y, axes.x.end);
        svg += svg_text(axes.x.begin - 7, y + 4, "text-anchor=\"end\" fill=\"#555555\"",
                        fmt::format("{:.3g} %", 100 * part));
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999999\"/>\n",
        axes.x.begin, axes.y.end, axes.x.end - axes.x.begin, axes.y.begin - axes.y.end);
    auto const middle = (axes.x.begin + axes.x.end) / 2;
    svg += svg_text(middle, height - 14, "text-anchor=\"middle\" fill=\"#555555\"", fmt::format("{}s", unit));
    auto const centre = (axes.y.begin + axes.y.end) / 2;
    svg += svg_text(16, centre,
                    fmt::format("text-anchor=\"middle\" fill=\"#555555\" transform=\"rotate(-90 16 {:.1f})\"", centre),
                    fmt::format("failed {}s when data is lost", unit));
    return svg;
}

/// The mean as a line in a band from the first to the last tenth.
std::string drawn(Curve const& curve, Axes const& axes, char const* colour) {
    std::string line;
    std::string upper;
    std::string lower;
    auto const place = [&](Fate const& fate, double failures) {
        auto const units = static_cast<double>(fate.units);
        return fmt::format("{:.1f},{:.1f} ", axes.x.at(units), axes.y.at(failures / units));
    };
    for (auto const& fate : curve.fates) {
        line += place(fate, fate.mean);
        upper += place(fate, static_cast<double>(fate.nine_tenths));
        lower = place(fate, static_cast<double>(fate.tenth)) + lower;
    }
    return fmt::format("<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"0.15\"/>\n", upper, lower, colour) +
           fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", line, colour);
}

/// The names of the lines, at their ends: one above the other, as more replicas survive more.
std::string labels(std::span<Curve const> curves, Axes const& axes) {
    constexpr double line_height = 13;
    std::string svg;
    auto lowest = axes.y.begin + line_height;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        auto const& last = curves[i].fates.back();
        lowest = std::min(lowest - line_height, axes.y.at(last.mean / static_cast<double>(last.units)) + 4);
        svg += svg_text(axes.x.end + 8, lowest, fmt::format("fill=\"{}\"", svg_colours[i % svg_colours.size()]),
                        common::counted(curves[i].replicas, "replica"));
    }
    return svg;
}

std::string drawn(Trials const& trials, std::uint64_t units, Axes const& axes, char const* colour) {
    auto const all = static_cast<double>(units);
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.8\"/>\n",
        axes.x.at(all), axes.y.at(trials.mean() / all), colour);
}

}  // namespace

std::string svg_of(LossOptions const& options, LossPlan const& plan) {
    auto const axes = make_axes(plan);
    auto svg = common::svg_begin(width, height);
    svg += svg_text(axes.x.begin, 22, "font-size=\"14\" font-weight=\"bold\"", "Failures until data is lost");
    svg += svg_text(axes.x.begin, 38, "fill=\"#555555\"",
                    fmt::format("line: mean; band: 10 % to 90 % of all cases{}",
                                options.trials > 0 ? fmt::format("; circles: simulated, {}", options.placement) : ""));
    svg += grid(axes, unit_name(options));
    for (std::size_t i = 0; i < plan.curves.size(); ++i)
        svg += drawn(plan.curves[i], axes, svg_colours[i % svg_colours.size()]);
    svg += labels(plan.curves, axes);
    for (std::size_t i = 0; i < plan.safeties.size(); ++i) {
        auto const& trials = plan.safeties[i].trials;
        if (trials && axes.x.lowest <= static_cast<double>(plan.units))
            svg += drawn(*trials, plan.units, axes, svg_colours[i % svg_colours.size()]);
    }
    return svg + "</svg>\n";
}

}  // namespace regraft::plan
