#include "regraft/ft/failure_plan.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "regraft/core/errors.hpp"

namespace regraft::ft {
namespace {

// Function-local, so that points of other translation units can register before main in any order.
std::vector<FailPoint*>& registry() {
    static std::vector<FailPoint*> points;
    return points;
}

FailurePlan& current_plan() {
    static FailurePlan plan;
    return plan;
}

template <class Number>
Number parse_number(std::string_view digits, std::string_view item) {
    Number number{};
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) {
        throw InputError("failure plan: '" + std::string(item) +
                         "': expected point:rank:occurrence, such as load:inside:3:0");
    }
    return number;
}

// Alphabetically, with commas between them.
std::string names_of_points() {
    std::vector<std::string> names;
    for (FailPoint const* point : registry()) names.push_back(point->name());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string list;
    for (auto const& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

PlannedDeath parse_death(std::string_view item) {
    auto const last = item.rfind(':');
    auto const middle =
        last == std::string_view::npos || last == 0 ? std::string_view::npos : item.rfind(':', last - 1);
    if (middle == std::string_view::npos) parse_number<int>("", item);
    std::string const point(item.substr(0, middle));
    auto const& known = registry();
    if (std::none_of(known.begin(), known.end(), [&](FailPoint const* p) { return p->name() == point; })) {
        throw InputError("failure plan: '" + std::string(item) + "': there is no point named '" + point +
                         "', expected " + names_of_points());
    }
    return {point, PeId{parse_number<std::uint32_t>(item.substr(middle + 1, last - middle - 1), item)},
            parse_number<std::uint64_t>(item.substr(last + 1), item)};
}

}  // namespace

std::atomic<bool> FailPoint::watched{false};

FailPoint::FailPoint(std::string name, Moment moment) : name_(std::move(name)), moment_(moment) {
    registry().push_back(this);
}

FailPoint::~FailPoint() {
    std::erase(registry(), this);
}

std::vector<PeId> FailPoint::count() {
    std::vector<PeId> victims;
    for (auto const& death : current_plan()) {
        if (death.occurrence == occurrences_ && death.point == name_) victims.push_back(death.victim);
    }
    ++occurrences_;
    return victims;
}

FailurePlan parse_failure_plan(std::string_view text) {
    FailurePlan plan;
    while (!text.empty()) {
        auto const comma = std::min(text.find(','), text.size());
        plan.push_back(parse_death(text.substr(0, comma)));
        if (comma + 1 == text.size()) parse_death("");  // the last comma of "a:0:0," announces another death
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return plan;
}

std::string to_string(FailurePlan const& plan) {
    std::string text;
    for (auto const& death : plan) {
        if (!text.empty()) text += ',';
        text += death.point + ':' + std::to_string(value(death.victim)) + ':' + std::to_string(death.occurrence);
    }
    return text;
}

void set_failure_plan(FailurePlan plan) {
    current_plan() = std::move(plan);
    for (auto* point : registry()) point->occurrences_ = 0;
    FailPoint::watched.store(true, std::memory_order_relaxed);
}

std::vector<FailPoint const*> fail_points() {
    std::vector<FailPoint const*> points(registry().begin(), registry().end());
    std::sort(points.begin(), points.end(), [](auto const* a, auto const* b) { return a->name() < b->name(); });
    return points;
}

}  // namespace regraft::ft
