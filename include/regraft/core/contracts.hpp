// Contracts: conditions the caller must meet. Breaking one is a bug, so the program stops and names the call, the
// condition and the values that break it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::detail {

/// Says why on standard error, and aborts.
[[noreturn]] void end_process(std::string const& why);
[[noreturn, gnu::cold]] void contract_broken(char const* kind, char const* call, char const* expression, bool observed);

/// Remembers the two sides of a comparison that is false, for the message of contract_broken.
void note_sides(std::string const& left, char const* comparison, std::string const& right);

std::string in_words(bool x);
std::string in_words(std::int64_t x);
std::string in_words(std::uint64_t x);
std::string in_words(double x);
std::string in_words(std::string_view x);

/// Empty if there is no short text for it.
template <class T>
std::string value_in_words(T const& x) {
    if constexpr (std::is_enum_v<T>) {
        return value_in_words(static_cast<std::underlying_type_t<T>>(x));
    } else if constexpr (std::is_same_v<T, bool>) {
        return in_words(x);
    } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
        return x == nullptr ? "null" : "an address";
    } else if constexpr (std::is_floating_point_v<T>) {
        return in_words(static_cast<double>(x));
    } else if constexpr (std::is_integral_v<T>) {
        return in_words(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(x));
    } else if constexpr (std::is_convertible_v<T const&, std::string_view>) {
        return in_words(std::string_view(x));
    } else {
        return {};
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-equal"
/// Left side of the first comparison of a condition. T: a scalar, or a reference to anything else. Scalars are passed
/// by value, because a variable whose address is taken would stay in memory. Nothing is inlined, because functions that
/// check a condition must stay small enough to be inlined themselves.
template <class T>
struct ObservedSide {
    T left;

    explicit operator bool() const { return static_cast<bool>(left); }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator==(R right) const { return note(left == right, "==", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator==(R const& right) const {
        return note(left == right, "==", right);
    }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator!=(R right) const { return note(left != right, "!=", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator!=(R const& right) const {
        return note(left != right, "!=", right);
    }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator<(R right) const { return note(left < right, "<", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator<(R const& right) const {
        return note(left < right, "<", right);
    }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator<=(R right) const { return note(left <= right, "<=", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator<=(R const& right) const {
        return note(left <= right, "<=", right);
    }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator>(R right) const { return note(left > right, ">", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator>(R const& right) const {
        return note(left > right, ">", right);
    }
    template <class R>
    requires std::is_scalar_v<R>
    [[gnu::cold, gnu::noinline]] bool operator>=(R right) const { return note(left >= right, ">=", right); }
    template <class R>
    requires(!std::is_scalar_v<std::decay_t<R>>) [[gnu::cold, gnu::noinline]] bool operator>=(R const& right) const {
        return note(left >= right, ">=", right);
    }

private:
    template <class R>
    bool note(bool holds, char const* comparison, R const& right) const {
        if (!holds) note_sides(value_in_words(left), comparison, value_in_words(right));
        return holds;
    }
};
#pragma GCC diagnostic pop

/// `Observer{} <=> a < b` is `a < b`, and notes both sides if that is false.
struct Observer {
    template <class T>
    requires std::is_scalar_v<T> ObservedSide<T>
    operator<=>(T left) const { return {left}; }
    template <class T>
    requires(!std::is_scalar_v<std::decay_t<T>>) ObservedSide<T const&>
    operator<=>(T const& left) const { return {left}; }
};

}  // namespace regraft::detail

/// Evaluates a condition that does not hold a second time, to observe it. For the macros below.
#define REGRAFT_CONTRACT_(kind, x)                                           \
    (static_cast<bool>(x)                                                    \
         ? void(0)                                                           \
         : ::regraft::detail::contract_broken(kind, __PRETTY_FUNCTION__, #x, \
                                              static_cast<bool>(::regraft::detail::Observer{} <=> x)))

/// Precondition: cheap, always checked. Aborts with the call, the condition and its values. No side effects in x.
#define REGRAFT_EXPECTS(x) REGRAFT_CONTRACT_("precondition", x)

/// Internal invariant that may cost O(n): checked in debug builds only. No side effects in x.
#ifdef NDEBUG
#define REGRAFT_ASSERT(x) void(0)
#else
#define REGRAFT_ASSERT(x) REGRAFT_CONTRACT_("assertion", x)
#endif
#pragma GCC visibility pop
