// The transport that survives everywhere: a number of blocking calls of MPI_Alltoallv, each with a slice of every pair.
#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "exchange/slices.hpp"
#include "exchange/transports.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::exchange {
namespace {

/// What one call sends, or receives, in MPI's form: in place if every slice is in one piece and distances between
/// slices fit an int, otherwise in a buffer. A call costs O(partners that still have something), apart from MPI itself.
template <class Byte>
class Side {
public:
    Side(CsrView<std::span<Byte>> rows, std::size_t self, std::uint64_t partners, Limits const& limits)
        : longest_reach_(limits.longest_reach), counts_(rows.size(), 0), offsets_(rows.size(), 0) {
        for (std::size_t rank = 0; rank < rows.size(); ++rank) {
            if (rank == self || rows[rank].empty()) continue;
            Slicer<Byte> slicer(rows[rank], partners, limits);
            if (!slicer.done()) partners_.push_back({rank, std::move(slicer), {}});
        }
    }

    void next() {
        for (auto const& partner : partners_) counts_[partner.rank] = 0;
        std::erase_if(partners_, [](Partner const& partner) { return partner.rest.done(); });
        for (auto& [rank, rest, slice] : partners_) {
            rest.next(slice);
            counts_[rank] = checked_cast<int>(slice.size());
        }
        in_place_ = lay_out_in_place();
        if (!in_place_) lay_out_in_buffer();
    }
    void pack() {
        if (in_place_) return;
        for (auto const& partner : partners_) partner.slice.copy_to(buffer_.data() + offsets_[partner.rank]);
    }
    void unpack() const {
        if (in_place_) return;
        for (auto const& partner : partners_) partner.slice.copy_from(buffer_.data() + offsets_[partner.rank]);
    }
    Byte* base() { return in_place_ ? base_ : buffer_.data(); }
    int const* counts() const { return counts_.data(); }
    int const* offsets() const { return offsets_.data(); }

private:
    bool lay_out_in_place() {
        base_ = nullptr;
        Byte* end = nullptr;
        for (auto const& partner : partners_) {
            if (!partner.slice.contiguous()) return false;
            auto const part = partner.slice.parts().front();
            if (!base_ || std::less<>()(part.data(), base_)) base_ = part.data();
            if (!end || std::less<>()(end, part.data() + part.size())) end = part.data() + part.size();
        }
        if (base_ && reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(base_) > longest_reach_)
            return false;
        for (auto const& partner : partners_)
            offsets_[partner.rank] = static_cast<int>(partner.slice.parts().front().data() - base_);
        return true;
    }
    void lay_out_in_buffer() {
        std::uint64_t total = 0;
        for (auto const& partner : partners_) {
            offsets_[partner.rank] = checked_cast<int>(total);
            total += partner.slice.size();
        }
        if (buffer_.size() < total) buffer_.resize(total);
    }

    struct Partner {
        std::size_t rank;
        Slicer<Byte> rest;
        Slice<Byte> slice;  // the slice that travels now
    };
    std::uint64_t longest_reach_;
    std::vector<Partner> partners_;
    std::vector<int> counts_, offsets_;
    bool in_place_ = true;
    Byte* base_ = nullptr;
    std::vector<std::byte> buffer_;
};

/// Computes the same as effort_of where members know only their own messages.
Effort agree_on_effort(ft::Communicator& comm, Outgoing out, Incoming in, std::size_t self, Limits const& limits) {
    // The number of calls depends on the largest number of partners: all powers of two are tried at once.
    std::vector<std::uint64_t> most(static_cast<std::size_t>(std::bit_width(comm.size())) + 2, 0);
    auto& degree = most[0];
    auto const calls = std::span(most).subspan(1);
    std::uint64_t senders = 0;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        auto const bytes = bytes_of(out[rank]);
        senders += rank != self && bytes_of(in[rank]) != 0;
        if (rank == self || bytes == 0) continue;
        ++degree;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            auto const cut = cut_of(bytes, out[rank].size(), std::uint64_t{1} << i, limits);
            calls[i] = std::max(calls[i], num_slices(bytes, out[rank].size(), cut));
        }
    }
    degree = std::max(degree, senders);
    comm.check(
        MPI_Allreduce(MPI_IN_PLACE, most.data(), checked_cast<int>(most.size()), MPI_UINT64_T, MPI_MAX, comm.native()),
        "MPI_Allreduce");
    auto const partners = std::bit_ceil(std::max<std::uint64_t>(1, degree));
    return {partners, calls[static_cast<std::size_t>(std::countr_zero(partners))]};
}

}  // namespace

void by_collectives(ft::Communicator& comm, ft::FailPoint& inside, Outgoing out, Incoming in,
                    std::optional<std::span<Message const>> messages, Limits const& limits) {
    auto const self = comm.position(comm.self());
    auto const [partners, calls] =
        messages ? effort_of(*messages, comm.size(), limits) : agree_on_effort(comm, out, in, self, limits);
    Side<std::byte const> sent(out, self, partners, limits);
    Side<std::byte> received(in, self, partners, limits);
    for (std::uint64_t call = 0; call < calls; ++call) {
        sent.next();
        received.next();
        sent.pack();
        comm.reach(inside);
        comm.check(MPI_Alltoallv(sent.base(), sent.counts(), sent.offsets(), MPI_BYTE, received.base(),
                                 received.counts(), received.offsets(), MPI_BYTE, comm.native()),
                   "MPI_Alltoallv");
        received.unpack();
    }
}

}  // namespace regraft::exchange
