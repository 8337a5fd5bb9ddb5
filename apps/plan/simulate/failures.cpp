#include "simulate/failures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "common/input.hpp"
#include "files/number_lines.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::plan::simulated {
namespace {

void sort_by_time(std::vector<Failure>& failures) {
    std::sort(failures.begin(), failures.end(), [](Failure const& a, Failure const& b) {
        return std::tuple(a.seconds, a.unit, a.number) < std::tuple(b.seconds, b.unit, b.number);
    });
}

double parse_hours(NumberLines& lines) {
    auto const word = lines.word("time in hours");
    double hours = -1;
    auto const [rest, error] = std::from_chars(word.data(), word.data() + word.size(), hours);
    bool const is_number = error == std::errc() && rest == word.data() + word.size();
    if (!is_number || !(0 <= hours && hours <= 1e9)) {
        lines.fail(fmt::format("'{}' is not a time, expected hours since the begin of the job, such as 12.5",
                               common::escaped(word)));
    }
    lines.skip(word);
    return hours;
}

Unit parse_unit(NumberLines& lines, Machine const& machine) {
    auto const word = lines.word("kind of what fails");
    auto const unit = unit_of(word);
    if (!unit)
        lines.fail(fmt::format("'{}' does not fail, expected rank, node, rack or switch", common::escaped(word)));
    if (machine.size(*unit) == 0) {
        lines.fail(fmt::format("a {} fails, but there are none: give their size by --rack-nodes and --switch-racks",
                               name_of(*unit)));
    }
    lines.skip(word);
    return *unit;
}

}  // namespace

double FailureRates::seconds_between(Machine const& machine) const {
    double per_hour = 0;
    for (auto const unit : all_units) {
        if (mtbf(unit) > 0) per_hour += machine.count(unit) / mtbf(unit);
    }
    return per_hour > 0 ? seconds_per_hour / per_hour : std::numeric_limits<double>::infinity();
}

std::vector<Failure> draw_failures(Machine const& machine, FailureRates const& rates, double seconds,
                                   std::uint64_t seed) {
    std::vector<Failure> failures;
    for (auto const unit : all_units) {
        if (rates.mtbf(unit) == 0) continue;
        auto const scale = rates.mtbf(unit) * seconds_per_hour / std::tgamma(1 + 1 / rates.shape);
        auto const key = mix(seed + static_cast<std::uint64_t>(unit));
        for (std::uint32_t number = 0; number < machine.count(unit); ++number) {
            auto const uniform = 1 - Random(mix(key + number)).unit();  // in (0, 1]
            auto const time = scale * std::pow(-std::log(uniform), 1 / rates.shape);
            if (time < seconds) failures.push_back({time, unit, number});
        }
    }
    sort_by_time(failures);
    return failures;
}

std::vector<Failure> draw_burst(Machine const& machine, std::uint32_t count, double seconds, std::uint64_t seed) {
    auto const nodes = machine.count(Unit::node);
    REGRAFT_EXPECTS(count <= nodes);
    std::vector<std::uint32_t> numbers(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) numbers[node] = node;
    Random random(mix(seed));
    shuffle(std::span(numbers), random);
    std::vector<Failure> failures;
    for (std::uint32_t i = 0; i < count; ++i) failures.push_back({seconds, Unit::node, numbers[i]});
    sort_by_time(failures);
    return failures;
}

std::vector<Failure> parse_trace(std::string_view text, std::string const& name, Machine const& machine) {
    NumberLines lines(text, name);
    std::vector<Failure> failures;
    while (lines.next()) {
        if (lines.done()) continue;
        auto const hours = parse_hours(lines);
        auto const unit = parse_unit(lines, machine);
        auto const count = machine.count(unit);
        auto const number =
            lines.number({std::string(name_of(unit)), count, fmt::format("as there are {} of them", count)});
        lines.expect_done("a new line after TIME KIND NUMBER");
        failures.push_back({hours * seconds_per_hour, unit, static_cast<std::uint32_t>(number)});
    }
    sort_by_time(failures);
    return failures;
}

}  // namespace regraft::plan::simulated
