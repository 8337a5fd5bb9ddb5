#include "store/blocks/held_blocks.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"

namespace regraft::store {
namespace {

/// The first entry of a map of disjoint ranges that ends behind block.
template <class Map>
auto first_behind(Map& ranges, BlockId block) {
    auto at = ranges.upper_bound(block);
    if (at != ranges.begin() && std::prev(at)->second.last > block) --at;
    return at;
}

std::span<std::byte const> bytes_of(BlockRange blocks, std::byte const* data, BlockSizes const& sizes) {
    return {data, sizes.bytes(blocks)};
}

}  // namespace

void HeldBlocks::add(BlockRange blocks, std::byte* data, BlockSizes const& sizes) {
    own_bytes_ += sizes.bytes(blocks);
    auto const behind = pieces_.lower_bound(blocks.first);
    if (behind != pieces_.begin()) {
        auto& [first, before] = *std::prev(behind);
        bool const touch = before.last == blocks.first && before.own &&
                           before.own + sizes.bytes(BlockRange{first, before.last}) == data;
        if (touch) {
            before.last = blocks.last;
            return;
        }
    }
    pieces_.emplace_hint(behind, blocks.first, Location{blocks.last, data, data});
}

bool HeldBlocks::in_order(BlockSizes const& sizes) const {
    std::byte const* end = nullptr;
    for (auto const& [first, piece] : pieces_) {
        if (!piece.own || (end && end != piece.data)) return false;
        end = piece.data + sizes.bytes(BlockRange{first, piece.last});
    }
    return true;
}

void HeldBlocks::refer_to(BlockRange blocks, std::byte const* data) {
    pieces_[blocks.first] = {blocks.last, data, nullptr};
}

Memory HeldBlocks::largest_memory() && {
    auto const largest = std::max_element(memories_.begin(), memories_.end(),
                                          [](Memory& a, Memory& b) { return a.bytes().size() < b.bytes().size(); });
    return largest == memories_.end() ? Memory() : std::move(*largest);
}

void HeldBlocks::take(HeldBlocks other) {
    pieces_.merge(other.pieces_);
    checksums_.merge(other.checksums_);
    for (auto& memory : other.memories_) memories_.push_back(std::move(memory));
    own_bytes_ += other.own_bytes_;
}

void HeldBlocks::copy_references(BlockSizes const& sizes) {
    std::uint64_t total = 0;
    for (auto const& [first, piece] : pieces_) total += piece.own ? 0 : sizes.bytes(BlockRange{first, piece.last});
    if (total == 0) return;
    Memory memory(total);
    auto rest = memory.bytes();
    for (auto& [first, piece] : pieces_) {
        auto const bytes = bytes_of({first, piece.last}, piece.data, sizes);
        if (piece.own || bytes.empty()) continue;
        std::ranges::copy(bytes, rest.begin());
        piece.data = piece.own = rest.data();
        rest = rest.subspan(bytes.size());
    }
    own_bytes_ += total;
    own(std::move(memory));
}

HeldBlocks HeldBlocks::copied(Memory memory, BlockSizes const& sizes) const {
    HeldBlocks copy;
    auto rest = memory.bytes();
    for (auto const& [first, piece] : pieces_) {
        BlockRange const blocks{first, piece.last};
        auto const bytes = bytes_of(blocks, piece.data, sizes);
        std::ranges::copy(bytes, rest.begin());
        copy.add(blocks, rest.data(), sizes);
        rest = rest.subspan(bytes.size());
    }
    copy.checksums_ = checksums_;
    copy.own(std::move(memory));
    return copy;
}

void HeldBlocks::write(std::span<NewBytes const> given, BlockSizes const& sizes) {
    struct Touched {
        std::map<BlockId, Checksum>::iterator checksum;
        std::uint64_t num_written = 0;
        bool is_right = false;  // what is not written
    };
    std::vector<Touched> touched;
    for (auto const& [blocks, bytes] : given) {
        for (auto at = first_behind(checksums_, blocks.first); at != checksums_.end() && at->first < blocks.last;
             ++at) {
            if (touched.empty() || touched.back().checksum != at) touched.push_back({at});
            touched.back().num_written += intersect(BlockRange{at->first, at->second.last}, blocks).size();
        }
    }
    auto const part_of = [](Touched const& each) {
        return BlockRange{each.checksum->first, each.checksum->second.last};
    };
    for (auto& each : touched) {
        auto const part = part_of(each);
        each.is_right = each.num_written == part.size() || hash(find(part, sizes)) == each.checksum->second.sum;
    }
    for (auto const& each : given) write(each, sizes);
    for (auto const& each : touched) {
        auto const sum = hash(find(part_of(each), sizes));
        each.checksum->second.sum = each.is_right ? sum : ~sum;
    }
}

/// Checksums stay.
void HeldBlocks::write(NewBytes const& given, BlockSizes const& sizes) {
    auto rest = given.bytes;
    auto blocks = given.blocks;
    for (auto at = first_behind(pieces_, blocks.first); !blocks.empty(); ++at) {
        REGRAFT_EXPECTS(at != pieces_.end() && at->first <= blocks.first);
        BlockRange const here{blocks.first, std::min(blocks.last, at->second.last)};
        auto const bytes = rest.first(sizes.bytes(here));
        REGRAFT_EXPECTS(at->second.own || bytes.empty());
        if (!bytes.empty()) {
            std::ranges::copy(bytes, at->second.own + sizes.bytes(BlockRange{at->first, here.first}));
        }
        rest = rest.subspan(bytes.size());
        blocks.first = here.last;
    }
}

void HeldBlocks::remove(BlockRange blocks, BlockSizes const& sizes) {
    remove_checksums(blocks, sizes);
    for (auto at = first_behind(pieces_, blocks.first); at != pieces_.end() && at->first < blocks.last;) {
        BlockRange const whole{at->first, at->second.last};
        auto const piece = at->second;
        at = pieces_.erase(at);
        auto const gone = intersect(whole, blocks);
        auto const moved = [&](auto* data, BlockId to) {
            return data ? data + sizes.bytes(BlockRange{whole.first, to}) : nullptr;
        };
        if (whole.first < gone.first) pieces_[whole.first] = {gone.first, piece.data, piece.own};
        if (gone.last < whole.last) {
            pieces_[gone.last] = {whole.last, moved(piece.data, gone.last), moved(piece.own, gone.last)};
        }
        if (!piece.own) continue;
        own_bytes_ -= sizes.bytes(gone);
        Memory::give_back({moved(piece.own, gone.first), sizes.bytes(gone)});
    }
}

std::span<std::byte const> HeldBlocks::find(BlockRange blocks, BlockSizes const& sizes) const {
    auto const at = first_behind(pieces_, blocks.first);
    if (at == pieces_.end() || blocks.first < at->first || at->second.last < blocks.last) return {};
    return bytes_of(blocks, at->second.data + sizes.bytes(BlockRange{at->first, blocks.first}), sizes);
}

std::span<std::byte const> HeldBlocks::at(BlockRange blocks, BlockSizes const& sizes) const {
    auto const bytes = find(blocks, sizes);
    REGRAFT_EXPECTS(bytes.size() == sizes.bytes(blocks));
    return bytes;
}

std::span<std::byte> HeldBlocks::find_own(BlockRange blocks, BlockSizes const& sizes) {
    auto const at = first_behind(pieces_, blocks.first);
    if (at == pieces_.end() || blocks.first < at->first || at->second.last < blocks.last || !at->second.own) return {};
    return {at->second.own + sizes.bytes(BlockRange{at->first, blocks.first}), sizes.bytes(blocks)};
}

std::vector<BlockRange> HeldBlocks::pieces() const {
    std::vector<BlockRange> ranges;
    for (auto const& [first, piece] : pieces_) ranges.push_back({first, piece.last});
    return ranges;
}

void HeldBlocks::set_checksums(BlockRange blocks, std::span<std::uint64_t const> sums, BlockSizes const& sizes) {
    std::size_t next = 0;
    visit_parts(blocks, sizes, [&](BlockRange part) { checksums_[part.first] = {part.last, sums[next++]}; });
}

void HeldBlocks::renew_checksums(BlockRange blocks, BlockSizes const& sizes) {
    remove_checksums(blocks, sizes);
    visit_parts(blocks, sizes, [&](BlockRange part) { checksums_[part.first] = {part.last, hash(find(part, sizes))}; });
}

void HeldBlocks::verify(BlockRange blocks, BlockSizes const& sizes, std::vector<BlockRange>& bad) const {
    for (auto at = first_behind(checksums_, blocks.first); at != checksums_.end() && at->first < blocks.last; ++at) {
        BlockRange const part{at->first, at->second.last};
        if (hash(find(part, sizes)) != at->second.sum) bad.push_back(part);
    }
}

/// If a part stays only partly, its rest gets a checksum of its own.
void HeldBlocks::remove_checksums(BlockRange blocks, BlockSizes const& sizes) {
    for (auto at = first_behind(checksums_, blocks.first); at != checksums_.end() && at->first < blocks.last;) {
        BlockRange const part{at->first, at->second.last};
        bool const good = hash(find(part, sizes)) == at->second.sum;
        at = checksums_.erase(at);
        for (auto const& rest : {BlockRange{part.first, std::max(part.first, blocks.first)},
                                 BlockRange{std::min(part.last, blocks.last), part.last}}) {
            if (rest.empty()) continue;
            auto const sum = hash(find(rest, sizes));
            checksums_[rest.first] = {rest.last, good ? sum : ~sum};  // a damaged part stays damaged
        }
    }
}

std::vector<std::uint64_t> HeldSums::operator()(BlockRange blocks) {
    std::vector<std::uint64_t> sums;
    visit_parts(blocks, sizes_, [&](BlockRange part) { sums.push_back(sum_of(part)); });
    return sums;
}

std::uint64_t HeldSums::sum_of(BlockRange part) {
    auto const& checksums = held_.checksums_;
    auto at = first_behind(checksums, part.first);
    bool const whole = at != checksums.end() && at->first == part.first && at->second.last == part.last;
    if (whole) return at->second.sum;
    bool right = true;
    for (; at != checksums.end() && at->first < part.last; ++at) {
        auto const [known, is_new] = right_.try_emplace(at->first);
        if (is_new) known->second = hash(held_.find({at->first, at->second.last}, sizes_)) == at->second.sum;
        right = right && known->second;
    }
    auto const sum = hash(held_.at(part, sizes_));
    return right ? sum : ~sum;
}

}  // namespace regraft::store
