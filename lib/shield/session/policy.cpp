#include "shield/session/policy.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <type_traits>

#include "regraft/core/errors.hpp"

namespace regraft::shield {
namespace {

template <auto member>
void set(Policy& policy, int value) {
    using Type = std::remove_reference_t<decltype(policy.*member)>;
    policy.*member = static_cast<Type>(value);
}

/// The first of several values is the default.
template <auto member>
void set_if_first(Policy& policy, int value) {
    policy.*member = value == 0;
}

void set_holes(Policy& policy, int value) {
    policy.fills_holes = value != 1;
    policy.hole = std::byte{value == 2 ? std::uint8_t{0xff} : std::uint8_t{0}};
}

struct Declaration {
    char const* name;
    char const* values;                      // separated by bars; or N: a number
    void (*set)(Policy& policy, int value);  // value: the number, or the index of the value
};

// apps/launch/shield.py has the same names and values, and explains them.
constexpr Declaration declarations[] = {
    {"ROOT_DEAD_FROM", "abort|hole", set_if_first<&Policy::needs_root>},
    {"ROOT_DEAD_TO", "skip|abort", set_if_first<&Policy::skips_dead_root>},
    {"SEND_DEAD", "skip|error|abort", set<&Policy::sends>},
    {"RECV_DEAD", "hole|error|abort", set<&Policy::receives>},
    {"HOLES", "zero|keep|poison", set_holes},
    {"HOLES_IN_A_ROW", "N", set<&Policy::holes_in_a_row>},
    {"COMMIT", "forward|confirm", set<&Policy::always_confirms>},
    {"ANY_SOURCE", "wait|obituary|error", set<&Policy::any_source>},
    {"STARVATION", "N", set<&Policy::starvation>},
    {"UNSUPPORTED", "abort|error|pass", set<&Policy::unsupported>},
    {"ABORT", "job|self", set_if_first<&Policy::abort_ends_job>},
    {"MIN_SURVIVORS", "N", set<&Policy::min_survivors>},
    {"WATCHDOG", "N", set<&Policy::watchdog>},
};

/// The index of the value that a text is, or the number.
std::optional<int> read(std::string_view values, std::string_view text) {
    int number = 0;
    if (values == "N") {
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        bool const is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
        return is_number ? std::optional(number) : std::nullopt;
    }
    for (;; ++number) {
        auto const bar = values.find('|');
        if (values.substr(0, bar) == text) return number;
        if (bar == std::string_view::npos) return std::nullopt;
        values.remove_prefix(bar + 1);
    }
}

}  // namespace

Policy policy_of_environment() {
    Policy policy;
    for (auto const& declared : declarations) {
        auto const variable = std::string("REGRAFT_SHIELD_") + declared.name;
        char const* const text = std::getenv(variable.c_str());
        if (text == nullptr) continue;
        auto const value = read(declared.values, text);
        if (!value) throw InputError(variable + "=" + text + ": expected " + declared.values);
        declared.set(policy, *value);
    }
    if (char const* const file = std::getenv("REGRAFT_SHIELD_REPORT")) policy.report = file;
    return policy;
}

}  // namespace regraft::shield
