// What has changed since the version before, chunk by chunk: how members tell it to the holders of their blocks.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/options.hpp"

namespace regraft::store {

/// Bit i % 64 of word i / 64 is chunk i.
using Words = std::vector<std::uint64_t>;

/// A member's bytes, cut in chunks.
struct Chunks {
    std::uint64_t bytes = 0;
    std::uint64_t chunk_bytes = 1;

    std::uint64_t count() const { return (bytes + chunk_bytes - 1) / chunk_bytes; }
    std::size_t num_words() const { return num_change_words(bytes, chunk_bytes); }
    /// Clears the bits behind the last chunk.
    void trim(Words& words) const;
    /// Calls visit(begin, bytes) for each run of chunks whose bits are set, ascending.
    template <class Visit>
    void visit(std::span<std::uint64_t const> words, Visit visit) const {
        for (auto first = next(words, 0, true); first < count();) {
            auto const last = next(words, first, false);
            auto const begin = first * chunk_bytes;
            visit(begin, std::min(bytes, last * chunk_bytes) - begin);
            first = next(words, last, true);
        }
    }
    /// The bytes of chunks whose bits are set.
    std::uint64_t bytes_of(std::span<std::uint64_t const> words) const;

private:
    /// The first chunk from `chunk` on whose bit is `set`; count() if there is none.
    std::uint64_t next(std::span<std::uint64_t const> words, std::uint64_t chunk, bool set) const;
};

/// What a PE was told.
struct Told {
    bool anybody_is_against = false;
    std::vector<Words> changed;  // by member, for those whose blocks it holds; others have no words
};

/// The members that tell each other, and how much.
struct Tellers {
    std::vector<Chunks> chunks;               // by member
    std::vector<std::size_t> to, from;        // the members to which this PE tells, and which tell it; maybe itself
    std::vector<exchange::Message> messages;  // of all members: sender and receiver
};

/// Every member tells the holders of its blocks which chunks have changed, or that it is against the version.
/// Collective, not uniform.
Told tell(ft::Communicator& comm, Transport transport, Tellers const& tellers, std::span<std::uint64_t const> changed,
          bool in_favour);

/// How much has changed on all members together. Collective, not uniform.
ChangesReport total_of(ft::Communicator& comm, Chunks const& mine, std::span<std::uint64_t const> changed);

}  // namespace regraft::store
