#include "store/erasure/erasure_damage.hpp"

#include <algorithm>

#include "regraft/core/checked_cast.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {

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
    std::vector<erasure::Piece> mine;
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
            erasure::Piece const piece{checked_cast<std::uint32_t>(row[i]), checked_cast<std::uint32_t>(row[i + 1])};
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
