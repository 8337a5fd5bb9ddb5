#include "store/replicated/patch.hpp"

#include <algorithm>
#include <array>

#include "regraft/core/bytes.hpp"
#include "regraft/core/random.hpp"
#include "store/blocks/rows.hpp"

namespace regraft::store {

void Chunks::trim(Words& words) const {
    if (auto const rest = count() % 64; rest != 0 && !words.empty()) words.back() &= (std::uint64_t{1} << rest) - 1;
}

std::uint64_t Chunks::next(std::span<std::uint64_t const> words, std::uint64_t chunk, bool set) const {
    while (chunk < count()) {
        auto const word = words[chunk / 64] ^ (set ? 0 : ~std::uint64_t{0});
        auto const rest = word >> chunk % 64;
        if (rest != 0) return std::min(count(), chunk + static_cast<std::uint64_t>(std::countr_zero(rest)));
        chunk = (chunk / 64 + 1) * 64;
    }
    return count();
}

std::uint64_t Chunks::bytes_of(std::span<std::uint64_t const> words) const {
    std::uint64_t result = 0;
    visit(words, [&](std::uint64_t, std::uint64_t size) { result += size; });
    return result;
}

namespace {

/// What travels: whether the member is in favour, a checksum, and the chunks that have changed.
constexpr std::size_t head_words = 2;

std::uint64_t checksum(std::span<std::uint64_t const> row) {
    return hash(std::as_bytes(row.subspan(head_words))) ^ mix(row.front());
}

}  // namespace

Told tell(ft::Communicator& comm, Transport transport, Tellers const& tellers, std::span<std::uint64_t const> changed,
          bool in_favour) {
    auto const row_words = [&](std::size_t rank) { return head_words + tellers.chunks[rank].num_words(); };
    Words mine{std::uint64_t{in_favour}, 0};
    mine.insert(mine.end(), changed.begin(), changed.end());
    mine[1] = checksum(mine);

    std::vector<Words> rows(comm.size());
    RowsBuilder<std::span<std::byte const>> out(comm.size());
    RowsBuilder<std::span<std::byte>> in(comm.size());
    for (auto const rank : tellers.to) out.add(rank, std::as_bytes(std::span(mine)));
    for (auto const rank : tellers.from) {
        rows[rank].resize(row_words(rank));
        in.add(rank, std::as_writable_bytes(std::span(rows[rank])));
    }
    auto messages = tellers.messages;
    for (auto& message : messages) {
        message.bytes = row_words(message.sender) * sizeof(std::uint64_t);
        message.pieces = 1;
    }
    exchange::all_to_all(comm, out.rows(), in.rows(), transport, messages);

    Told told;
    told.changed.resize(comm.size());
    for (auto const rank : tellers.from) {
        // What follows depends on these bits on both sides.
        if (rows[rank][1] != checksum(rows[rank])) comm.declare_failure("a list of changes, which is damaged");
        told.anybody_is_against = told.anybody_is_against || rows[rank][0] == 0;
        told.changed[rank].assign(rows[rank].begin() + head_words, rows[rank].end());
    }
    return told;
}

ChangesReport total_of(ft::Communicator& comm, Chunks const& mine, std::span<std::uint64_t const> changed) {
    std::array<std::uint64_t, 2> bytes{mine.bytes_of(changed), mine.bytes};
    comm.check(MPI_Allreduce(MPI_IN_PLACE, bytes.data(), 2, MPI_UINT64_T, MPI_SUM, comm.native()), "MPI_Allreduce");
    return {bytes[0], bytes[1]};
}

}  // namespace regraft::store
