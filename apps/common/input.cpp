#include "common/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"

namespace regraft::common {
namespace {

[[noreturn]] void fail_to_read(std::string const& path, int code) {
    auto const compressed = path + ".rgm";
    bool const is_compressed = code == ENOENT && access(compressed.c_str(), F_OK) == 0;
    throw InputError({shown_input(path)},
                     "cannot be read: " + std::generic_category().message(code) +
                         (is_compressed ? "; there is " + compressed + ", which can be read in its place" : ""));
}

}  // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)), file_(path_ == "-" ? stdin : std::fopen(path_.c_str(), "rb"), [](std::FILE* file) {
          return file == stdin ? 0 : std::fclose(file);
      }) {
    if (!file_) fail_to_read(path_, errno);
}

std::optional<std::uint64_t> InputFile::size() const {
    struct stat status {};
    if (fstat(fileno(file_.get()), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

std::size_t InputFile::read(std::span<char> buffer) {
    auto const size = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    if (std::ferror(file_.get()) != 0) fail_to_read(path_, errno);
    return size;
}

std::string InputFile::rest() {
    std::string text;
    std::size_t used = 0;
    auto next =
        std::max<std::size_t>(size().value_or(0) + 1, std::size_t{1} << 16);  // one more byte, to notice the end
    do {
        text.resize(next);
        next = 2 * text.size();
        used += read(std::span(text).subspan(used));
    } while (used == text.size());
    text.resize(used);
    return text;
}

std::string read_text(std::string const& path) {
    return InputFile(path).rest();
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
