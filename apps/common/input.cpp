#include "common/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "regraft/core/errors.hpp"

namespace regraft::common {
namespace {

/// The size of a file; 0 for anything else.
std::size_t size_hint(std::FILE* file) {
    struct stat status {};
    bool const is_file = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    return is_file ? static_cast<std::size_t>(status.st_size) : 0;
}

}  // namespace

std::string read_text(std::string const& path) {
    auto const fail = [&](int code) {
        throw InputError({shown_input(path)}, "cannot be read: " + std::generic_category().message(code));
    };
    auto const close = [](std::FILE* file) { return file == stdin ? 0 : std::fclose(file); };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"),
                                                               close);
    if (!file) fail(errno);

    std::string text;
    std::size_t used = 0;
    auto size = std::max(size_hint(file.get()) + 1, std::size_t{1} << 16);  // one more byte, to notice the end
    do {
        text.resize(size);
        size = 2 * text.size();
        used += std::fread(text.data() + used, 1, text.size() - used, file.get());
        if (std::ferror(file.get()) != 0) fail(errno);
    } while (used == text.size());
    text.resize(used);
    return text;
}

std::string shown_input(std::string const& path) {
    return path == "-" ? "standard input" : path;
}

std::string escaped(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string out;
    for (auto const c : text.substr(0, most)) {
        if (' ' <= c && c <= '~') {
            out += c;
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return text.size() > most ? out + "..." : out;
}

}  // namespace regraft::common
