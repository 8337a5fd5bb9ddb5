#include "common/program.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "common/output.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::common {

int guarded(std::string_view program, std::function<int()> const& body) {
    auto const fail = [&](ExitCode code, std::string_view message) {
        fmt::print(stderr, "{}: {}\n", program, message);
        return code;
    };
    try {
        return body();
    } catch (InputError const& error) {
        return fail(bad_input, error.what());
    } catch (OutputError const& error) {
        return fail(failed, error.what());
    } catch (std::bad_alloc const&) {
        return fail(failed, "there is not enough memory for this");
    } catch (std::exception const& error) {
        return fail(failed, std::string("internal error: ") + error.what());
    }
}

void print(std::string_view text) {
    Output out("-");
    out.write(text);
    out.commit();
}

int end_with(std::string_view message, int exit_code) {
    if (exit_code == done) {
        print(message);
    } else {
        fmt::print(stderr, "{}", message);
    }
    return exit_code;
}

}  // namespace regraft::common
