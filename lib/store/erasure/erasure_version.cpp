#include "store/erasure/erasure_version.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

using erasure::ByteRange;
using erasure::Piece;

/// Calls visit for the bytes between multiples of sum_bytes.
template <class Visit>
void visit_parts(ByteRange bytes, Visit visit) {
    while (bytes.begin < bytes.end) {
        auto const end = std::min(bytes.end, (bytes.begin / sum_bytes + 1) * sum_bytes);
        visit(ByteRange{bytes.begin, end});
        bytes.begin = end;
    }
}

}  // namespace

std::vector<std::uint64_t> sums_of(std::span<std::byte const> piece) {
    std::vector<std::uint64_t> sums;
    visit_parts({0, piece.size()},
                [&](ByteRange part) { sums.push_back(hash(piece.subspan(part.begin, part.size()))); });
    return sums;
}

std::uint64_t seal_of(std::span<std::uint64_t const> sums) {
    return hash(std::as_bytes(sums));
}

void ErasureVersion::add_own(std::span<std::byte const> bytes, SharedMemory memory) {
    if (bytes.empty()) return;
    own_.push_back({own_.empty() ? 0 : own_.back().begin + own_.back().bytes.size(), bytes, std::move(memory)});
}

void ErasureVersion::add_piece(Piece piece, SharedMemory memory) {
    std::span<std::byte const> const bytes = memory->bytes();
    pieces_[piece] = {bytes, std::move(memory)};
    sums_.erase(piece);
}

void ErasureVersion::add_inherited(Piece piece, std::span<std::byte const> bytes, std::vector<std::uint64_t> sums) {
    pieces_[piece] = {bytes, nullptr};
    sums_.erase(piece);
    if (!sums.empty()) sums_[piece] = std::move(sums);
}

void ErasureVersion::join_own(SpareMemory& spare) {
    std::uint64_t size = 0;
    for (auto const& part : own_) size += part.bytes.size();
    auto memory = spare.take_for_piece(size);
    auto rest = memory->bytes();
    for (auto const& part : own_) {
        std::ranges::copy(part.bytes, rest.begin());
        rest = rest.subspan(part.bytes.size());
    }
    own_.clear();
    add_own(memory->bytes(), memory);
}

void ErasureVersion::hand_over(Piece piece, ErasureVersion& next) const {
    if (auto const found = pieces_.find(piece); found != pieces_.end()) {
        return next.add_own(found->second.bytes, found->second.memory);
    }
    auto const bytes = holdings.layout().own_bytes(piece);
    for (auto const& part : own_) {
        auto const first = std::max(bytes.begin, part.begin);
        auto const last = std::min<std::uint64_t>(bytes.end, part.begin + part.bytes.size());
        if (first < last) next.add_own(part.bytes.subspan(first - part.begin, last - first), part.memory);
    }
}

void ErasureVersion::forget_others(PeId self) {
    std::erase_if(pieces_, [&](auto const& entry) { return holdings.holder(entry.first) != self; });
    std::erase_if(sums_, [&](auto const& entry) { return holdings.holder(entry.first) != self; });
}

template <class Visit>
void ErasureVersion::visit(Piece piece, ByteRange bytes, Visit visit) const {
    if (bytes.size() == 0) return;
    if (auto const found = pieces_.find(piece); found != pieces_.end()) {
        return visit(found->second.bytes.subspan(bytes.begin, bytes.size()));
    }
    auto const begin = holdings.layout().own_bytes(piece).begin;
    auto const first = begin + bytes.begin;
    auto const last = begin + bytes.end;
    auto part = std::prev(std::upper_bound(own_.begin(), own_.end(), first,
                                           [](std::uint64_t place, Own const& other) { return place < other.begin; }));
    for (auto place = first; place < last; ++part) {
        auto const end = std::min<std::uint64_t>(last, part->begin + part->bytes.size());
        visit(part->bytes.subspan(place - part->begin, end - place));
        place = end;
    }
}

std::span<std::byte const> ErasureVersion::read(Piece piece, ByteRange bytes, Scratch& scratch) const {
    std::span<std::byte const> whole;
    std::vector<std::byte>* joined = nullptr;
    visit(piece, bytes, [&](std::span<std::byte const> part) {
        if (!joined && whole.empty()) {
            whole = part;
            return;
        }
        if (!joined) {
            joined = &scratch.emplace_back();
            joined->reserve(bytes.size());
            joined->insert(joined->end(), whole.begin(), whole.end());
        }
        joined->insert(joined->end(), part.begin(), part.end());
        whole = *joined;
    });
    return whole;
}

std::uint64_t ErasureVersion::bytes_of(Piece piece) const {
    auto const found = pieces_.find(piece);
    return found != pieces_.end() ? found->second.bytes.size() : holdings.layout().bytes(piece);
}

std::uint64_t ErasureVersion::hash_of(Piece piece, ByteRange bytes) const {
    Scratch scratch;
    return hash(read(piece, bytes, scratch));
}

void ErasureVersion::seal(PeId self) {
    for (auto const& piece : holdings.held(self)) {
        bool const here = piece.index < holdings.layout().code().data() || pieces_.contains(piece);
        if (!here || sums_.contains(piece)) continue;
        auto& sums = sums_[piece];
        visit_parts({0, bytes_of(piece)}, [&](ByteRange part) { sums.push_back(hash_of(piece, part)); });
    }
}

bool ErasureVersion::verify(Piece piece, ByteRange bytes) const {
    auto const found = sums_.find(piece);
    if (bytes.size() == 0 || found == sums_.end()) return true;
    auto const& sums = found->second;
    ByteRange const whole{bytes.begin / sum_bytes * sum_bytes,
                          std::min(bytes_of(piece), (bytes.end + sum_bytes - 1) / sum_bytes * sum_bytes)};
    bool right = true;
    visit_parts(whole, [&](ByteRange part) { right = right && hash_of(piece, part) == sums[part.begin / sum_bytes]; });
    return right;
}

std::uint64_t PieceSums::operator()(Piece piece, ByteRange bytes) {
    RunningSum result;
    if (bytes.size() == 0) return result.value();
    auto const& sums = version_->sums_.at(piece);
    auto const size = version_->bytes_of(piece);
    visit_parts(bytes, [&](ByteRange part) {
        auto const number = part.begin / sum_bytes;
        bool const whole = part.begin % sum_bytes == 0 && (part.end % sum_bytes == 0 || part.end == size);
        if (whole) return result.add(sums[number]);
        auto const [known, is_new] = right_.try_emplace({piece, number});
        if (is_new) known->second = version_->verify(piece, part);
        auto const own = version_->hash_of(piece, part);
        result.add(known->second ? own : ~own);
    });
    return result.value();
}

std::span<std::byte const> ErasureVersion::held(PeId self, BlockRange blocks, Integrity integrity) const {
    std::span<std::byte const> whole;
    bool in_one_piece = true;
    holdings.layout().visit(blocks, [&](erasure::Part const& part) {
        if (part.bytes.size() == 0 && part.piece) return;
        in_one_piece = in_one_piece && part.piece && holdings.holder(*part.piece) == self;
        if (!in_one_piece) return;
        if (integrity == Integrity::checked && !verify(*part.piece, part.bytes)) in_one_piece = false;
        visit(*part.piece, part.bytes, [&](std::span<std::byte const> next) {
            in_one_piece = in_one_piece && (whole.empty() || whole.data() + whole.size() == next.data());
            if (in_one_piece) whole = {whole.empty() ? next.data() : whole.data(), whole.size() + next.size()};
        });
    });
    return in_one_piece ? whole : std::span<std::byte const>();
}

std::vector<std::uint32_t> ErasureVersion::nodes() const {
    std::vector<std::uint32_t> nodes;
    if (node_of.empty()) return nodes;
    for (auto pe : holdings.members()) {
        nodes.push_back(node_of[static_cast<std::size_t>(std::ranges::lower_bound(located, pe) - located.begin())]);
    }
    return nodes;
}

void ErasureVersion::leave_files() noexcept {
    auto const leave = [](SharedMemory const& memory) {
        if (auto* const file = memory ? memory->segment() : nullptr) file->stay();
    };
    for (auto const& part : own_) leave(part.memory);
    for (auto const& [piece, held] : pieces_) leave(held.memory);
    leave(empty_file_);
}

std::vector<Segment*> ErasureVersion::files() const {
    std::vector<Segment*> files;
    auto const add = [&](SharedMemory const& memory) {
        auto* const file = memory ? memory->segment() : nullptr;
        if (file && std::ranges::find(files, file) == files.end()) files.push_back(file);
    };
    for (auto const& part : own_) add(part.memory);
    for (auto const& [piece, held] : pieces_) add(held.memory);
    add(empty_file_);
    return files;
}

Listing ErasureVersion::listing(PeId self, bool checked, SpareMemory::Make const& make_file) {
    if (files().empty()) empty_file_ = std::make_shared<Memory>(make_file(0));
    Listing listing{.files = files(), .checked = checked};
    auto const& code = holdings.layout().code();
    auto const is_as_before = [&](Piece piece) {
        auto const& gone = holdings.given_up();
        return piece.index < code.data() ||
               std::ranges::none_of(gone, [&](Piece lost) { return lost.stripe == piece.stripe; });
    };
    for (auto const& piece : holdings.held(self)) {
        if (!is_as_before(piece)) continue;
        Scratch scratch;
        auto const id = listed_as(piece, code);
        listing.pieces.push_back({{id, advance(id, 1)}, read(piece, {0, bytes_of(piece)}, scratch)});
        REGRAFT_EXPECTS(scratch.empty() && "a piece lies in one file");
        if (checked) listing.sums.push_back({listing.pieces.back().blocks, seal_of(sums_.at(piece))});
    }
    return listing;
}

void ErasureVersion::leave_pieces(SpareMemory& spare) {
    for (auto& part : std::exchange(own_, {})) {
        if (part.memory) spare.put(std::move(part.memory));
    }
    for (auto& [piece, held] : std::exchange(pieces_, {})) {
        if (held.memory) spare.put(std::move(held.memory));
    }
}

std::uint64_t ErasureVersion::bytes_held() const {
    std::uint64_t held = 0;
    for (auto const& part : own_) held += part.memory ? part.bytes.size() : 0;
    for (auto const& [piece, here] : pieces_) held += here.bytes.size();
    return held;
}

}  // namespace regraft::store
