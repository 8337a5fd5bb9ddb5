#include "regraft/core/contracts.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace regraft::detail {
namespace {

thread_local std::string sides;  // of the comparison that was observed last

}  // namespace

void end_process(std::string const& why) {
    static_cast<void>(std::fprintf(stderr, "regraft: %s\n", why.c_str()));
    std::abort();
}

void contract_broken(char const* kind, char const* call, char const* expression, bool /*observed*/) {
    auto const values = sides.empty() ? sides : ", with " + sides;
    end_process(std::string(call) + ": " + kind + " broken: " + expression + values);
}

void note_sides(std::string const& left, char const* comparison, std::string const& right) {
    sides.clear();
    if (!left.empty() && !right.empty()) sides = left + " " + comparison + " " + right;
}

std::string in_words(bool x) {
    return x ? "true" : "false";
}

std::string in_words(std::int64_t x) {
    return std::to_string(x);
}

std::string in_words(std::uint64_t x) {
    return std::to_string(x);
}

std::string in_words(double x) {
    constexpr int most_chars = 32;
    std::array<char, most_chars> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), "%.6g", x));
    return text.data();
}

std::string in_words(std::string_view x) {
    return '"' + std::string(x) + '"';
}

}  // namespace regraft::detail
