#include "regraft/disk/generation.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "disk/file.hpp"
#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/disk/archive.hpp"

namespace regraft::disk {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void damaged(fs::path const& file, std::string const& how) {
    throw InputError({file.string()}, "is damaged: " + how);
}

std::string text_of(BlockRange blocks) {
    return "blocks [" + std::to_string(value(blocks.first)) + ", " + std::to_string(value(blocks.last)) + ")";
}

}  // namespace

/// The data files; one of them is open at a time.
class Generation::Files {
public:
    explicit Files(fs::path archive) : archive_(std::move(archive)) {}

    /// Opens the file unless it is open, and checks whether it is the right one.
    File const& open(Index const& index, std::size_t number) {
        if (file_ && number_ == number) return *file_;
        file_.reset();
        auto const path = data_path(archive_, index.generation, number);
        file_.emplace(path, File::For::reading);
        number_ = number;
        try {
            check(index);
        } catch (...) {
            file_.reset();
            throw;
        }
        return *file_;
    }

private:
    void check(Index const& index) const {
        auto const size = file_->size();
        auto const expected = file_bytes(index, number_);
        if (size != expected) {
            damaged(file_->path(), "it has " + std::to_string(size) + " bytes, expected " + std::to_string(expected));
        }
        std::vector<std::byte> head(head_bytes);
        file_->read(0, head);
        if (head != file_head(index.generation, number_)) {
            throw InputError(
                {file_->path().string()},
                "is no data file of generation " + std::to_string(index.generation) + ", or its head is damaged");
        }
    }

    fs::path archive_;
    std::optional<File> file_;
    std::size_t number_ = 0;
};

Generation::Generation(fs::path archive, Index index)
    : index_(std::move(index)), files_(std::make_unique<Files>(std::move(archive))) {
    for (std::size_t file = 0; file < index_.files.size(); ++file) {
        auto offset = head_bytes;
        for (auto const& piece : std::as_const(index_.files)[file]) {
            pieces_.push_back({piece, file, offset});
            offset += bytes_on_disk(piece, index_.sizes);
        }
    }
    std::sort(pieces_.begin(), pieces_.end(),
              [](StoredPiece const& a, StoredPiece const& b) { return a.piece.blocks < b.piece.blocks; });
}

Generation::Generation(fs::path archive, std::uint64_t number)
    : Generation(archive, decode(read_index(archive, number), index_path(archive, number).string(), number)) {}

Generation::Generation(Generation&&) noexcept = default;
Generation& Generation::operator=(Generation&&) noexcept = default;
Generation::~Generation() = default;

void Generation::check_file(std::size_t file) {
    files_->open(index_, file);
}

void Generation::read(BlockRange blocks, std::span<std::byte> out) {
    REGRAFT_EXPECTS(value(blocks.last) <= index_.sizes.num_blocks());
    REGRAFT_EXPECTS(out.size() == index_.sizes.bytes(blocks));
    auto at = std::partition_point(pieces_.begin(), pieces_.end(),
                                   [&](StoredPiece const& stored) { return stored.piece.blocks.last <= blocks.first; });
    for (; at != pieces_.end() && at->piece.blocks.first < blocks.last; ++at) {
        auto const wanted = intersect(at->piece.blocks, blocks);
        auto const begin = index_.sizes.bytes(BlockRange{blocks.first, wanted.first});
        read(*at, wanted, out.subspan(begin, index_.sizes.bytes(wanted)));
    }
}

void Generation::read_sums(StoredPiece& stored) {
    auto const& sizes = index_.sizes;
    auto const& file = files_->open(index_, stored.file);
    std::vector<std::byte> sums(sizeof(std::uint64_t) * stored.piece.parts);
    file.read(stored.offset + sizes.bytes(stored.piece.blocks), sums);
    if (hash(sums) != stored.piece.seal) {
        damaged(file.path(), "the checksums of " + text_of(stored.piece.blocks) + " are wrong");
    }
    FormatReader in(sums);
    std::vector<PartSum> parts;
    visit_parts(stored.piece.blocks, sizes, [&](BlockRange part) {
        if (in.rest().empty()) damaged(file.path(), text_of(stored.piece.blocks) + " have too few checksums");
        parts.push_back({part, in.fixed(sizeof(std::uint64_t))});
    });
    if (!in.rest().empty()) damaged(file.path(), text_of(stored.piece.blocks) + " have too many checksums");
    stored.parts = std::move(parts);
}

void Generation::read(StoredPiece& stored, BlockRange blocks, std::span<std::byte> out) {
    if (blocks.empty()) return;
    auto const& sizes = index_.sizes;
    auto const& file = files_->open(index_, stored.file);
    if (stored.parts.empty()) read_sums(stored);
    auto at = std::partition_point(stored.parts.begin(), stored.parts.end(),
                                   [&](PartSum const& part) { return part.blocks.last <= blocks.first; });
    std::vector<std::byte> whole;
    for (; at != stored.parts.end() && at->blocks.first < blocks.last; ++at) {
        auto const& [part, sum] = *at;
        auto const wanted = intersect(part, blocks);
        auto const target = out.first(sizes.bytes(wanted));
        out = out.subspan(target.size());
        if (wanted != part) whole.resize(sizes.bytes(part));
        auto const bytes = wanted == part ? target : std::span(whole);
        file.read(stored.offset + sizes.bytes(BlockRange{stored.piece.blocks.first, part.first}), bytes);
        if (hash(bytes) != sum) damaged(file.path(), "the checksum of " + text_of(part) + " is wrong");
        if (wanted == part) continue;
        auto const begin = sizes.bytes(BlockRange{part.first, wanted.first});
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), target.size(), target.begin());
    }
}

void Generation::verify() {
    for (std::size_t file = 0; file < index_.files.size(); ++file) check_file(file);
    std::vector<std::byte> bytes;
    for (auto& stored : pieces_) {
        visit_parts(stored.piece.blocks, index_.sizes, [&](BlockRange part) {
            bytes.resize(index_.sizes.bytes(part));
            read(stored, part, bytes);
        });
    }
}

std::vector<std::byte> read_index(fs::path const& archive, std::uint64_t generation) {
    File const file(index_path(archive, generation), File::For::reading);
    std::vector<std::byte> bytes(file.size());
    file.read(0, bytes);
    return bytes;
}

Newest open_newest(fs::path const& archive) {
    std::vector<std::string> refused;
    for (auto const number : generations(archive)) {
        try {
            Generation generation(archive, number);
            generation.verify();
            return {std::move(generation), std::move(refused)};
        } catch (InputError const& error) {
            refused.emplace_back(error.what());
        }
    }
    throw InputError(nothing_readable(archive, refused));
}

std::string nothing_readable(fs::path const& archive, std::span<std::string const> refused) {
    auto text = archive.string() + ": holds no generation that can be read, expected a folder with saved blocks";
    for (auto const& reason : refused) text += "; " + reason;
    return text;
}

namespace {

/// Generations of the same blocks, the newest first; each is opened when it is needed.
class Sources {
public:
    explicit Sources(std::vector<Saved> saved) {
        std::reverse(saved.begin(), saved.end());
        for (auto& place : saved) sources_.push_back({std::move(place)});
    }
    void read(BlockRange blocks, std::span<std::byte> out) {
        std::exception_ptr first;
        for (auto& [saved, generation] : sources_) {
            try {
                if (!generation) generation.emplace(saved.archive, saved.generation);
                auto const& sizes = generation->index().sizes;
                if (value(blocks.last) > sizes.num_blocks() || sizes.bytes(blocks) != out.size()) {
                    throw InputError({index_path(saved.archive, saved.generation).string()},
                                     "does not have " + text_of(blocks) + " in these sizes");
                }
                generation->read(blocks, out);
                return;
            } catch (InputError const&) {
                if (!first) first = std::current_exception();
            }
        }
        std::rethrow_exception(first);
    }

private:
    struct SavedCopy {
        Saved saved;
        std::optional<Generation> generation{};
    };
    std::vector<SavedCopy> sources_;
};

}  // namespace

std::function<void(BlockRange, std::span<std::byte>)> reread(std::vector<Saved> saved) {
    if (saved.empty()) return {};
    return [sources = std::make_shared<Sources>(std::move(saved))](BlockRange blocks, std::span<std::byte> out) {
        sources->read(blocks, out);
    };
}

}  // namespace regraft::disk
