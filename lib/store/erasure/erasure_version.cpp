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

SharedMemory SpareMemory::take(std::uint64_t size) {
    for (auto* const memories : {&old_, &fresh_}) {
        auto const found =
            std::ranges::find_if(*memories, [&](auto const& memory) { return memory->bytes().size() == size; });
        if (found == memories->end()) continue;
        auto memory = std::move(*found);
        memories->erase(found);
        return memory;
    }
    return std::make_shared<Memory>(size);
}

void SpareMemory::put(SharedMemory memory) {
    if (memory.use_count() == 1) fresh_.push_back(std::move(memory));
}

void SpareMemory::drop_unused() {
    old_ = std::exchange(fresh_, {});
}

std::uint64_t SpareMemory::bytes() const {
    std::uint64_t sum = 0;
    for (auto const* const memories : {&old_, &fresh_}) {
        for (auto const& memory : *memories) sum += memory->bytes().size();
    }
    return sum;
}

void ErasureVersion::add_own(std::span<std::byte const> bytes, SharedMemory memory) {
    if (bytes.empty()) return;
    own_.push_back({own_.empty() ? 0 : own_.back().begin + own_.back().bytes.size(), bytes, std::move(memory)});
}

void ErasureVersion::add_piece(Piece piece, SharedMemory memory) {
    pieces_[piece] = std::move(memory);
    sums_.erase(piece);
}

void ErasureVersion::hand_over(Piece piece, ErasureVersion& next) const {
    if (auto const found = pieces_.find(piece); found != pieces_.end()) {
        return next.add_own(found->second->bytes(), found->second);
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
        return visit(found->second->bytes().subspan(bytes.begin, bytes.size()));
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
    return found != pieces_.end() ? found->second->bytes().size() : holdings.layout().bytes(piece);
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
    auto const submitters = holdings.submitters();
    for (auto pe : holdings.members()) {
        auto const found = std::lower_bound(submitters.begin(), submitters.end(), pe);
        nodes.push_back(node_of[static_cast<std::size_t>(found - submitters.begin())]);
    }
    return nodes;
}

void ErasureVersion::leave_pieces(SpareMemory& spare) {
    for (auto& part : std::exchange(own_, {})) {
        if (part.memory) spare.put(std::move(part.memory));
    }
    for (auto& [piece, memory] : std::exchange(pieces_, {})) spare.put(std::move(memory));
}

std::uint64_t ErasureVersion::bytes_held() const {
    std::uint64_t held = 0;
    for (auto const& part : own_) held += part.memory ? part.bytes.size() : 0;
    for (auto const& [piece, memory] : pieces_) held += memory->bytes().size();
    return held;
}

std::vector<Reading> readings(PeId self, std::span<erasure::Copy const> copies, erasure::Rebuilds const& rebuilds) {
    std::vector<Reading> result;
    for (auto const& copy : copies) {
        if (copy.sender == self) result.push_back({copy.piece, copy.bytes});
    }
    for (std::size_t i = 0; i < rebuilds.rebuilds.size(); ++i) {
        auto const& [piece, bytes, receiver, place] = rebuilds.rebuilds[i];
        for (auto const& source : rebuilds.sources[i]) {
            if (source.holder != self || source.bytes == 0) continue;
            result.push_back({{piece.stripe, source.index}, {bytes.begin, bytes.begin + source.bytes}});
        }
    }
    return result;
}

std::vector<Reading> readings(PeId self, erasure::Holdings const& holdings) {
    std::vector<Reading> result;
    for (auto const& piece : holdings.held(self)) result.push_back({piece, {0, holdings.bytes(piece)}});
    return result;
}

std::vector<BadPiece> drop_damage(ft::Communicator& comm, std::uint64_t call, std::uint64_t alike,
                                  std::span<Reading const> looked_at, ErasureVersion const& version,
                                  erasure::Holdings& holdings) {
    std::vector<Piece> mine;
    for (auto const& [piece, bytes] : looked_at) {
        bool const known = std::find(mine.begin(), mine.end(), piece) != mine.end();
        if (!known && !version.verify(piece, bytes)) mine.push_back(piece);
    }
    std::vector<std::uint64_t> words{call, alike};
    for (auto const& piece : mine) words.insert(words.end(), {piece.stripe, piece.index});
    auto const rows = exchange::all_gather(comm, words);
    expect_same_call(comm, rows);
    std::vector<BadPiece> all;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        REGRAFT_EXPECTS(row[1] == alike && "all members ask for the same, with the same options");
        for (std::size_t i = 2; i + 1 < row.size(); i += 2) {
            Piece const piece{checked_cast<std::uint32_t>(row[i]), checked_cast<std::uint32_t>(row[i + 1])};
            all.push_back({piece, comm.members()[rank]});
            holdings.drop(piece);
        }
    }
    return all;
}

void report_damage(erasure::Layout const& layout, std::span<BadPiece const> bad, std::vector<Damage>& damaged) {
    for (auto const& [piece, holder] : bad) {
        if (piece.index >= layout.code().data()) continue;
        for (auto const& blocks : layout.blocks(piece)) damaged.push_back({blocks, holder});
    }
}

}  // namespace regraft::store
