// How the parities of a submit come into being. Everybody gives his data to the first holder of parity of each stripe,
// window by window. This one encodes one stripe, keeps its first parity and gives the others to their holders: that
// moves 1 + (m - 1) / k times the data, where every holder encoding for itself would move m times the data.
#include "regraft/core/checked_cast.hpp"
#include "store/erasure_version.hpp"

namespace regraft::store {
namespace {

using erasure::ByteRange;
using erasure::Piece;

class Encoder {
public:
    Encoder(ft::Communicator& comm, ErasureVersion const& version, ErasureOptions const& options)
        : comm_(comm),
          version_(version),
          layout_(version.holdings.layout()),
          options_(options),
          slot_(checked_cast<std::uint32_t>(comm.position(comm.self()))) {
        for (auto i = k(); i < layout_.code().pieces(); ++i) {
            auto const piece = layout_.piece(slot_, i);
            parities_.push_back({piece, std::make_shared<Memory>(layout_.bytes(piece))});
        }
        for (std::uint32_t stripe = 0; stripe < layout_.num_slots(); ++stripe) {
            auto const length = layout_.bytes({stripe, k()});
            longest_ = std::max(longest_, length);
            for (std::uint32_t i = 0; i < layout_.code().pieces(); ++i) {
                Piece const piece{stripe, i};
                auto const slot = layout_.slot(piece);
                if (i < k()) to_encoders_.push_back({slot, encoder_of(stripe), layout_.bytes(piece)});
                if (i > k()) from_encoders_.push_back({encoder_of(stripe), slot, length});
            }
        }
        window_bytes_ = window_bytes(options, layout_.code());
        auto const staged = std::min(longest_, window_bytes_);
        data_.assign(k(), std::vector<std::byte>(staged));
        further_.assign(parities_.size() - 1, std::vector<std::byte>(staged));
    }

    void run(ft::FailPoint& inside) {
        for (std::uint64_t begin = 0; begin < longest_; begin += window_bytes_) {
            ByteRange const window{begin, begin + std::min(window_bytes_, longest_ - begin)};
            comm_.reach(inside);
            gather_data(window);
            encode_stripe(window);
            if (!further_.empty()) hand_out_parities(window);
        }
    }

    struct Parity {
        Piece piece;
        std::shared_ptr<Memory> memory;
    };
    std::vector<Parity> const& parities() const { return parities_; }

private:
    std::uint32_t k() const { return layout_.code().data(); }
    /// The stripe that this PE encodes.
    std::uint32_t stripe() const { return parities_[0].piece.stripe; }
    std::uint32_t encoder_of(std::uint32_t stripe) const { return layout_.slot({stripe, k()}); }

    void gather_data(ByteRange window) {
        Scratch scratch;
        ErasureMessages messages(comm_);
        for (std::uint32_t i = 0; i < k(); ++i) {
            auto const mine = layout_.piece(slot_, i);
            messages.send(encoder_of(mine.stripe), version_.read(mine, clipped(layout_.bytes(mine), window), scratch));
            Piece const theirs{stripe(), i};
            auto const size = clipped(layout_.bytes(theirs), window).size();
            messages.receive(layout_.slot(theirs), std::span(data_[i]).first(size));
        }
        announce(to_encoders_, window, messages);
        messages.exchange(options_.transport);
    }

    void encode_stripe(ByteRange window) {
        auto const range = clipped(layout_.bytes({stripe(), k()}), window);
        std::vector<std::span<std::byte const>> data;
        for (std::uint32_t i = 0; i < k(); ++i) {
            data.push_back(std::span(data_[i]).first(clipped(layout_.bytes({stripe(), i}), window).size()));
        }
        std::vector targets{parities_[0].memory->bytes().subspan(range.begin, range.size())};
        for (auto& bytes : further_) targets.push_back(std::span(bytes).first(range.size()));
        layout_.code().encode(data, targets);
    }

    void hand_out_parities(ByteRange window) {
        ErasureMessages messages(comm_);
        auto const encoded = clipped(layout_.bytes({stripe(), k()}), window).size();
        for (std::uint32_t i = 1; i < parities_.size(); ++i) {
            messages.send(layout_.slot({stripe(), k() + i}), std::span(further_[i - 1]).first(encoded));
            auto const& [piece, memory] = parities_[i];
            auto const range = clipped(memory->bytes().size(), window);
            messages.receive(encoder_of(piece.stripe), memory->bytes().subspan(range.begin, range.size()));
        }
        announce(from_encoders_, window, messages);
        messages.exchange(options_.transport);
    }

    /// All that one slot has for another.
    struct Flow {
        std::uint32_t sender, receiver;
        std::uint64_t bytes;
    };
    static void announce(std::span<Flow const> flows, ByteRange window, ErasureMessages& messages) {
        for (auto const& flow : flows)
            messages.announce(flow.sender, flow.receiver, clipped(flow.bytes, window).size());
    }

    ft::Communicator& comm_;
    ErasureVersion const& version_;
    erasure::Layout const& layout_;
    ErasureOptions const& options_;
    std::uint32_t slot_;
    std::uint64_t longest_ = 0;  // stripe
    std::uint64_t window_bytes_ = 0;
    std::vector<Flow> to_encoders_, from_encoders_;
    std::vector<Parity> parities_;                 // that this PE will hold, by their number in the stripe
    std::vector<std::vector<std::byte>> data_;     // windows of the stripe that it encodes
    std::vector<std::vector<std::byte>> further_;  // and of that stripe's parities but the first
};

}  // namespace

void encode(ft::Communicator& comm, ErasureVersion& version, ErasureOptions const& options, ft::FailPoint& inside) {
    if (version.holdings.layout().code().parity() == 0) {
        comm.reach(inside);
        return;
    }
    Encoder encoder(comm, version, options);
    encoder.run(inside);
    for (auto const& [piece, memory] : encoder.parities()) version.pieces[piece] = memory;
}

}  // namespace regraft::store
