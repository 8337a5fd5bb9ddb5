#include "store/erasure/erasure_rebuild.hpp"

#include <utility>

namespace regraft::store {
namespace {

/// Deals rebuilds to rounds in which no member rebuilds more than most_bytes bytes, or one part.
Csr<std::size_t> rounds_of(erasure::Rebuilds const& rebuilds, std::uint64_t most_bytes) {
    struct Receiver {
        std::size_t round = 0;
        std::uint64_t bytes = 0;
    };
    std::map<PeId, Receiver> receivers;
    std::vector<std::size_t> round_of;
    std::size_t rounds = 0;
    for (auto const& task : rebuilds.rebuilds) {
        auto& receiver = receivers[task.receiver];
        if (receiver.bytes != 0 && receiver.bytes + task.bytes.size() > most_bytes) {
            ++receiver.round;
            receiver.bytes = 0;
        }
        receiver.bytes += task.bytes.size();
        round_of.push_back(receiver.round);
        rounds = std::max(rounds, receiver.round + 1);
    }
    RowsBuilder<std::size_t> rows(rounds);
    for (std::size_t i = 0; i < round_of.size(); ++i) rows.add(round_of[i], i);
    return rows.rows();
}

}  // namespace

erasure::Combination const& Combinations::of(std::span<erasure::Source const> sources, std::uint32_t wanted) {
    std::vector<std::uint32_t> key;
    for (auto const& source : sources) key.push_back(source.index);
    key.push_back(wanted);
    auto const found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(key, code_.rebuild(std::span(key).first(sources.size()), wanted)).first->second;
}

Rebuilding::Rebuilding(ft::Communicator& comm, ErasureVersion const& version, erasure::Rebuilds const& plan,
                       ErasureOptions const& options, Target target)
    : comm_(&comm),
      version_(&version),
      plan_(&plan),
      options_(&options),
      target_(std::move(target)),
      rounds_(rounds_of(plan, window_bytes(options, version.holdings.layout().code()))),
      sum_of_(version),
      combinations_(version.holdings.layout().code()),
      volume_(comm.size()) {}

void Rebuilding::join(Shipment& shipment) {
    joined_ = rounds_.size() > 0;
    if (joined_) add_sources(0, shipment);
}

bool Rebuilding::run(ft::FailPoint& inside) {
    bool intact = true;
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
        comm_->reach(inside);
        if (round > 0 || !joined_) {
            Shipment shipment(*comm_, options_->integrity);
            add_sources(round, shipment);
            intact = shipment.exchange(options_->transport) && intact;
        }
        combine(round);
        intact = forward(round) && intact;
    }
    return intact && own_intact_;
}

void Rebuilding::add_sources(std::size_t round, Shipment& shipment) {
    scratch_.clear();
    sources_ = {};
    for (auto const i : rounds_[round]) {
        bool const mine = plan_->rebuilds[i].receiver == comm_->self();
        for (auto const& source : plan_->sources[i]) {
            auto const bytes = take(plan_->rebuilds[i], source, shipment);
            if (mine) sources_.push_value(bytes);
        }
        if (mine) sources_.end_row();
    }
}

/// The bytes of the source for a rebuild of this PE; any other PE that is involved sends them.
std::span<std::byte const> Rebuilding::take(erasure::Rebuild const& task, erasure::Source const& source,
                                            Shipment& shipment) {
    if (source.bytes == 0) return {};
    bool const mine = task.receiver == comm_->self();
    auto const sender = comm_->position(*source.holder);
    auto const receiver = comm_->position(task.receiver);
    volume_.add(sender, receiver, source.bytes);
    shipment.announce(sender, receiver, source.bytes);
    erasure::Piece const piece{task.piece.stripe, source.index};
    erasure::ByteRange const range{task.bytes.begin, task.bytes.begin + source.bytes};
    if (source.holder == comm_->self()) {
        auto const bytes = version_->read(piece, range, scratch_);
        if (!mine) shipment.send(receiver, bytes, shipment.checked() ? sum_of_(piece, range) : 0);
        if (mine && shipment.checked()) own_intact_ = own_intact_ && version_->verify(piece, range);
        return bytes;
    }
    if (!mine) return {};
    auto& incoming = scratch_.emplace_back(source.bytes);
    shipment.receive(sender, incoming, range.begin);
    return incoming;
}

void Rebuilding::combine(std::size_t round) {
    std::size_t row = 0;
    for (auto const i : rounds_[round]) {
        auto const& task = plan_->rebuilds[i];
        if (task.receiver != comm_->self()) continue;
        combinations_.of(plan_->sources[i], task.piece.index).combine(std::as_const(sources_)[row++], target_(task));
    }
}

bool Rebuilding::forward(std::size_t round) {
    Shipment shipment(*comm_, options_->integrity);
    bool nothing = true;
    for (auto const i : rounds_[round]) {
        auto const& task = plan_->rebuilds[i];
        for (auto const& forward : plan_->forwards[i]) {
            nothing = false;
            auto const sender = comm_->position(task.receiver);
            auto const receiver = comm_->position(forward.receiver);
            volume_.add(sender, receiver, task.bytes.size());
            shipment.announce(sender, receiver, task.bytes.size());
            if (task.receiver == comm_->self()) {
                auto const bytes = target_(task);
                RunningSum sum;
                if (shipment.checked()) sum.add(0, bytes);
                shipment.send(receiver, bytes, sum.value());
            }
            if (forward.receiver != comm_->self()) continue;
            shipment.receive(sender, target_({task.piece, task.bytes, forward.receiver, forward.place}), 0);
        }
    }
    return nothing || shipment.exchange(options_->transport);
}

}  // namespace regraft::store
