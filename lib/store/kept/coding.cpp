#include "store/kept/coding.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::store {
namespace {

constexpr std::uint64_t most_pieces = 255;

Csr<BlockRange> get_own(FormatReader& in, std::uint64_t num_blocks) {
    Csr<BlockRange> own;
    std::vector<BlockRange> all;
    for (auto slots = in.number(); slots > 0; --slots) {
        for (auto left = in.number(); left > 0; --left) {
            auto const first = in.number();
            auto const count = in.number();
            if (first >= num_blocks || count == 0 || count > num_blocks - first) {
                throw InputError("it has blocks that do not exist");
            }
            own.push_value({BlockId{first}, BlockId{first + count}});
        }
        own.end_row();
    }
    all = own.values;
    std::ranges::sort(all);
    auto const overlap = [](BlockRange before, BlockRange after) { return after.first < before.last; };
    if (std::ranges::adjacent_find(all, overlap) != all.end()) throw InputError("it has a block twice");
    return own;
}

std::vector<std::uint32_t> get_ring(FormatReader& in, std::uint64_t num_slots) {
    std::vector<std::uint32_t> ring;
    std::vector<char> seen(num_slots);
    for (auto left = in.number(); left > 0; --left) {
        auto const slot = in.number();
        if (slot >= num_slots || seen[slot] != 0) throw InputError("it has no order of its slots");
        seen[slot] = 1;
        ring.push_back(checked_cast<std::uint32_t>(slot));
    }
    if (!ring.empty() && ring.size() != num_slots) throw InputError("it has no order of all slots");
    return ring;
}

}  // namespace

Coding Coding::of(erasure::Layout const& layout) {
    auto const own = layout.own();
    return {layout.code().data(),
            layout.code().parity(),
            layout.sizes(),
            {{own.offsets.begin(), own.offsets.end()}, {own.values.begin(), own.values.end()}},
            {layout.ring().begin(), layout.ring().end()}};
}

erasure::Layout Coding::layout() const {
    return {erasure::Code(data, parity), sizes, own, ring};
}

BlockSizes piece_sizes(erasure::Layout const& layout) {
    BlockSizes::Builder sizes;
    auto const& code = layout.code();
    for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
        std::uint64_t longest = 0;
        for (std::uint32_t i = 0; i < code.data(); ++i) {
            auto const bytes = layout.bytes({stripe, i});
            longest = std::max(longest, bytes);
            sizes.add(bytes);
        }
        for (std::uint32_t i = 0; i < code.parity(); ++i) sizes.add(longest);
    }
    return std::move(sizes).take();
}

erasure::Piece piece_listed_as(BlockId block, erasure::Code const& code) {
    return {checked_cast<std::uint32_t>(value(block) / code.pieces()),
            checked_cast<std::uint32_t>(value(block) % code.pieces())};
}

void put_coding(FormatWriter& out, Coding const& coding) {
    out.number(coding.data);
    out.number(coding.parity);
    out.number(coding.own.size());
    for (std::size_t slot = 0; slot < coding.own.size(); ++slot) {
        out.number(coding.own[slot].size());
        for (auto const& range : coding.own[slot]) {
            out.number(value(range.first));
            out.number(range.size());
        }
    }
    out.number(coding.ring.size());
    for (auto const slot : coding.ring) out.number(slot);
}

Coding get_coding(FormatReader& in, BlockSizes sizes) {
    auto const data = in.number();
    auto const parity = in.number();
    if (data == 0 || data > most_pieces || parity > most_pieces - data) throw InputError("it has no code");
    auto own = get_own(in, sizes.num_blocks());
    if (own.size() < data + parity) throw InputError("it has fewer slots than its code has pieces");
    // Parities may be longer than all blocks together are, but not by more than this.
    if (sizes.bytes() > std::uint64_t(-1) / (own.size() * (data + parity) + 1)) throw InputError("it is too large");
    auto ring = get_ring(in, own.size());
    return {checked_cast<std::uint32_t>(data), checked_cast<std::uint32_t>(parity), std::move(sizes), std::move(own),
            std::move(ring)};
}

}  // namespace regraft::store
