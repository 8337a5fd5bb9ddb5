#include "c/status.hpp"

#include <algorithm>
#include <new>

#include "regraft/core/errors.hpp"

namespace regraft::c {
namespace {

thread_local std::string last_message;         // the message, if there was memory for it
thread_local char const* last_text = nullptr;  // otherwise a message that needs no memory

#define REGRAFT_TEXT_OF(x) #x
#define REGRAFT_TEXT(x) REGRAFT_TEXT_OF(x)
constexpr char const* version =
    REGRAFT_TEXT(REGRAFT_VERSION_MAJOR) "." REGRAFT_TEXT(REGRAFT_VERSION_MINOR) "." REGRAFT_TEXT(REGRAFT_VERSION_PATCH);

}  // namespace

regraft_status fail(regraft_status status, char const* message) noexcept {
    try {
        last_message = message;
        std::replace(last_message.begin(), last_message.end(), '\n', ' ');
        last_text = nullptr;
    } catch (...) {
        last_text = "no memory, not even for the message";
    }
    return status;
}

regraft_status status_of_exception() noexcept {
    try {
        throw;
    } catch (ArgumentError const& error) {
        return fail(REGRAFT_ERROR_ARGUMENT, error.what());
    } catch (InputError const& error) {
        return fail(REGRAFT_ERROR_INPUT, error.what());
    } catch (std::bad_alloc const&) {
        return fail(REGRAFT_NO_MEMORY, "no memory");
    } catch (std::length_error const&) {  // a container would have been larger than any memory
        return fail(REGRAFT_NO_MEMORY, "no memory");
    } catch (std::exception const& error) {
        return fail(REGRAFT_ERROR_INTERNAL, error.what());
    } catch (...) {
        return fail(REGRAFT_ERROR_INTERNAL, "an exception of unknown type");
    }
}

std::span<std::uint64_t const> offsets_of(std::uint64_t const* offsets, std::uint64_t count, char const* what) {
    expect(offsets != nullptr && count < PTRDIFF_MAX / sizeof *offsets, what);
    std::span<std::uint64_t const> const all(offsets, static_cast<std::size_t>(count) + 1);
    expect(all.front() == 0 && std::is_sorted(all.begin(), all.end()), what);
    return all;
}

}  // namespace regraft::c

using namespace regraft;

char const* regraft_version(void) {
    return c::version;
}

char const* regraft_error_message(void) {
    return c::last_text != nullptr ? c::last_text : c::last_message.c_str();
}
