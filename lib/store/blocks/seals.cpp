#include "store/blocks/seals.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

/// The same rows, where each row with blocks ends with the memory of their checksums.
template <class Byte, class Word>
Csr<std::span<Byte>> with_sums(Csr<std::span<Byte>> const& pieces, Csr<BlockRange> const& blocks, Csr<Word>& sums) {
    Csr<std::span<Byte>> result;
    for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
        for (auto const& piece : pieces[rank]) result.push_value(piece);
        if constexpr (std::is_const_v<Byte>) {
            if (!blocks[rank].empty()) result.push_value(std::as_bytes(sums[rank]));
        } else {
            if (!blocks[rank].empty()) result.push_value(std::as_writable_bytes(sums[rank]));
        }
        result.end_row();
    }
    return result;
}

}  // namespace

std::vector<std::uint64_t> KnownSums::operator()(BlockRange blocks) {
    std::vector<std::uint64_t> sums;
    visit_parts(blocks, sizes_, [&](BlockRange part) {
        auto const [known, is_new] = known_.try_emplace(part);
        if (is_new) known->second = hash(bytes_of_(part));
        sums.push_back(known->second);
    });
    return sums;
}

Seals::Seals(Traffic& traffic, BlockSizes const& sizes, SumsOf const& sums_of) {
    for (std::size_t rank = 0; rank < traffic.out.size(); ++rank) {
        for (auto const& blocks : traffic.blocks_out[rank]) {
            for (auto const sum : sums_of(blocks)) sent_.push_value(sum);
        }
        sent_.end_row();
        std::uint64_t count = 0;
        for (auto const& blocks : traffic.blocks_in[rank]) count += num_parts(blocks, sizes);
        received_.push_row(std::vector<std::uint64_t>(count));
    }
    traffic.out = with_sums(traffic.out, traffic.blocks_out, sent_);
    traffic.in = with_sums(traffic.in, traffic.blocks_in, received_);
}

bool Seals::hold(Traffic const& traffic, BlockSizes const& sizes, std::optional<std::size_t> trusted) const {
    for (std::size_t rank = 0; rank < received_.size(); ++rank) {
        if (rank == trusted) continue;
        auto sum = received_[rank].begin();
        auto const blocks = traffic.blocks_in[rank];
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            std::span<std::byte const> rest = traffic.in[rank][i];
            bool right = true;
            visit_parts(blocks[i], sizes, [&](BlockRange part) {
                auto const bytes = sizes.bytes(part);
                right = right && hash(rest.first(bytes)) == *sum++;
                rest = rest.subspan(bytes);
            });
            if (!right) return false;
        }
    }
    return true;
}

void Seals::keep(Traffic const& traffic, BlockSizes const& sizes, HeldBlocks& held) const {
    for (std::size_t rank = 0; rank < received_.size(); ++rank) {
        auto rest = received_[rank];
        for (auto const& blocks : traffic.blocks_in[rank]) {
            auto const count = num_parts(blocks, sizes);
            held.set_checksums(blocks, rest.first(count), sizes);
            rest = rest.subspan(count);
        }
    }
}

std::vector<BadReplica> find_damage(ft::Communicator& comm, std::uint64_t call, std::uint64_t alike,
                                    std::span<BlockRange const> looked_at, BlockSizes const& sizes, HeldBlocks& held) {
    std::vector<BlockRange> bad;
    for (auto const& blocks : looked_at) held.verify(blocks, sizes, bad);
    std::sort(bad.begin(), bad.end());
    bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
    std::vector<std::uint64_t> words{call, alike};
    for (auto const& blocks : bad) {
        bool const replaceable = !held.find_own(blocks, sizes).empty();
        words.insert(words.end(), {value(blocks.first), value(blocks.last), std::uint64_t{replaceable}});
    }
    auto const rows = exchange::all_gather(comm, words);
    expect_same_call(comm, rows);
    std::vector<BadReplica> all;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        REGRAFT_EXPECTS(row[1] == alike && "all members say that the same is wanted, with the same options");
        for (std::size_t i = 2; i + 2 < row.size(); i += 3) {
            all.push_back({{{BlockId{row[i]}, BlockId{row[i + 1]}}, comm.members()[rank]}, row[i + 2] != 0});
        }
    }
    return all;
}

}  // namespace regraft::store
