#include "regraft/disk/archive.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "disk/file.hpp"
#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/disk/new_file.hpp"

namespace regraft::disk {
namespace {

namespace fs = std::filesystem;

constexpr char const* index_name = "index";
constexpr std::string_view data_suffix = ".data";
constexpr std::uint64_t most_number = std::uint64_t{1} << 63;

/// The number that a name represents, in its shortest form and with many numbers above it.
std::optional<std::uint64_t> number_in(std::string_view name) {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    bool const is_all = error == std::errc() && end == name.data() + name.size();
    return is_all && number < most_number && name == std::to_string(number) ? std::optional(number) : std::nullopt;
}

fs::path folder_of(fs::path const& archive, std::uint64_t generation) {
    return archive / std::to_string(generation);
}

bool has_index(fs::path const& archive, std::uint64_t generation) {
    std::error_code ignored;
    return fs::exists(index_path(archive, generation), ignored);
}

/// All folders of generations, complete or not, the newest first.
std::vector<std::uint64_t> folders(fs::path const& archive, std::error_code& error) {
    std::vector<std::uint64_t> found;
    for (fs::directory_iterator entry(archive, error), end; !error && entry != end; entry.increment(error)) {
        if (auto const number = number_in(entry->path().filename().string())) found.push_back(*number);
    }
    std::sort(found.begin(), found.end(), std::greater());
    return found;
}

[[noreturn]] void fail(fs::path const& path, char const* what, std::error_code const& error) {
    throw InputError({path.string()}, std::string(what) + ": " + error.message());
}

/// Writes a piece and returns its seal.
std::uint64_t write_piece(File& file, std::uint64_t offset, Piece const& piece, BlockSizes const& sizes,
                          std::span<std::byte const> bytes) {
    REGRAFT_EXPECTS(bytes.size() == sizes.bytes(piece.blocks));
    constexpr std::size_t enough = 1 << 20;  // this much is written at once, soon after it was read for the checksums
    FormatWriter sums;
    std::size_t done = 0, written = 0;
    visit_parts(piece.blocks, sizes, [&](BlockRange part) {
        auto const part_bytes = bytes.subspan(done, sizes.bytes(part));
        sums.fixed(hash(part_bytes), sizeof(std::uint64_t));
        done += part_bytes.size();
        if (done - written < enough && done < bytes.size()) return;
        file.write(offset + written, bytes.subspan(written, done - written));
        written = done;
    });
    REGRAFT_EXPECTS(sums.bytes().size() == sizeof(std::uint64_t) * piece.parts);
    file.write(offset + bytes.size(), sums.bytes());
    return hash(sums.bytes());
}

/// Makes the folder and those that contain it; returns when their names are on the disk.
void make_folders(fs::path const& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return;
    auto const parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (parent != path) make_folders(parent);
    fs::create_directory(path, error);
    if (error) fail(path, "cannot be made", error);
    sync_folder(parent);
}

void remove_files(fs::path const& folder) {
    std::error_code error;
    fs::remove(folder / index_name, error);
    if (error) return;  // without its data files the generation would look damaged
    remove_unfinished(folder / index_name);
    std::vector<fs::path> data;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        auto const name = entry->path().filename().string();
        bool const is_data = name.ends_with(data_suffix) &&
                             number_in(std::string_view(name).substr(0, name.size() - data_suffix.size()));
        if (is_data) data.push_back(entry->path());
    }
    for (auto const& file : data) fs::remove(file, error);
    fs::remove(folder, error);  // unless another program has put something there
}

}  // namespace

fs::path index_path(fs::path const& archive, std::uint64_t generation) {
    return folder_of(archive, generation) / index_name;
}

fs::path data_path(fs::path const& archive, std::uint64_t generation, std::size_t file) {
    return folder_of(archive, generation) / (std::to_string(file) + std::string(data_suffix));
}

std::vector<std::uint64_t> generations(fs::path const& archive) {
    std::error_code error;
    auto found = folders(archive, error);
    if (error) fail(archive, "cannot be read", error);
    std::erase_if(found, [&](auto generation) { return !has_index(archive, generation); });
    return found;
}

std::uint64_t begin_generation(fs::path const& archive) {
    make_folders(archive);
    std::error_code error;
    auto const there = folders(archive, error);
    if (error) fail(archive, "cannot be read", error);
    auto const generation = there.empty() ? 1 : there.front() + 1;
    auto const folder = folder_of(archive, generation);
    bool const is_new = fs::create_directory(folder, error);
    if (error) fail(folder, "cannot be made", error);
    if (!is_new) throw InputError({folder.string()}, "is there already: does another job write here?");
    return generation;
}

std::vector<std::uint64_t> write_pieces(fs::path const& archive, Index const& index, PiecesToWrite const& pieces) {
    File file(data_path(archive, index.generation, pieces.file), File::For::writing);
    file.write(0, file_head(index.generation, pieces.file));  // all writers write the same bytes here
    auto const row = index.files[pieces.file];
    auto offset = head_bytes;
    for (auto const& piece : row.first(pieces.first)) offset += bytes_on_disk(piece, index.sizes);
    std::vector<std::uint64_t> seals;
    for (std::size_t i = 0; i < pieces.bytes.size(); ++i) {
        auto const& piece = row[pieces.first + i];
        seals.push_back(write_piece(file, offset, piece, index.sizes, pieces.bytes[i]));
        offset += bytes_on_disk(piece, index.sizes);
    }
    file.finish();
    return seals;
}

void commit(fs::path const& archive, Index const& index) {
    auto const folder = folder_of(archive, index.generation);
    NewFile file(folder / index_name);
    file.write(encode(index));
    try {
        // If the name of the index survives a loss of power and that of a data file does not, the generation is
        // refused.
        file.appear();
        sync_folder(archive);
    } catch (InputError const&) {
        std::error_code error;
        fs::remove(folder / index_name, error);
        throw;
    }
}

void remove_generation(fs::path const& archive, std::uint64_t generation) noexcept {
    try {
        remove_files(folder_of(archive, generation));
    } catch (std::bad_alloc const&) {  // the rest is removed another time
    }
}

void remove_older(fs::path const& archive, std::uint64_t than, std::uint64_t kept) noexcept {
    try {
        std::error_code error;
        std::uint64_t complete = 1;
        for (auto const generation : folders(archive, error)) {
            if (generation >= than) continue;
            if (has_index(archive, generation) && ++complete <= kept) continue;
            remove_files(folder_of(archive, generation));
        }
    } catch (std::bad_alloc const&) {  // the rest is removed another time
    }
}

}  // namespace regraft::disk
