// Checksums: sent after the blocks, verified before blocks are sent.
#include <algorithm>

#include "store/rows.hpp"
#include "store/version.hpp"

namespace regraft::store {

void exchange_checksums(ft::Communicator& comm, Options const& options, Traffic const& traffic, BlockSizes const& sizes,
                        HeldBlocks& held) {
    auto const size = comm.size();
    std::vector<std::vector<std::uint64_t>> sent(size), received(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
        auto const pieces = traffic.out[rank];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            auto const sums = checksums_of(traffic.blocks_out[rank][i], pieces[i].data(), sizes);
            sent[rank].insert(sent[rank].end(), sums.begin(), sums.end());
        }
        std::size_t count = 0;
        if (!traffic.in[rank].empty()) {
            for (auto const& blocks : traffic.blocks_in[rank]) count += parts_of(blocks, sizes).size();
        }
        received[rank].resize(count);
    }
    Csr<std::span<std::byte const>> out;
    Csr<std::span<std::byte>> in;
    for (std::size_t rank = 0; rank < size; ++rank) {
        auto const whole_out = std::as_bytes(std::span(sent[rank]));
        auto const whole_in = std::as_writable_bytes(std::span(received[rank]));
        out.push_row(std::span(&whole_out, 1));
        in.push_row(std::span(&whole_in, 1));
    }
    exchange::all_to_all(comm, out, in, options.transport);
    for (std::size_t rank = 0; rank < size; ++rank) {
        if (traffic.in[rank].empty()) continue;
        std::span<std::uint64_t const> rest(received[rank]);
        for (auto const& blocks : traffic.blocks_in[rank]) {
            auto const count = parts_of(blocks, sizes).size();
            held.set_checksums(blocks, rest.first(count), sizes);
            rest = rest.subspan(count);
        }
    }
}

BadReplicas find_damage(ft::Communicator& comm, std::span<BlockRange const> to_be_sent, BlockSizes const& sizes,
                        HeldBlocks& held) {
    std::vector<BlockRange> bad;
    for (auto const& blocks : to_be_sent) held.verify(blocks, sizes, bad);
    std::sort(bad.begin(), bad.end());
    bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
    std::vector<std::uint64_t> words;
    for (auto const& blocks : bad) {
        bool const replaceable = !held.find_own(blocks, sizes).empty();
        words.insert(words.end(), {value(blocks.first), value(blocks.last), std::uint64_t{replaceable}});
    }
    auto const rows = exchange::all_gather(comm, words);
    BadReplicas all;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        for (std::size_t i = 0; i < rows[rank].size(); i += 3) {
            all.damaged.push_back({{BlockId{rows[rank][i]}, BlockId{rows[rank][i + 1]}}, comm.members()[rank]});
            all.replaceable.push_back(rows[rank][i + 2] != 0);
        }
    }
    return all;
}

}  // namespace regraft::store
