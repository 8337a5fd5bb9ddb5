// Makes the parities of a submit. Every PE sends its data, window by window, to the first holder of parity of each
// stripe. That holder encodes one stripe, keeps its first parity and sends the others to their holders. This moves 1 +
// (m - 1) / k times the data; if every holder encoded alone, m times the data would move.
#include <algorithm>
#include <utility>
#include <vector>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure/erasure_version.hpp"

namespace regraft::store {
namespace {

using erasure::ByteRange;
using erasure::Piece;

class Encoder {
public:
    Encoder(ft::Communicator& comm, ErasureVersion const& version, ErasureOptions const& options, SpareMemory& spare)
        : comm_(comm),
          version_(version),
          layout_(version.holdings.layout()),
          options_(options),
          slot_(checked_cast<std::uint32_t>(comm.position(comm.self()))),
          window_bytes_(window_bytes(options, layout_.code())) {
        for (auto i = k(); i < layout_.code().pieces(); ++i) {
            auto const piece = layout_.piece(slot_, i);
            parities_.push_back({piece, spare.take_for_piece(layout_.bytes(piece))});
        }
        auto const staged = std::min(layout_.bytes(parities_[0].piece), window_bytes_);
        for (std::uint32_t i = 0; i < k(); ++i) data_.push_back(spare.take(staged));
        while (further_.size() + 1 < parities_.size()) further_.push_back(spare.take(staged));
    }

    /// Returns whether everything arrived as it was sent.
    bool run(ft::FailPoint& inside) {
        bool intact = true;
        auto const end = longest_stripe();
        for (std::uint64_t begin = 0; begin < end; begin += window_bytes_) {
            ByteRange const window{begin, begin + std::min(window_bytes_, end - begin)};
            comm_.reach(inside);
            bool const gathered = gather_data(window);
            encode_stripe(window);
            if (!further_.empty()) intact = hand_out_parities(window, gathered) && intact;
            intact = gathered && intact;
        }
        return intact;
    }

    struct Parity {
        Piece piece;
        SharedMemory memory;
    };
    std::vector<Parity> const& parities() const { return parities_; }
    /// Leaves the memory of the windows to the next submit.
    void leave_windows(SpareMemory& spare) {
        for (auto* const windows : {&data_, &further_}) {
            for (auto& memory : *windows) spare.put(std::move(memory));
        }
    }

private:
    std::uint32_t k() const { return layout_.code().data(); }
    /// The stripe that this PE encodes.
    std::uint32_t stripe() const { return parities_[0].piece.stripe; }
    std::uint32_t encoder_of(std::uint32_t stripe) const { return layout_.slot({stripe, k()}); }

    /// Whether looking at all stripes is faster than asking all members.
    bool looks_at_all() const {
        constexpr std::uint64_t most_pieces = 4096;  // looking at one takes 0.1 us, asking all members 0.1 ms and more
        return std::uint64_t{layout_.num_slots()} * layout_.code().pieces() <= most_pieces;
    }

    std::uint64_t longest_stripe() const {
        std::uint64_t longest = layout_.bytes(parities_[0].piece);
        if (looks_at_all()) {
            for (std::uint32_t i = 0; i < layout_.num_slots(); ++i)
                longest = std::max(longest, layout_.bytes({i, k()}));
            return longest;
        }
        comm_.check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, comm_.native()), "MPI_Allreduce");
        return longest;
    }

    /// Announces what all members send in a window: pieces of data to the encoders of stripes, or parities from them.
    void announce(ByteRange window, std::uint32_t first, std::uint32_t last, Shipment& shipment) const {
        if (!looks_at_all()) return;
        for (std::uint32_t number = 0; number < layout_.num_slots(); ++number) {
            for (auto i = first; i < last; ++i) {
                Piece const piece{number, i};
                auto sender = layout_.slot(piece), receiver = encoder_of(number);
                if (i >= k()) std::swap(sender, receiver);
                shipment.announce(sender, receiver, clipped(layout_.bytes(piece), window).size());
            }
        }
    }

    bool gather_data(ByteRange window) {
        Scratch scratch;
        PieceSums sum_of(version_);
        Shipment shipment(comm_, options_.integrity);
        for (std::uint32_t i = 0; i < k(); ++i) {
            auto const mine = layout_.piece(slot_, i);
            auto const sent = clipped(layout_.bytes(mine), window);
            shipment.send(encoder_of(mine.stripe), version_.read(mine, sent, scratch),
                          shipment.checked() ? sum_of(mine, sent) : 0);
            Piece const theirs{stripe(), i};
            auto const size = clipped(layout_.bytes(theirs), window).size();
            shipment.receive(layout_.slot(theirs), data_[i]->bytes().first(size), window.begin);
        }
        announce(window, 0, k(), shipment);
        return shipment.exchange(options_.transport);
    }

    void encode_stripe(ByteRange window) {
        auto const range = clipped(layout_.bytes({stripe(), k()}), window);
        std::vector<std::span<std::byte const>> data;
        for (std::uint32_t i = 0; i < k(); ++i) {
            data.push_back(data_[i]->bytes().first(clipped(layout_.bytes({stripe(), i}), window).size()));
        }
        std::vector targets{parities_[0].memory->bytes().subspan(range.begin, range.size())};
        for (auto& memory : further_) targets.push_back(memory->bytes().first(range.size()));
        layout_.code().encode(data, targets);
    }

    /// Parities of damaged data get wrong checksums on purpose, so that no holder takes them for right.
    bool hand_out_parities(ByteRange window, bool gathered) {
        Shipment shipment(comm_, options_.integrity);
        auto const encoded = clipped(layout_.bytes({stripe(), k()}), window).size();
        for (std::uint32_t i = 1; i < parities_.size(); ++i) {
            auto const made = further_[i - 1]->bytes().first(encoded);
            RunningSum sum;
            if (shipment.checked()) sum.add(window.begin, made);
            shipment.send(layout_.slot({stripe(), k() + i}), made, gathered ? sum.value() : ~sum.value());
            auto const& [piece, memory] = parities_[i];
            auto const range = clipped(memory->bytes().size(), window);
            shipment.receive(encoder_of(piece.stripe), memory->bytes().subspan(range.begin, range.size()),
                             window.begin);
        }
        announce(window, k() + 1, layout_.code().pieces(), shipment);
        return shipment.exchange(options_.transport);
    }

    ft::Communicator& comm_;
    ErasureVersion const& version_;
    erasure::Layout const& layout_;
    ErasureOptions const& options_;
    std::uint32_t slot_;
    std::uint64_t window_bytes_;
    std::vector<Parity> parities_;       // parities that this PE will hold, by their number in the stripe
    std::vector<SharedMemory> data_;     // windows of the stripe that it encodes
    std::vector<SharedMemory> further_;  // and of that stripe's parities except the first
};

}  // namespace

bool encode(ft::Communicator& comm, ErasureVersion& version, ErasureOptions const& options, SpareMemory& spare,
            ft::FailPoint& inside) {
    bool const checked = options.integrity == Integrity::checked;
    if (checked) version.seal(comm.self());  // seals the data; below, the parities as well
    bool intact = true;
    if (version.holdings.layout().code().parity() == 0) {
        comm.reach(inside);
    } else {
        Encoder encoder(comm, version, options, spare);
        intact = encoder.run(inside);
        for (auto const& [piece, memory] : encoder.parities()) version.add_piece(piece, memory);
        encoder.leave_windows(spare);
    }
    if (checked) version.seal(comm.self());
    return intact;
}

}  // namespace regraft::store
