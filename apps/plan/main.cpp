// regraft-plan: the plan of a recovery, without a job to recover.
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "regraft/core/errors.hpp"

namespace {

using namespace regraft::plan;

int fail(int code, std::string const& message) {
    fmt::print(stderr, "regraft-plan: {}\n", message);
    return code;
}

int guarded(int argc, char const* const* argv) {
    auto const parsed = parse_command_line(argc, argv);
    if (!parsed.options) {
        if (parsed.exit_code == 0) {
            print(parsed.message);
        } else {
            fmt::print(stderr, "{}", parsed.message);
        }
        return parsed.exit_code;
    }
    std::visit([](auto const& options) { run(options); }, *parsed.options);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return guarded(argc, argv);
    } catch (regraft::InputError const& error) {
        return fail(2, error.what());
    } catch (OutputError const& error) {
        return fail(1, error.what());
    } catch (std::bad_alloc const&) {
        return fail(1, "there is not enough memory for this plan");
    } catch (std::exception const& error) {
        return fail(1, std::string("internal error: ") + error.what());
    }
}
