#include "checkpoint/differences.hpp"

#include <algorithm>
#include <cstring>
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
    ChunkedState(Image const& before, std::uint64_t chunk_bytes, SnapshotOptions::Told told, Image& next)
        : before_(before),
          chunk_bytes_(chunk_bytes),
          told_(told),
          next_(next),
          changed_((before.chunks.size() + 63) / 64, 0) {
        cut_.reserve(chunk_bytes);
    }

    /// From here on, bytes may have changed, or must not have.
    void expect_changes(bool may_change) {
        may_change_ = may_change;
        if (may_change) chunk_may_change_ = true;
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
    void take(std::span<std::byte const> chunk) {
        bool const trusted = !chunk_may_change_ && told_ == SnapshotOptions::Told::trusted;
        // A chunk is read once, and copied while it is in the cache.
        auto const now = trusted ? *before_.chunks[i_] : digest(chunk);
        if (now != before_.chunks[i_]) {
            REGRAFT_EXPECTS(chunk_may_change_ && "Snapshot::changed has told all changes of the entity");
            changed_[i_ / 64] |= std::uint64_t{1} << i_ % 64;
        }
        if (next_.chunks[i_] != now) {
            next_.chunks[i_].reset();
            auto const* const from = trusted ? before_.bytes.data() + i_ * chunk_bytes_ : chunk.data();
            std::memcpy(next_.bytes.data() + i_ * chunk_bytes_, from, chunk.size());
            next_.chunks[i_] = now;
        }
        ++i_;
        chunk_may_change_ = may_change_;
    }

    Image const& before_;
    std::uint64_t chunk_bytes_;
    SnapshotOptions::Told told_;
    Image& next_;
    std::vector<std::uint64_t> changed_;
    std::vector<std::byte> cut_;  // of a chunk that is not complete
    std::size_t i_ = 0;
    bool may_change_ = true;
    bool chunk_may_change_ = false;  // something in the chunk under way may
};

/// Adds the state of an entity of which these changes were told.
void add_told(ChunkedState& state, std::vector<ByteRange> told, std::span<std::byte const> bytes) {
    std::ranges::sort(told, {}, &ByteRange::first);
    std::uint64_t at = 0;
    auto const add_until = [&](std::uint64_t end, bool may_change) {
        end = std::min<std::uint64_t>(end, bytes.size());
        if (end <= at) return;
        state.expect_changes(may_change);
        state.add(bytes.subspan(at, end - at));
        at = end;
    };
    for (auto const& range : told) {
        add_until(range.first, false);
        add_until(range.last, true);
    }
    add_until(bytes.size(), false);
}

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

std::optional<std::vector<std::uint64_t>> save_changes(Registry const& registry, Told const& told, Image const& before,
                                                       std::uint64_t chunk_bytes, Image& next) {
    auto const chunks = num_chunks(before.bytes.size(), chunk_bytes);
    if (before.chunks.size() != chunks || registry.size() != before.entities.size()) return {};
    if (next.bytes.size() != before.bytes.size()) {
        next.bytes.resize(before.bytes.size());
        next.chunks.clear();
    }
    next.chunks.resize(chunks);
    next.entities = before.entities;
    ChunkedState state(before, chunk_bytes, told.are, next);
    auto expected = before.entities.begin();
    for (auto const& [name, entity] : registry) {
        ByteWriter made;
        if (!entity.bytes) entity.save(made);
        auto const head = entity.bytes && entity.head ? entity.head() : std::span<std::byte const>{};
        auto const body = entity.bytes ? entity.bytes() : made.bytes();
        if (name != expected->name || head.size() + body.size() != expected->bytes) return {};
        ++expected;
        auto const of_it = told.changes.find(name);
        state.expect_changes(true);
        state.add(head);
        if (of_it != told.changes.end()) {
            add_told(state, of_it->second, body);
        } else {
            state.add(body);
        }
    }
    return std::move(state).changed();
}

}  // namespace regraft::checkpoint
