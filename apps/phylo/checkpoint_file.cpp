#include "checkpoint_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

// The file: magic, layout, job, number of bytes, the bytes, hash of all that. Integers as the machine has them: results
// are the same bits on the machines that have them like that.
constexpr std::array<char, 8> magic{'r', 'g', 'p', 'h', 'y', 'c', 'k', 'p'};
constexpr std::uint32_t layout = 1;  // of the contents too: another one with every change of what a state consists of
constexpr std::size_t head_bytes = sizeof magic + sizeof layout + 2 * sizeof(std::uint64_t);

// How names of files end.
constexpr std::string_view suffix = ".ckp";
constexpr char const* previous = ".prev";
constexpr char const* unfinished = ".tmp";

std::string last_error() {
    return std::generic_category().message(errno);
}

void write_durably(fs::path const& path, std::span<std::byte const> bytes) {
    errno = 0;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
    bool const written = file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                         std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0;
    if (!written) throw InputError({path.string()}, "cannot be written: " + last_error());
}

/// Nothing if the file is not there. Throws InputError if it is damaged, or another job's.
std::optional<std::vector<std::byte>> read_file(fs::path const& path, std::uint64_t job) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    auto const bytes = std::as_bytes(std::span(text));
    auto const damaged = [&](char const* how) {
        return InputError({path.string()}, std::string("is damaged: ") + how);
    };
    if (bytes.size() < head_bytes + sizeof(std::uint64_t)) throw damaged("it is too short for a checkpoint");
    auto const checked = bytes.first(bytes.size() - sizeof(std::uint64_t));
    if (ByteReader(bytes.subspan(checked.size())).get<std::uint64_t>() != hash(checked)) {
        throw damaged("its checksum is wrong");
    }
    ByteReader in(checked);
    if (in.get<std::array<char, 8>>() != magic) throw damaged("it is no checkpoint of this program");
    if (in.get<std::uint32_t>() != layout) {
        throw InputError({path.string()}, "was written by another version of the program; --redo starts anew");
    }
    if (in.get<std::uint64_t>() != job) {
        throw InputError({path.string()},
                         "is the checkpoint of another job, expected the same command, alignment and options; --redo "
                         "starts anew, --prefix chooses another name");
    }
    return in.get_all<std::byte>();
}

/// The checkpoints, by name, of which there is a file whose name goes on with one of these endings.
std::vector<fs::path> find_files(std::string const& prefix, std::initializer_list<std::string_view> endings) {
    auto const first = fs::path(prefix).filename().string() + ".";
    auto const folder = fs::path(prefix).parent_path();
    std::vector<fs::path> found;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error)) {
        auto name = entry.path().filename().string();
        auto const last = name.rfind(suffix);
        if (!name.starts_with(first) || last == std::string::npos || last + 1 < first.size()) continue;
        if (std::ranges::find(endings, name.substr(last + suffix.size())) == endings.end()) continue;
        auto const number = name.substr(first.size() - 1, last + 1 - first.size());
        bool const is_ours =
            number.empty() || (number.size() > 1 && number.find_first_not_of("0123456789", 1) == std::string::npos);
        if (is_ours) found.push_back(folder / name.substr(0, last + suffix.size()));
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

fs::path checkpoint_path(std::string const& prefix, std::optional<std::uint32_t> pe) {
    return prefix + (pe ? "." + std::to_string(*pe) : "") + ".ckp";
}

std::vector<fs::path> find_checkpoints(std::string const& prefix) {
    return find_files(prefix, {"", previous});
}

fs::path previous_checkpoint(fs::path const& path) {
    return path.string() + previous;
}

void write_checkpoint(fs::path const& path, std::uint64_t job, std::span<std::byte const> contents) {
    ByteWriter out;
    out.put(magic);
    out.put(layout);
    out.put(job);
    out.put_all(contents);
    out.put(hash(out.bytes()));
    fs::path const temporary = path.string() + unfinished;
    std::error_code error;
    try {
        write_durably(temporary, out.bytes());
    } catch (InputError const&) {
        fs::remove(temporary, error);  // a full disk has no room for a piece of a checkpoint
        throw;
    }
    if (fs::exists(path, error)) fs::rename(path, previous_checkpoint(path), error);
    if (!error) fs::rename(temporary, path, error);
    if (error) throw InputError({path.string()}, "cannot be written: " + error.message());
}

std::optional<CheckpointContents> read_checkpoint(fs::path const& path, std::uint64_t job) {
    std::string problem;
    try {
        if (auto bytes = read_file(path, job)) return CheckpointContents{std::move(*bytes), path, ""};
    } catch (InputError const& error) {
        problem = error.what();
    }
    auto const previous = previous_checkpoint(path);
    try {
        if (auto bytes = read_file(previous, job)) return CheckpointContents{std::move(*bytes), previous, problem};
    } catch (InputError const& error) {
        if (problem.empty()) problem = error.what();
    }
    if (!problem.empty()) throw InputError(problem);
    return std::nullopt;
}

void remove_checkpoints(std::string const& prefix) {
    std::error_code ignored;
    for (auto const& path : find_files(prefix, {"", previous, unfinished})) {
        for (auto const& file : {path, previous_checkpoint(path), fs::path(path.string() + unfinished)}) {
            fs::remove(file, ignored);
        }
    }
}

}  // namespace regraft::phylo
