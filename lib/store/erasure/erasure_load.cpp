// Load: blocks come from their holders if these live, and are rebuilt from k other pieces otherwise.
#include <algorithm>
#include <utility>

#include "store/erasure/erasure.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"
#include "store/together/lost.hpp"

namespace regraft::store {
namespace {

ft::FailPhase coded_load_phase("erasure-load");

/// Blocks that one PE sends and receives whole.
struct Blocks {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

}  // namespace

struct ErasureStore::Impl::Started final : Loading::State {
    Started(Impl& impl, ErasureDelivery&& started)
        : State(impl.loads, impl.comm.epoch()), store(impl), delivery(std::move(started)) {}
    LoadReport wait() override {
        pending->wait();
        return store.finish(delivery, delivery.shipment->intact());
    }
    void abandon() override { pending.reset(); }

    Impl& store;
    ErasureDelivery delivery;
    std::optional<exchange::Pending> pending;
};

LoadReport ErasureStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                              LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    auto const alike = Digest().add(options).value();
    return impl_->load(gather_wanted(impl_->comm, wanted, impl_->identity, alike), out, options, alike);
}

LoadReport ErasureStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(coded_load_phase.before);
    return impl_->load(wanted, out, options, Digest().add(wanted).add(options).value());
}

LoadReport ErasureStore::Impl::load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                    LoadOptions const& load_options, std::uint64_t alike) {
    ErasureDelivery delivery{
        .wanted = rows_of_members(comm, wanted), .out = out, .options = load_options, .alike = alike};
    prepare(delivery);
    comm.reach(coded_load_phase.inside);
    bool const intact = delivery.shipment->exchange(options.transport);
    return finish(delivery, intact);
}

Loading ErasureStore::start_load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    auto& comm = impl_->comm;
    comm.reach(coded_load_phase.before);
    ErasureDelivery delivery{.wanted = rows_of_members(comm, wanted), .out = out, .options = options};
    delivery.alike = Digest().add(wanted).add(options).value();
    auto state = std::make_unique<Impl::Started>(*impl_, std::move(delivery));
    impl_->prepare(state->delivery);
    comm.reach(coded_load_phase.inside);
    state->pending.emplace(state->delivery.shipment->start());
    return Loading(std::move(state));
}

void ErasureStore::Impl::prepare(ErasureDelivery& delivery) {
    REGRAFT_EXPECTS(current && "something was submitted");
    current->holdings.retain(comm.members());
    auto const self = comm.position(comm.self());
    auto const& sizes = current->holdings.layout().sizes();
    std::uint64_t wanted_bytes = 0;
    for (auto const& range : delivery.wanted[self]) wanted_bytes += sizes.bytes(range);
    REGRAFT_EXPECTS(delivery.out.size() == wanted_bytes);

    auto const& holdings = delivery.undamaged ? *delivery.undamaged : current->holdings;
    delivery.plan = erasure::plan_reads(holdings, delivery.wanted, window());
    delivery.volume = Volume(comm.size());
    delivery.scratch.clear();
    PieceSums sum_of(*current);
    auto& shipment = delivery.shipment.emplace(comm, options.integrity);
    for (auto const& [piece, blocks, bytes, from, to, place] : delivery.plan.copies) {
        auto const sender = comm.position(from);
        auto const receiver = comm.position(to);
        delivery.volume.add(sender, receiver, bytes.size());
        if (sender == self) {
            shipment.send(receiver, current->read(piece, bytes, delivery.scratch),
                          checked() ? sum_of(piece, bytes) : 0);
        }
        if (receiver == self) {
            shipment.receive(sender, delivery.out.subspan(place, bytes.size()), bytes.begin);
        }
    }
    delivery.rebuilding.emplace(
        comm, *current, delivery.plan.rebuilt, options,
        [out = delivery.out](erasure::Rebuild const& task) { return out.subspan(task.place, task.bytes.size()); });
    delivery.rebuilding->join(shipment);
}

LoadReport ErasureStore::Impl::finish(ErasureDelivery& delivery, bool intact) {
    auto const call = store::call(Function::load, identity);
    for (;;) {
        intact = delivery.rebuilding->run(coded_load_phase.inside) && intact;
        if (agree_alike(comm, call, intact, delivery.alike)) break;
        auto const looked_at = readings(comm.self(), delivery.plan.copies, delivery.plan.rebuilt);
        if (!delivery.undamaged) delivery.undamaged = current->holdings;
        auto const bad = drop_damage(comm, call, delivery.alike, looked_at, *current, *delivery.undamaged);
        if (bad.empty()) delivery.resends.add();
        delivery.bad.insert(delivery.bad.end(), bad.begin(), bad.end());
        prepare(delivery);
        intact = delivery.shipment->exchange(options.transport);
    }
    for (auto const& [piece, holder] : delivery.bad) current->holdings.drop(piece);
    auto const report = report_of(delivery);
    comm.reach(coded_load_phase.after);
    // An attempt may have rebuilt anything from damaged pieces.
    auto const spoilt = delivery.bad.empty() ? std::vector<BlockRange>() : report.lost;
    auto const self = comm.position(comm.self());
    make_up_for_lost(comm, current->holdings.layout().sizes(), {std::as_const(delivery.wanted)[self], delivery.out},
                     report.lost, spoilt, delivery.options);
    return report;
}

LoadReport ErasureStore::Impl::report_of(ErasureDelivery const& delivery) const {
    LoadReport report;
    std::vector<Blocks> blocks(comm.size());
    Volume whole(comm.size());
    for (auto const& copy : delivery.plan.copies) {
        auto const bytes = copy.bytes.size();
        if (copy.sender == copy.receiver) {
            if (copy.receiver == comm.self()) report.bytes_local += bytes;
            continue;
        }
        auto const sender = comm.position(copy.sender);
        auto const receiver = comm.position(copy.receiver);
        report.b = std::max(report.b, blocks[sender].sent += copy.blocks.size());
        report.rounds = std::max({report.rounds, report.b, blocks[receiver].received += copy.blocks.size()});
        report.blocks_moved += copy.blocks.size();
        whole.add(sender, receiver, bytes);
    }
    auto volume = delivery.volume;
    volume.add(delivery.rebuilding->volume());
    report.lost = delivery.plan.lost;
    report_damage(current->holdings.layout(), delivery.bad, report.damaged);
    report.bytes_moved = volume.moved;
    report.most_sent = volume.most_sent();
    report.most_sent_bound = std::max(whole.most_sent(), (volume.moved + comm.size() - 1) / comm.size());
    report.most_received = volume.most_received();
    report.bytes_received = volume.received[comm.position(comm.self())];
    return report;
}

}  // namespace regraft::store
