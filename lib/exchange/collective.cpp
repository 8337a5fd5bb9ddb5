// The transport that survives everywhere: a number of blocking MPI_Alltoallv, a slice of every pair in each.
#include <functional>

#include "exchange/slices.hpp"
#include "exchange/transports.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::exchange {
namespace {

/// What one call sends, or receives, as MPI wants it: in place if every slice is in one piece and none is too far from
/// the others for an int, else in a buffer.
template <class Byte>
class Side {
public:
    Side(CsrView<std::span<Byte>> rows, std::size_t self, Limits const& limits)
        : longest_reach_(limits.longest_reach), slices_(rows.size()), counts_(rows.size()), offsets_(rows.size()) {
        for (std::size_t rank = 0; rank < rows.size(); ++rank) {
            slicers_.emplace_back(rank == self ? std::span<std::span<Byte> const>{} : rows[rank], rows.size(), limits);
        }
    }

    void next() {
        for (std::size_t rank = 0; rank < slicers_.size(); ++rank) {
            slicers_[rank].next(slices_[rank]);
            counts_[rank] = checked_cast<int>(slices_[rank].size());
        }
        in_place_ = lay_out_in_place();
        if (!in_place_) lay_out_in_buffer();
    }
    void pack() {
        if (in_place_) return;
        for (std::size_t rank = 0; rank < slices_.size(); ++rank)
            slices_[rank].copy_to(buffer_.data() + offsets_[rank]);
    }
    void unpack() const {
        if (in_place_) return;
        for (std::size_t rank = 0; rank < slices_.size(); ++rank)
            slices_[rank].copy_from(buffer_.data() + offsets_[rank]);
    }
    Byte* base() { return in_place_ ? base_ : buffer_.data(); }
    int const* counts() const { return counts_.data(); }
    int const* offsets() const { return offsets_.data(); }

private:
    bool lay_out_in_place() {
        base_ = nullptr;
        Byte* end = nullptr;
        for (auto const& slice : slices_) {
            if (!slice.contiguous()) return false;
            if (slice.size() == 0) continue;
            auto const part = slice.parts().front();
            if (!base_ || std::less<>()(part.data(), base_)) base_ = part.data();
            if (!end || std::less<>()(end, part.data() + part.size())) end = part.data() + part.size();
        }
        if (base_ && reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(base_) > longest_reach_)
            return false;
        for (std::size_t rank = 0; rank < slices_.size(); ++rank) {
            auto const parts = slices_[rank].parts();
            offsets_[rank] = parts.empty() ? 0 : static_cast<int>(parts.front().data() - base_);
        }
        return true;
    }
    void lay_out_in_buffer() {
        std::uint64_t total = 0;
        for (std::size_t rank = 0; rank < slices_.size(); ++rank) {
            offsets_[rank] = checked_cast<int>(total);
            total += slices_[rank].size();
        }
        if (buffer_.size() < total) buffer_.resize(total);
    }

    std::uint64_t longest_reach_;
    std::vector<Slicer<Byte>> slicers_;
    std::vector<Slice<Byte>> slices_;
    std::vector<int> counts_, offsets_;
    bool in_place_ = true;
    Byte* base_ = nullptr;
    std::vector<std::byte> buffer_;
};

template <class Byte>
std::uint64_t most_slices(CsrView<std::span<Byte>> rows, std::size_t self, Limits const& limits) {
    std::uint64_t most = 0;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const bytes = bytes_of(rows[rank]);
        if (rank == self || bytes == 0) continue;
        auto const pieces = rows[rank].size();
        most = std::max(most, num_slices(bytes, pieces, cut_of(bytes, pieces, rows.size(), limits)));
    }
    return most;
}

/// How many calls it takes, the same on all members.
std::uint64_t num_calls(ft::Communicator& comm, Outgoing out, std::size_t self,
                        std::optional<std::span<Message const>> messages, Limits const& limits) {
    std::uint64_t calls = 0;
    if (!messages) {
        calls = most_slices(out, self, limits);
        comm.check(MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_UINT64_T, MPI_MAX, comm.native()), "MPI_Allreduce");
        return calls;
    }
    for (auto const& message : *messages) {
        if (message.sender == message.receiver || message.bytes == 0) continue;
        auto const cut = cut_of(message.bytes, message.pieces, comm.size(), limits);
        calls = std::max(calls, num_slices(message.bytes, message.pieces, cut));
    }
    return calls;
}

}  // namespace

void by_collectives(ft::Communicator& comm, ft::FailPoint& inside, Outgoing out, Incoming in,
                    std::optional<std::span<Message const>> messages, Limits const& limits) {
    auto const self = comm.position(comm.self());
    auto const calls = num_calls(comm, out, self, messages, limits);
    Side<std::byte const> sent(out, self, limits);
    Side<std::byte> received(in, self, limits);
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
