// Load: blocks come from their holders if these live, and are rebuilt from k other pieces otherwise.
#include <algorithm>
#include <optional>
#include <utility>

#include "store/erasure/erasure.hpp"
#include "store/erasure/erasure_damage.hpp"
#include "store/erasure/erasure_rebuild.hpp"
#include "store/together/delivery.hpp"

namespace regraft::store {
namespace {

ft::FailPhase coded_load_phase("erasure-load");

/// A load from an erasure store.
class FromPieces final : public Delivery {
public:
    FromPieces(Coded& store, Order order)
        : Delivery(store.comm, coded_load_phase, call(Function::load, store.identity), std::move(order)),
          store_(store),
          wanted_(rows_of_members(comm_, order_.wanted)) {}

private:
    void prepare() override;
    void move() override { shipment_->move(store_.options.transport); }
    exchange::Pending start_moving() override { return shipment_->start(); }
    bool is_intact() override {
        bool const arrived = shipment_->intact();
        return rebuilding_->run(phase_.inside) && arrived;
    }
    bool note_damage() override;
    LoadReport settle() override;
    BlockSizes const& sizes() const override { return store_.current->holdings.layout().sizes(); }
    LoadReport report() const;

    Coded& store_;
    Csr<BlockRange> wanted_;  // by member

    // Results of the attempts so far.
    std::optional<erasure::Holdings> undamaged_;  // the holdings without damaged pieces, if there are any
    std::vector<BadPiece> bad_;

    // State of the attempt under way.
    erasure::Reads plan_;
    std::optional<Rebuilding> rebuilding_;
    std::optional<Shipment> shipment_;  // whole blocks, and sources of the first round of rebuilds
    Scratch scratch_;
    Volume volume_{0};
};

void FromPieces::prepare() {
    REGRAFT_EXPECTS(store_.current && "something was submitted");
    store_.current->holdings.retain(comm_.members());
    expect_fits(sizes());
    auto const self = comm_.position(comm_.self());
    plan_ = erasure::plan_reads(undamaged_ ? *undamaged_ : store_.current->holdings, wanted_, store_.window());
    volume_ = Volume(comm_.size());
    scratch_.clear();
    PieceSums sum_of(*store_.current);
    auto& shipment = shipment_.emplace(comm_, store_.options.integrity);
    for (auto const& [piece, blocks, bytes, from, to, place] : plan_.copies) {
        auto const sender = comm_.position(from);
        auto const receiver = comm_.position(to);
        volume_.add(sender, receiver, bytes.size());
        shipment.announce(sender, receiver, bytes.size());
        if (sender == self) {
            shipment.send(receiver, store_.current->read(piece, bytes, scratch_),
                          store_.checked() ? sum_of(piece, bytes) : 0);
        }
        if (receiver == self) {
            shipment.receive(sender, order_.out.subspan(place, bytes.size()), bytes.begin);
        }
    }
    rebuilding_.emplace(
        comm_, *store_.current, plan_.rebuilt, store_.options,
        [out = order_.out](erasure::Rebuild const& task) { return out.subspan(task.place, task.bytes.size()); });
    rebuilding_->join(shipment);
}

bool FromPieces::note_damage() {
    auto const looked_at = readings(comm_.self(), plan_.copies, plan_.rebuilt);
    if (!undamaged_) undamaged_ = store_.current->holdings;
    auto const bad = drop_damage(comm_, call_, order_.alike, looked_at, *store_.current, *undamaged_);
    bad_.insert(bad_.end(), bad.begin(), bad.end());
    return !bad.empty();
}

LoadReport FromPieces::settle() {
    for (auto const& [piece, holder] : bad_) store_.current->holdings.drop(piece);
    if (!bad_.empty()) spoilt_ = plan_.lost;  // an attempt may have rebuilt anything from damaged pieces
    return report();
}

LoadReport FromPieces::report() const {
    LoadReport report;
    Volume blocks(comm_.size()), whole(comm_.size());
    for (auto const& copy : plan_.copies) {
        auto const bytes = copy.bytes.size();
        if (copy.sender == copy.receiver) {
            if (copy.receiver == comm_.self()) report.bytes_local += bytes;
            continue;
        }
        auto const sender = comm_.position(copy.sender), receiver = comm_.position(copy.receiver);
        blocks.add(sender, receiver, copy.blocks.size());
        whole.add(sender, receiver, bytes);
    }
    report.b = blocks.most_sent();
    report.rounds = std::max(report.b, blocks.most_received());
    report.blocks_moved = blocks.moved;
    auto volume = volume_;
    volume.add(rebuilding_->volume());
    report.lost = plan_.lost;
    report_damage(store_.current->holdings.layout(), bad_, report.damaged);
    report.bytes_moved = volume.moved;
    report.most_sent = volume.most_sent();
    report.most_sent_bound = std::max(whole.most_sent(), (volume.moved + comm_.size() - 1) / comm_.size());
    report.most_received = volume.most_received();
    report.bytes_received = volume.received[comm_.position(comm_.self())];
    return report;
}

}  // namespace

LoadReport ErasureStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                              LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    return FromPieces(*impl_, gather_order(impl_->comm, impl_->identity, wanted, out, options)).load();
}

LoadReport ErasureStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    return FromPieces(*impl_, known_order(wanted, out, options)).load();
}

Loading ErasureStore::start_load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                 LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    auto order = gather_order(impl_->comm, impl_->identity, wanted, out, options);
    return Delivery::start(std::make_unique<FromPieces>(*impl_, std::move(order)), impl_->loads);
}

Loading ErasureStore::start_load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    return Delivery::start(std::make_unique<FromPieces>(*impl_, known_order(wanted, out, options)), impl_->loads);
}

}  // namespace regraft::store
