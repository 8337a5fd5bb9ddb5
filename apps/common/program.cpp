#include "common/program.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "common/input.hpp"
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
    } catch (OutputError const& error) {
        return fail(failed, error.what());
    } catch (InputError const& error) {
        return fail(bad_input, error.what());
    } catch (OutOfMemory const& error) {
        return fail(failed, error.what());
    } catch (std::bad_alloc const&) {
        return fail(failed, "there is not enough memory for this");
    } catch (std::exception const& error) {
        return fail(failed, std::string("internal error: ") + error.what());
    }
}

namespace {

std::string not_enough_for(std::vector<std::string> const& files) {
    std::string text;
    for (auto const& file : files) {
        if (file.empty()) continue;
        std::error_code unknown;
        auto const size = std::filesystem::file_size(file, unknown);
        text += (text.empty() ? "" : " and ") + shown_input(file);
        if (!unknown) text += fmt::format(" of {} bytes", size);
    }
    return "there is not enough memory for " + (text.empty() ? "this" : text);
}

}  // namespace

OutOfMemory::OutOfMemory(std::vector<std::string> const& files) : std::runtime_error(not_enough_for(files)) {}

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
