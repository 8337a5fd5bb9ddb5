// The picture of a profile: the lengths of packages, and a row per rank with its slowdowns, how its time was spent, and
// how often it was the slowest.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/svg.hpp"
#include "profile/profile.hpp"

namespace regraft::phylo {
namespace {

using common::svg_colours;
using common::svg_text;

constexpr std::size_t most_rows = 64;
constexpr double width = 860;
constexpr double figure_margin = 80;
constexpr double bar_height = 15;
constexpr double lengths_top = 76;
constexpr double lengths_height = 120;
constexpr double rows_top = 270;
constexpr std::string_view grey = "fill=\"#555555\"";
constexpr std::string_view grey_middle = "text-anchor=\"middle\" fill=\"#555555\"";
constexpr auto work_colour = svg_colours[0];
constexpr auto waiting_colour = svg_colours[1];
constexpr auto communication_colour = svg_colours[3];

/// The position of a column of the rows.
struct Column {
    double begin;
    double end;
    double size() const { return end - begin; }
    double at(double share) const { return begin + share * size(); }
};
constexpr Column slowdowns{figure_margin, 385};
constexpr Column times{430, 630};
constexpr Column slowest{685, width - 40};

/// A rank, or several consecutive ones.
struct Row {
    std::string label;
    std::vector<double> slowdowns;  // as fractions
    double work_ms = 0;
    double waiting_ms = 0;
    double communication_ms = 0;
    double slowest_share = 0;

    double all_ms() const { return work_ms + waiting_ms + communication_ms; }
};

Row row_of(std::span<RankProfile const> ranks) {
    Row row;
    row.label = fmt::format("{}", value(ranks.front().pe));
    if (ranks.size() > 1) row.label += fmt::format("-{}", value(ranks.back().pe));
    row.slowdowns.assign(Profile::num_slowdown_bins, 0);
    double total = 0;
    for (auto const& rank : ranks) {
        for (std::size_t bin = 0; bin < row.slowdowns.size(); ++bin) {
            row.slowdowns[bin] += static_cast<double>(rank.slowdowns[bin]);
            total += static_cast<double>(rank.slowdowns[bin]);
        }
        row.work_ms += rank.work_ms;
        row.waiting_ms += rank.waiting_ms;
        row.communication_ms += rank.communication_ms;
        row.slowest_share += rank.slowest_share;
    }
    for (auto& share : row.slowdowns) share /= std::max(total, 1.0);
    return row;
}

std::vector<Row> rows_of(Profile const& profile) {
    auto const ranks = std::span(profile.ranks);
    auto const together = (ranks.size() + most_rows - 1) / most_rows;
    std::vector<Row> rows;
    for (std::size_t first = 0; first < ranks.size(); first += together)
        rows.push_back(row_of(ranks.subspan(first, std::min(together, ranks.size() - first))));
    return rows;
}

std::string box(double x, double y, double box_width, double box_height, std::string_view colour, double opacity = 1) {
    return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"{}/>\n", x, y,
                       box_width, box_height, colour,
                       opacity < 1 ? fmt::format(" fill-opacity=\"{:.3f}\"", opacity) : "");
}

std::string vertical(double x, double top, double bottom, std::string_view colour = "#e2e2e2") {
    return fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"{}\"/>\n", x, top, bottom, colour);
}

std::string time_text(double ns) {
    if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
    if (ns < 1e6) return fmt::format("{:.0f} us", ns / 1e3);
    if (ns < 1e9) return fmt::format("{:.0f} ms", ns / 1e6);
    return fmt::format("{:.0f} s", ns / 1e9);
}

/// A step of 1, 2 or 5 times a power of ten such that the axis has two to four steps.
double step_of(double most) {
    auto const power = std::pow(10.0, std::floor(std::log10(most)));
    for (double const digit : {0.2, 0.5, 1.0, 2.0, 5.0}) {
        if (most / (digit * power) < 5) return digit * power;
    }
    return 10 * power;
}

/// The axis for numbers of packages.
std::string numbers_axis(double most, double bottom) {
    auto const step = step_of(most);
    std::string svg;
    for (auto number = 0.0; number <= most; number += step) {
        auto const y = bottom - number / most * lengths_height;
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e2e2e2\"/>\n", figure_margin, y, width - 40);
        svg +=
            svg_text(figure_margin - 8, y + 4, "text-anchor=\"end\" fill=\"#555555\"", fmt::format("{:.0f}", number));
    }
    return svg;
}

/// A histogram of the lengths, of all ranks together.
std::string lengths_histogram(Profile const& profile) {
    std::vector<double> counts(WorkLog::num_bins, 0);
    for (auto const& rank : profile.ranks) {
        for (std::size_t bin = 0; bin < counts.size(); ++bin) counts[bin] += static_cast<double>(rank.lengths[bin]);
    }
    auto const is_used = [](double count) { return count > 0; };
    auto const begin = std::ranges::find_if(counts, is_used);
    if (begin == counts.end()) return svg_text(figure_margin, lengths_top + 20, grey, "no packages");
    auto const first = static_cast<std::size_t>(begin - counts.begin());
    auto last = counts.size();
    while (!is_used(counts[last - 1])) --last;

    auto const lowest = std::log10(WorkLog::bin_edge(first));
    auto const highest = std::log10(WorkLog::bin_edge(last));
    auto const at = [&](double ns) {
        return figure_margin + (std::log10(ns) - lowest) / (highest - lowest) * (width - 40 - figure_margin);
    };
    auto const bottom = lengths_top + lengths_height;
    auto const most = *std::ranges::max_element(counts);
    auto svg = numbers_axis(most, bottom);
    for (auto decade = std::ceil(lowest); decade <= highest; ++decade) {
        auto const ns = std::pow(10.0, decade);
        svg += vertical(at(ns), lengths_top, bottom);
        svg += svg_text(at(ns), bottom + 14, grey_middle, time_text(ns));
    }
    for (auto bin = first; bin < last; ++bin) {
        if (!is_used(counts[bin])) continue;
        auto const x = at(WorkLog::bin_edge(bin));
        auto const height = counts[bin] / most * lengths_height;
        svg += box(x, bottom - height, at(WorkLog::bin_edge(bin + 1)) - x, height, work_colour);
    }
    return svg +
           fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#999999\"/>\n", figure_margin, bottom, width - 40);
}

/// Headings, and scales that extend over all rows.
std::string scales(double bottom, double most_slowest) {
    auto const heading = rows_top - 22;
    auto svg = svg_text(slowdowns.begin, heading, "font-weight=\"bold\"", "slowdown");
    svg += svg_text(times.begin, heading, "font-weight=\"bold\"",
                    fmt::format("<tspan fill=\"{}\">work</tspan> <tspan fill=\"{}\">waiting</tspan> "
                                "<tspan fill=\"{}\">communication</tspan>",
                                work_colour, waiting_colour, communication_colour));
    svg += svg_text(slowest.begin, heading, "font-weight=\"bold\"", "slowest of all");
    for (auto octave = -3; octave <= 3; ++octave) {
        auto const x = slowdowns.at((octave + 3) / 6.0);
        svg += vertical(x, rows_top, bottom, octave == 0 ? "#555555" : "#e2e2e2");
        svg += svg_text(x, bottom + 14, grey_middle, fmt::format("{:.3g}", std::exp2(octave)));
    }
    for (auto quarter = 0; quarter <= 4; ++quarter) {
        svg += vertical(times.at(quarter / 4.0), rows_top, bottom);
        svg += svg_text(times.at(quarter / 4.0), bottom + 14, grey_middle, fmt::format("{} %", 25 * quarter));
    }
    for (auto half = 0; half <= 2; ++half) {
        svg += vertical(slowest.at(half / 2.0), rows_top, bottom);
        svg += svg_text(slowest.at(half / 2.0), bottom + 14, grey_middle,
                        fmt::format("{:.3g} %", 50 * half * most_slowest));
    }
    return svg;
}

std::string drawn(Row const& row, double y, double most_common, double most_slowest) {
    auto svg = svg_text(figure_margin - 8, y + 11, "class=\"rank\" text-anchor=\"end\" fill=\"#555555\"", row.label);
    auto const bin_width = slowdowns.size() / static_cast<double>(row.slowdowns.size());
    for (std::size_t bin = 0; bin < row.slowdowns.size(); ++bin) {
        if (row.slowdowns[bin] == 0) continue;
        // The square root makes rare bins visible too.
        auto const opacity = std::sqrt(row.slowdowns[bin] / most_common);
        svg += box(slowdowns.begin + static_cast<double>(bin) * bin_width, y + 1, bin_width, bar_height - 2,
                   svg_colours[0], std::max(0.05, opacity));
    }
    auto const all = std::max(row.all_ms(), 1e-9);
    double before = 0;
    for (auto const& [ms, colour] : {std::pair{row.work_ms, work_colour}, std::pair{row.waiting_ms, waiting_colour},
                                     std::pair{row.communication_ms, communication_colour}}) {
        svg += box(times.at(before / all), y + 1, ms / all * times.size(), bar_height - 2, colour);
        before += ms;
    }
    return svg +
           box(slowest.begin, y + 1, row.slowest_share / most_slowest * slowest.size(), bar_height - 2, svg_colours[1]);
}

}  // namespace

std::string to_svg(Profile const& profile) {
    auto const rows = rows_of(profile);
    double most_common = 1e-9;
    double most_slowest = 1e-9;
    for (auto const& row : rows) {
        most_common = std::max(most_common, *std::ranges::max_element(row.slowdowns));
        most_slowest = std::max(most_slowest, row.slowest_share);
    }
    auto const bottom = rows_top + bar_height * static_cast<double>(rows.size());
    auto svg = common::svg_begin(width, bottom + 40);
    svg += svg_text(figure_margin, 24, "font-size=\"14\" font-weight=\"bold\"", "Where ranks lose time");
    svg += svg_text(figure_margin, 42, grey,
                    fmt::format("packages take {:.1f} % longer than if all ranks worked equally long ({} compared, one "
                                "in {})",
                                100 * profile.imbalance, profile.num_compared, profile.one_in));
    svg += svg_text(figure_margin, lengths_top - 8, "font-weight=\"bold\"", "number of packages by length, all ranks");
    svg += lengths_histogram(profile);
    svg += svg_text(figure_margin - 8, rows_top - 22, "text-anchor=\"end\" font-weight=\"bold\"", "rank");
    svg += scales(bottom, most_slowest);
    for (std::size_t i = 0; i < rows.size(); ++i)
        svg += drawn(rows[i], rows_top + bar_height * static_cast<double>(i), most_common, most_slowest);
    return svg + "</svg>\n";
}

}  // namespace regraft::phylo
