#include "checkpoint/differences.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <variant>

#include "regraft/core/contracts.hpp"

namespace regraft::checkpoint {
namespace {

using Differential = SnapshotOptions::Differential;

constexpr auto never = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t first_wait = 4, longest_wait = 64;

/// Cuts bytes that come in pieces into chunks, and compares each with both images.
class ChunkedState {
public:
    ChunkedState(Image const& before, std::uint64_t chunk_bytes, Image& next)
        : before_(before), chunk_bytes_(chunk_bytes), next_(next), changed_((before.chunks.size() + 63) / 64, 0) {
        cut_.reserve(chunk_bytes);
    }

    void add(std::span<std::byte const> piece) {
        while (!piece.empty()) {
            if (cut_.empty() && piece.size() >= chunk_bytes_) {
                take(piece.first(chunk_bytes_));
                piece = piece.subspan(chunk_bytes_);
                continue;
            }
            auto const part = piece.first(std::min<std::size_t>(piece.size(), chunk_bytes_ - cut_.size()));
            cut_.insert(cut_.end(), part.begin(), part.end());
            piece = piece.subspan(part.size());
            if (cut_.size() == chunk_bytes_) flush();
        }
    }
    std::vector<std::uint64_t> changed() && {
        if (!cut_.empty()) flush();
        return std::move(changed_);
    }

private:
    void flush() {
        take(cut_);
        cut_.clear();
    }
    /// One chunk, while it is in the cache.
    void take(std::span<std::byte const> chunk) {
        auto const now = digest(chunk);
        if (now != before_.chunks[i_]) changed_[i_ / 64] |= std::uint64_t{1} << i_ % 64;
        if (!next_.chunks[i_] || *next_.chunks[i_] != now) {
            next_.chunks[i_].reset();
            std::ranges::copy(chunk, next_.bytes.begin() + static_cast<std::ptrdiff_t>(i_ * chunk_bytes_));
            next_.chunks[i_] = now;
        }
        ++i_;
    }

    Image const& before_;
    std::uint64_t chunk_bytes_;
    Image& next_;
    std::vector<std::uint64_t> changed_;
    std::vector<std::byte> cut_;  // of a chunk that is not complete
    std::size_t i_ = 0;
};

std::uint64_t num_chunks(std::uint64_t bytes, std::uint64_t chunk_bytes) {
    return (bytes + chunk_bytes - 1) / chunk_bytes;
}

}  // namespace

Differences::Differences(SnapshotOptions const& options) : when_(options.differential) {
    REGRAFT_EXPECTS(options.chunk_bytes > 0);
    bool const can =
        options.form == SnapshotOptions::Form::plain && std::holds_alternative<Partners>(options.redundancy);
    if (!can) when_ = Differential::never;
    if (when_ == Differential::never) wait_ = never;
}

void Differences::committed(std::optional<store::ChangesReport> const& found) {
    if (when_ == Differential::never) return;
    if (wait_ > 0) {
        --wait_;
        return;
    }
    if (when_ == Differential::always || !found) return;
    bool const pays = found->changed_bytes <= found->submitted_bytes / 2;
    wait_ = pays ? 0 : std::max(next_wait_, first_wait);
    next_wait_ = pays ? 0 : std::min(2 * wait_, longest_wait);
}

void digest_chunks(Image& image, std::uint64_t chunk_bytes) {
    image.chunks.resize(num_chunks(image.bytes.size(), chunk_bytes));
    std::span<std::byte const> rest = image.bytes;
    for (auto& each : image.chunks) {
        auto const chunk = rest.first(std::min<std::size_t>(rest.size(), chunk_bytes));
        each = digest(chunk);
        rest = rest.subspan(chunk.size());
    }
}

std::optional<std::vector<std::uint64_t>> save_changes(Registry const& registry, Image const& before,
                                                       std::uint64_t chunk_bytes, Image& next) {
    auto const chunks = num_chunks(before.bytes.size(), chunk_bytes);
    if (before.chunks.size() != chunks || registry.size() != before.entities.size()) return {};
    if (next.bytes.size() != before.bytes.size()) {
        next.bytes.resize(before.bytes.size());
        next.chunks.clear();
    }
    next.chunks.resize(chunks);
    next.entities = before.entities;
    ChunkedState state(before, chunk_bytes, next);
    auto expected = before.entities.begin();
    for (auto const& [name, entity] : registry) {
        ByteWriter made;
        if (!entity.bytes) entity.save(made);
        auto const head = entity.bytes && entity.head ? entity.head() : std::span<std::byte const>{};
        auto const body = entity.bytes ? entity.bytes() : made.bytes();
        if (name != expected->name || head.size() + body.size() != expected->bytes) return {};
        ++expected;
        state.add(head);
        state.add(body);
    }
    return std::move(state).changed();
}

}  // namespace regraft::checkpoint
