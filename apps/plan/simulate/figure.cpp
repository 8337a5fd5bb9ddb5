// The life of a job as a picture: work done and ranks alive over the hours, with a mark for each failure.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "common/svg.hpp"
#include "common/words.hpp"
#include "simulate/report.hpp"

namespace regraft::plan::simulated {
namespace {

using common::svg_colours;
using common::svg_text;

constexpr double width = 760;
constexpr double height = 430;
constexpr char const* grey = "fill=\"#555555\"";
constexpr std::size_t most_marks = 2000;  // more would be one black bar

/// A linear axis: a value's place in pixels.
struct Axis {
    double lowest = 0;
    double highest = 1;
    double begin = 0;  // pixel of the lowest value
    double end = 0;

    double at(double value) const {
        auto const part = highest > lowest ? (value - lowest) / (highest - lowest) : 0;
        return begin + std::clamp(part, 0.0, 1.0) * (end - begin);
    }
};

/// The step between marks of an axis: 1, 2 or 5 times a power of ten, at most so many of them.
double step_of(double range, int most) {
    auto step = std::pow(10, std::floor(std::log10(range / most)));
    for (auto const factor : {2.0, 2.5, 2.0}) {
        if (range / step <= most) break;
        step *= factor;
    }
    return step;
}

struct Axes {
    Axis hours;
    Axis work;
    Axis ranks;
};

Axes make_axes(SimulateOptions const& options, Simulation const& simulation, Life const& life) {
    constexpr double left = 62;
    constexpr double right = width - 24;
    auto const most = std::max(options.hours, life.seconds / seconds_per_hour);
    auto const ranks = static_cast<double>(simulation.machine.ranks);
    auto const least = static_cast<double>(life.survivors);
    // A little room below, and some difference even if no rank dies.
    auto const lowest = std::max(0.0, least - std::max(1.0, 0.15 * (ranks - least)));
    return {{0, most, left, right}, {0, options.hours, 262, 62}, {lowest, ranks, 372, 300}};
}

std::string grid(Axes const& axes, SimulateOptions const& options, Life const& life) {
    std::string svg;
    auto const step = step_of(axes.hours.highest, 12);
    for (int i = 0; i * step <= axes.hours.highest; ++i) {
        auto const x = axes.hours.at(i * step);
        for (auto const* axis : {&axes.work, &axes.ranks})
            svg += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"#e2e2e2\"/>\n", x, axis->begin, axis->end);
        svg += svg_text(x, axes.ranks.begin + 16, fmt::format("text-anchor=\"middle\" {}", grey),
                        fmt::format("{:g}", i * step));
    }
    auto const work_step = step_of(options.hours, 6);
    for (int i = 0; i * work_step <= options.hours; ++i) {
        auto const y = axes.work.at(i * work_step);
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e2e2e2\"/>\n", axes.hours.begin, y,
                           axes.hours.end);
        svg += svg_text(axes.hours.begin - 7, y + 4, fmt::format("text-anchor=\"end\" {}", grey),
                        fmt::format("{:g}", i * work_step));
    }
    for (auto const ranks : {static_cast<double>(life.survivors), axes.ranks.highest}) {
        svg += svg_text(axes.hours.begin - 7, axes.ranks.at(ranks) + 4, fmt::format("text-anchor=\"end\" {}", grey),
                        fmt::format("{:.0f}", ranks));
    }
    for (auto const* axis : {&axes.work, &axes.ranks}) {
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999999\"/>\n",
            axes.hours.begin, axis->end, axes.hours.end - axes.hours.begin, axis->begin - axis->end);
    }
    svg += svg_text((axes.hours.begin + axes.hours.end) / 2, height - 20,
                    fmt::format("text-anchor=\"middle\" {}", grey), "hours");
    auto const side = [&](Axis const& axis, char const* name) {
        auto const centre = (axis.begin + axis.end) / 2;
        svg +=
            svg_text(14, centre,
                     fmt::format("text-anchor=\"middle\" {} transform=\"rotate(-90 14 {:.1f})\"", grey, centre), name);
    };
    side(axes.work, "hours of work done");
    side(axes.ranks, "ranks");
    return svg;
}

/// The work line falls at each failure by what has to be repeated, and is flat while the survivors recover.
std::string lines(Axes const& axes, SimulateOptions const& options, Simulation const& simulation, Life const& life) {
    std::string work;
    std::string ranks;
    auto const to_work = [&](double seconds, double done) {
        work += fmt::format("{:.1f},{:.1f} ", axes.hours.at(seconds / seconds_per_hour),
                            axes.work.at(done / seconds_per_hour));
    };
    auto const to_ranks = [&](double seconds, double alive) {
        ranks += fmt::format("{:.1f},{:.1f} ", axes.hours.at(seconds / seconds_per_hour), axes.ranks.at(alive));
    };
    auto alive = static_cast<double>(simulation.machine.ranks);
    to_work(0, 0);
    to_ranks(0, alive);
    for (auto const& event : life.events) {
        auto const speed = alive / simulation.machine.ranks;
        to_work(event.begin, event.work_done + event.work_lost * speed);
        to_work(event.begin, event.work_done);
        to_work(event.end, event.work_done);
        to_ranks(event.begin, alive);
        alive -= event.dead;
        to_ranks(event.begin, alive);
    }
    to_work(life.seconds, life.work_done);
    to_ranks(life.seconds, alive);
    auto const drawn = [](std::string const& points, char const* colour) {
        return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", points,
                           colour);
    };
    auto const ideal =
        fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#999999\" stroke-dasharray=\"4 3\"/>\n",
                    axes.hours.at(0), axes.work.at(0), axes.hours.at(options.hours), axes.work.at(options.hours));
    return ideal + drawn(work, svg_colours[0]) + drawn(ranks, svg_colours[2]);
}

std::string marks(Axes const& axes, Life const& life) {
    std::string path;
    auto const shown = std::min(life.events.size(), most_marks);
    for (std::size_t i = 0; i < shown; ++i)
        path += fmt::format("M{:.1f} {:.1f}v9", axes.hours.at(life.events[i].begin / seconds_per_hour),
                            axes.work.begin + 6);
    return path.empty() ? ""
                        : fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"0.8\"/>\n", path, svg_colours[1]);
}

std::string end_of(Axes const& axes, Life const& life) {
    if (life.fate == Fate::finished) return "";
    auto const x = axes.hours.at(life.seconds / seconds_per_hour);
    auto const y = axes.work.at(life.work_done / seconds_per_hour);
    bool const is_right = x > axes.hours.end - 90;
    return fmt::format("<path d=\"M{0:.1f} {1:.1f}l8 8m0 -8l-8 8\" stroke=\"{2}\" stroke-width=\"2\"/>\n", x - 4, y - 4,
                       svg_colours[1]) +
           svg_text(x + (is_right ? -9 : 9), y - 6,
                    fmt::format("text-anchor=\"{}\" fill=\"{}\"", is_right ? "end" : "start", svg_colours[1]),
                    life.fate == Fate::data_lost ? "data lost" : "given up");
}

}  // namespace

std::string svg_of(SimulateOptions const& options, Simulation const& simulation) {
    auto const& candidate = simulation.candidates[simulation.best];
    auto const& life = candidate.median_life();
    auto const of_which =
        candidate.lives.size() == 1 ? "" : fmt::format("the median of {} lives; ", candidate.lives.size());
    auto const axes = make_axes(options, simulation, life);
    auto svg = common::svg_begin(width, height);
    svg += svg_text(
        axes.hours.begin, 22, "font-size=\"14\" font-weight=\"bold\"",
        fmt::format("{} on {}: {}", common::counted(simulation.machine.ranks, "rank"),
                    common::counted(simulation.machine.count(Unit::node), "node"),
                    life.fate == Fate::finished
                        ? fmt::format("{:.4g} h of work take {:.4g} h", options.hours, life.seconds / seconds_per_hour)
                        : fmt::format("ends after {:.4g} h", life.seconds / seconds_per_hour)));
    svg += svg_text(
        axes.hours.begin, 40, grey,
        fmt::format("{}{}; marks: {}; dashed: without failures", of_which, common::counted(life.failures, "failure"),
                    life.events.size() == 1 ? "the recovery" : fmt::format("{} recoveries", life.events.size())));
    svg += grid(axes, options, life) + lines(axes, options, simulation, life) + marks(axes, life) + end_of(axes, life);
    return svg + "</svg>\n";
}

}  // namespace regraft::plan::simulated
