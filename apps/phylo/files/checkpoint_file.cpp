#include "files/checkpoint_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/input.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

// The file has a magic number, layout, job, number of bytes, the bytes, and a hash of all that. Integers are in native
// form: results are the same bits on the machines that share this form.
constexpr std::array<char, 8> magic{'r', 'g', 'p', 'h', 'y', 'c', 'k', 'p'};
constexpr std::uint32_t layout = 4;  // covers the contents too: it changes whenever the contents of a state change
constexpr std::size_t head_bytes = sizeof magic + sizeof layout + 2 * sizeof(std::uint64_t);

// Endings of file names.
constexpr std::string_view suffix = ".ckp";
constexpr char const* previous = ".prev";

/// The contents; none if the file does not exist. Throws InputError if it is damaged, or belongs to another job.
std::optional<std::vector<std::byte>> read_file(fs::path const& path, std::uint64_t job) {
    if (std::error_code error; !fs::exists(path, error) && !error) return std::nullopt;
    auto const text = common::read_text(path);
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

/// Whether the file is a checkpoint from which this job can continue.
bool is_good(fs::path const& path, std::uint64_t job) {
    try {
        return read_file(path, job).has_value();
    } catch (InputError const&) {
        return false;
    }
}

bool is_complete(std::string_view ending) {
    return ending.empty() || ending == previous;
}

bool is_any(std::string_view ending) {
    return is_complete(ending) || ending.ends_with(".tmp");
}

/// The paths of the checkpoints, by name, for which there is a file with a wanted ending.
std::vector<fs::path> find_files(std::string const& prefix, bool (*is_wanted)(std::string_view ending)) {
    auto const first = fs::path(prefix).filename().string() + ".";
    auto const folder = fs::path(prefix).parent_path();
    std::vector<fs::path> found;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error)) {
        auto name = entry.path().filename().string();
        auto const last = name.rfind(suffix);
        if (!name.starts_with(first) || last == std::string::npos || last + 1 < first.size()) continue;
        if (!is_wanted(std::string_view(name).substr(last + suffix.size()))) continue;
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
    return find_files(prefix, &is_complete);
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
    disk::NewFile file(path);
    file.write(out.bytes());
    file.sync();
    // A damaged file must not replace the one before it, which may be the only one left to continue from.
    if (is_good(path, job) && std::rename(path.c_str(), previous_checkpoint(path).c_str()) != 0)
        throw OutputError(previous_checkpoint(path).string(), errno);
    file.appear();
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
    for (auto const& path : find_files(prefix, &is_any)) {
        disk::remove_unfinished(path);
        for (auto const& file : {path, previous_checkpoint(path)}) fs::remove(file, ignored);
    }
}

}  // namespace regraft::phylo
