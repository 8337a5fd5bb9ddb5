#include "output.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace regraft::plan {
namespace {

namespace fs = std::filesystem;

int close_file(std::FILE* file) {
    return file == stdout ? 0 : std::fclose(file);
}

std::string shown(std::string const& path) {
    return path == "-" ? "standard output" : path;
}

/// Renaming onto a symbolic link would replace the link, not what it leads to.
fs::path behind_links(fs::path const& path) {
    std::error_code error;
    auto resolved = fs::canonical(path, error);
    return error ? path : resolved;
}

}  // namespace

OutputError::OutputError(std::string const& path, int code)
    : std::runtime_error(shown(path) + ": cannot be written: " + std::generic_category().message(code)) {}

Output::Output(std::string path) : path_(std::move(path)), file_(nullptr, &close_file) {
    if (path_ == "-") {
        file_.reset(stdout);
        return;
    }
    target_ = behind_links(path_);
    std::error_code unknown;  // what is not there yet will be a file
    auto const status = fs::status(target_, unknown);
    if (fs::is_directory(status)) throw OutputError(path_, EISDIR);
    bool const direct = fs::exists(status) && !fs::is_regular_file(status);
    if (!direct) temporary_ = fs::path(target_) += fmt::format(".{}.tmp", getpid());
    file_.reset(std::fopen(direct ? target_.c_str() : temporary_.c_str(), "wb"));
    check(file_ != nullptr);
}

Output::~Output() {
    file_.reset();
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void Output::write(std::string_view text) {
    check(std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size());
}

void Output::commit() {
    check(std::fflush(file_.get()) == 0);
    check(close_file(file_.release()) == 0);
    if (temporary_.empty()) return;
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) throw OutputError(path_, error.value());
    temporary_.clear();
}

void Output::check(bool good) const {
    if (!good) throw OutputError(path_, errno);
}

void check_writable(std::string const& path) {
    std::error_code unknown;
    auto const status = fs::status(path, unknown);
    if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) return;
    Output const trial(path);
}

}  // namespace regraft::plan
