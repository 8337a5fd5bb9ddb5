#include "input/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

namespace fs = std::filesystem;

struct stat look_at(std::string const& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0) return status;
    throw InputError({path}, "cannot be read: " + std::generic_category().message(errno));
}

/// Whether it is the same file with the same contents, as far as its times tell.
bool is_unchanged(struct stat const& before, struct stat const& now) {
    return before.st_dev == now.st_dev && before.st_ino == now.st_ino && before.st_size == now.st_size &&
           before.st_mtim.tv_sec == now.st_mtim.tv_sec && before.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

/// Whether not even its permissions or its name were changed. A program can reset the time of a change, but not this
/// one.
bool is_untouched(struct stat const& before, struct stat const& now) {
    return is_unchanged(before, now) && before.st_ctim.tv_sec == now.st_ctim.tv_sec &&
           before.st_ctim.tv_nsec == now.st_ctim.tv_nsec;
}

void check_removable(std::string const& path, struct stat const& status) {
    if (S_ISREG(status.st_mode)) return;
    auto const* const what = S_ISLNK(status.st_mode)   ? "is a symbolic link"
                             : S_ISDIR(status.st_mode) ? "is a directory"
                                                       : "is not an ordinary file";
    throw InputError({path}, fmt::format("{}, which is not replaced by its result; -c writes to standard output, -o to "
                                         "a file, and both keep the input",
                                         what));
}

void check_free(std::string const& path, Places const& places) {
    struct stat status {};
    if (path == "-" || places.force || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    throw InputError({path}, places.output.empty() ? "exists already; -f overwrites it, -o OUT writes to another file"
                                                   : "exists already; -f overwrites it");
}

}  // namespace

Replacement::Replacement(std::string input, std::string output, Places const& places, Result result)
    : input_(std::move(input)), output_(std::move(output)) {
    if (output_ == "-" && result == Result::binary && isatty(STDOUT_FILENO) != 0) {
        throw InputError("compressed data is not written to a terminal; -o OUT writes to a file, and so does > OUT");
    }
    if (places.output.empty() && !places.keep) {
        removed_ = look_at(input_);
        check_removable(input_, *removed_);
    }
    bool const in_place = places.output.empty() && output_ == input_;
    if (!in_place) {
        refuse_input(output_, places.inputs);
        refuse_input(output_, places.others);
        check_free(output_, places);
    }
    if (result == Result::text && !places.output.empty() && output_.ends_with(suffix)) {
        throw InputError({output_},
                         "a text would get the name of a .rgm file; expected another name, and compress makes "
                         "a .rgm file of it");
    }
    check_writable(output_);
}

void Replacement::finish(std::string_view bytes) {
    finish([&](msa::TextSink const& sink) { sink(bytes); });
}

void Replacement::finish(std::function<void(msa::TextSink const&)> const& write) {
    Output out = removed_ ? Output(output_, *removed_) : Output(output_);
    write([&](std::string_view piece) { out.write(piece); });
    out.sync();
    if (removed_ && !is_untouched(*removed_, look_at(input_)))
        throw InputError({input_},
                         "was changed by another program in the meantime; it is kept, and nothing is written");
    out.commit();
    if (removed_ && output_ != input_) remove_input();
}

/// Removes the input. Another program may still change it, or rename another file onto it. So it is first renamed to a
/// name that no other program knows, then checked, and only then removed.
void Replacement::remove_input() const {
    auto const fail = [&](std::string const& what) {
        throw InputError({input_}, what + "; the result is in " + output_);
    };
    SignalsWait const wait;
    auto const [aside, descriptor] = disk::make_temporary(input_, 0600);
    close(descriptor);
    if (rename(input_.c_str(), aside.c_str()) != 0) {
        auto const why = std::generic_category().message(errno);
        unlink(aside.c_str());
        fail("cannot be removed: " + why);
    }
    if (is_unchanged(*removed_, look_at(aside))) {
        unlink(aside.c_str());
        return;
    }
    // A link does not replace a file that may be there by now.
    bool const is_back = link(aside.c_str(), input_.c_str()) == 0;
    if (is_back) unlink(aside.c_str());
    fail("was changed by another program in the meantime; it is kept" + (is_back ? "" : " as " + aside.string()) +
         " as it is now");
}

std::uint64_t file_size(std::string const& path) {
    std::error_code error;
    auto const size = fs::file_size(path, error);
    return error ? 0 : size;
}

std::string compressed_name(std::string const& input, Places const& places) {
    if (!places.output.empty()) return places.output;
    if (input.ends_with(suffix)) {
        throw InputError({input}, fmt::format("has the suffix {} already; nothing is compressed twice", suffix));
    }
    auto const is_end = [&](auto const& packing) { return input.ends_with(packing.suffix); };
    auto const found = std::ranges::find_if(packings(), is_end);
    auto const packed_suffix = found == packings().end() ? std::string_view() : found->suffix;
    auto stem = input.substr(0, input.size() - packed_suffix.size());
    // What comes back is no VCF, so it must not have its name.
    if (constexpr std::string_view vcf = ".vcf"; stem.ends_with(vcf))
        stem.replace(stem.size() - vcf.size(), vcf.size(), ".fa");
    return stem + std::string(suffix);
}

std::string decompressed_name(std::string const& input, Places const& places) {
    if (!places.output.empty()) return places.output;
    auto const stem = fs::path(input).filename().string();
    if (!input.ends_with(suffix) || stem == suffix) {
        throw InputError({input},
                         fmt::format("does not have the suffix {}; -o OUT or -c says where the result goes", suffix));
    }
    return input.substr(0, input.size() - suffix.size());
}

codec::RgmFile open_rgm(std::unique_ptr<codec::ByteSource> source, GeneralOptions const& general) {
    auto const limits = general.any_size ? codec::RgmLimits{} : codec::RgmLimits{most_text(source->size())};
    return codec::RgmFile(std::move(source), limits);
}

SizeLimit size_limit(GeneralOptions const& general) {
    return general.any_size ? SizeLimit::none : SizeLimit::most_text;
}

codec::RgmFile open_rgm(std::string const& input, GeneralOptions const& general) {
    if (input != "-") return open_rgm(codec::open_bytes(input), general);
    if (isatty(STDIN_FILENO) != 0) throw InputError("compressed data is not read from a terminal; expected a FILE");
    auto const text = read_text(input);
    auto const bytes = std::as_bytes(std::span(text));
    return open_rgm(codec::bytes_in_memory({bytes.begin(), bytes.end()}, shown_input(input)), general);
}

bool is_rgm(std::string_view text) {
    constexpr std::size_t head = 4;
    return text.size() >= head && codec::is_rgm(std::as_bytes(std::span(text)));
}

}  // namespace regraft::msa_cli
