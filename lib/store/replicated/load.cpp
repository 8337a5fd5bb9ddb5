// Load and scrub: requests, senders, the transfer of bytes, and an agreement that they are right.
#include <algorithm>
#include <utility>

#include "regraft/core/united.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/digest.hpp"
#include "store/together/identity.hpp"
#include "store/together/lost.hpp"

namespace regraft::store {
namespace {

ft::FailPhase load_phase("load");
ft::FailPhase scrub_phase("scrub");

}  // namespace

struct ReplicatedStore::Impl::Started final : Loading::State {
    Started(Impl& impl, CsrView<BlockRange> wanted)
        : State(impl.loads, impl.comm.epoch()),
          store(impl),
          rows{{wanted.offsets.begin(), wanted.offsets.end()}, {wanted.values.begin(), wanted.values.end()}} {}
    LoadReport wait() override {
        pending->wait();
        return store.finish(delivery);
    }
    void abandon() override { pending.reset(); }

    Impl& store;
    Csr<BlockRange> rows;
    Delivery delivery;
    std::optional<exchange::Pending> pending;
};

LoadReport ReplicatedStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                 LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    auto const alike = Digest().add(options).value();
    return impl_->load(gather_wanted(impl_->comm, wanted, impl_->identity, alike), out, options, alike);
}

LoadReport ReplicatedStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    return impl_->load(wanted, out, options, Digest().add(wanted).add(options).value());
}

LoadReport ReplicatedStore::Impl::load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                       LoadOptions const& load_options, std::uint64_t alike) {
    Delivery delivery{
        .wanted = wanted, .out = out, .options = load_options, .alike = alike, .call = call(Function::load, identity)};
    prepare(delivery);
    comm.reach(load_phase.inside);
    move(delivery);
    return finish(delivery);
}

Loading ReplicatedStore::start_load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    auto state = std::make_unique<Impl::Started>(*impl_, wanted);
    auto& delivery = state->delivery;
    delivery = {.wanted = state->rows, .out = out, .options = options};
    delivery.alike = Digest().add(wanted).add(options).value();
    delivery.call = call(Function::load, impl_->identity);
    impl_->prepare(delivery);
    impl_->comm.reach(load_phase.inside);
    state->pending.emplace(impl_->comm, delivery.traffic.out, delivery.traffic.in, delivery.messages);
    return Loading(std::move(state));
}

void ReplicatedStore::Impl::prepare(Delivery& delivery) {
    REGRAFT_EXPECTS(current && "something was submitted");
    REGRAFT_EXPECTS(delivery.wanted.size() == comm.num_founders() && "a row for every PeId");
    current->directory.retain(comm.members());
    auto const& directory = delivery.undamaged ? *delivery.undamaged : current->directory;
    auto const seams = current->seams.blocks();
    // If damage was found, all plan together, however long it takes: it is rare.
    bool const together = delivery.undamaged ||
                          !load::wants_more_runs(directory, comm.members(), delivery.wanted, options.most_planned_runs);
    delivery.plan =
        together ? load::plan(directory, current->sizes, seams, comm.members(), delivery.wanted, delivery.to_replace)
                 : load::plan_alone(directory, current->sizes, seams, comm.members(), comm.self(), delivery.wanted);
    delivery.report = report_of(delivery.plan, current->sizes, directory.node_of(), comm.self());
    if (!together) share_report(comm, delivery.report);
    lay_out(delivery);
}

void ReplicatedStore::Impl::lay_out(Delivery& delivery) {
    auto& [directory, sizes, held, seams, common] = *current;
    auto const& plan = delivery.plan;
    std::uint64_t wanted_bytes = 0;
    for (auto const& range : delivery.wanted[value(comm.self())]) wanted_bytes += sizes.bytes(range);
    REGRAFT_EXPECTS(delivery.out.size() == wanted_bytes);
    RowsBuilder<BlockRange> blocks_out(comm.size()), blocks_in(comm.size());
    RowsBuilder<std::span<std::byte const>> sent(comm.size());
    RowsBuilder<std::span<std::byte>> received(comm.size());
    for (auto const* transfers : {&plan.senders.transfers, &plan.senders.local}) {
        for (auto const& [blocks, sender, receiver, i] : *transfers) {
            if (sender == comm.self()) {
                blocks_out.add(comm.position(receiver), blocks);
                sent.add(comm.position(receiver), held.at(blocks, sizes));
            }
            if (receiver != comm.self()) continue;
            blocks_in.add(comm.position(sender), blocks);
            if (i >= plan.num_wanted) {
                received.add(comm.position(sender), held.find_own(blocks, sizes));
            } else {
                auto const begin =
                    plan.offsets[i] + sizes.bytes(BlockRange{plan.requests[i].blocks.first, blocks.first});
                received.add(comm.position(sender), delivery.out.subspan(begin, sizes.bytes(blocks)));
            }
        }
    }
    delivery.traffic = {blocks_out.rows(), blocks_in.rows(), sent.rows(), received.rows()};
    if (checked()) delivery.seals.emplace(delivery.traffic, sizes, HeldSums(held, sizes));
    delivery.messages.reset();
    if (plan.of == load::Plan::Of::all) {
        delivery.messages = messages_of(comm, plan.senders.transfers, sizes, options.integrity);
    }
}

void ReplicatedStore::Impl::move(Delivery& delivery) {
    exchange::all_to_all(comm, delivery.traffic.out, delivery.traffic.in, options.transport, delivery.messages);
}

void ReplicatedStore::Impl::repeat_until_clean(Delivery& delivery) {
    while (!is_clean(delivery)) {
        auto const& sent = delivery.traffic.blocks_out.values;
        auto const bad = find_damage(comm, delivery.call, delivery.alike, sent, current->sizes, current->held);
        if (bad.empty()) delivery.resends.add();
        note(delivery, bad);
        prepare(delivery);
        move(delivery);
    }
    forget_and_replace(delivery);
}

/// Whether all members got what was sent, and are in the same call of the same store. Uniform.
bool ReplicatedStore::Impl::is_clean(Delivery const& delivery) {
    bool const holds = !delivery.seals || delivery.seals->hold(delivery.traffic, current->sizes);
    return agree_alike(comm, delivery.call, holds, delivery.alike);
}

void ReplicatedStore::Impl::note(Delivery& delivery, std::span<BadReplica const> bad) const {
    if (!bad.empty() && !delivery.undamaged) delivery.undamaged = current->directory;
    for (auto const& [damage, replaceable] : bad) {
        delivery.undamaged->remove(damage.blocks, damage.holder);
        delivery.damaged.push_back(damage);
        if (replaceable) delivery.to_replace.push_back({damage.blocks, damage.holder});
    }
}

/// Damaged replicas count no more, except where good ones have been written over them.
void ReplicatedStore::Impl::forget_and_replace(Delivery const& delivery) {
    auto& [directory, sizes, held, seams, common] = *current;
    auto const& plan = delivery.plan;
    for (auto const& [blocks, holder] : delivery.damaged) directory.remove(blocks, holder);
    for (auto const& [blocks, sender, receiver, i] : plan.senders.transfers) {
        if (plan.of == load::Plan::Of::self || i < plan.num_wanted) continue;
        directory.add(blocks, receiver);
        if (receiver == comm.self()) held.renew_checksums(blocks, sizes);
    }
    for (auto const& [blocks, holder] : delivery.damaged) {
        if (holder != comm.self()) continue;
        directory.visit(blocks, [&](placement::Run const& run) {
            bool const replaced = std::binary_search(run.holders.begin(), run.holders.end(), comm.self());
            if (!replaced) held.remove(run.blocks, sizes);
        });
    }
    if (delivery.damaged.empty() || !keeping) return;
    // If that fails, the manifest before stays, and the next job finds the damage again.
    Complaint ignored;
    list(*current, ignored);
    keeping->settle();
}

LoadReport ReplicatedStore::Impl::finish(Delivery& delivery) {
    repeat_until_clean(delivery);
    auto report = std::move(delivery.report);
    report.damaged = std::move(delivery.damaged);
    comm.reach(load_phase.after);
    std::vector<BlockRange> spoilt;
    for (auto const& damage : report.damaged) spoilt.push_back(damage.blocks);
    make_up_for_lost(comm, current->sizes, {delivery.wanted[value(comm.self())], delivery.out}, report.lost,
                     std::move(spoilt), delivery.options);
    return report;
}

ScrubReport ReplicatedStore::scrub() {
    auto& store = *impl_;
    auto& comm = store.comm;
    REGRAFT_EXPECTS(store.checked() && "only with checksums");
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    if (!store.current) return {};
    comm.reach(scrub_phase.before);
    store.current->directory.retain(comm.members());
    Csr<BlockRange> nothing;
    nothing.offsets.resize(comm.num_founders() + 1);
    Delivery delivery;
    delivery.wanted = nothing;
    delivery.alike = store.current->directory.num_blocks();
    delivery.call = call(Function::scrub, store.identity);
    auto const pieces = store.current->held.pieces();
    store.note(delivery,
               find_damage(comm, delivery.call, delivery.alike, pieces, store.current->sizes, store.current->held));
    comm.reach(scrub_phase.inside);
    if (!delivery.damaged.empty()) {
        store.prepare(delivery);
        store.move(delivery);
    }
    store.repeat_until_clean(delivery);
    ScrubReport report{.damaged = std::move(delivery.damaged)};
    for (auto const& damage : report.damaged) {
        store.current->directory.visit(damage.blocks, [&](placement::Run const& run) {
            if (run.holders.empty()) report.lost.push_back(run.blocks);
        });
    }
    report.lost = united(std::move(report.lost));
    for (auto const& blocks : pieces) report.bytes_verified += store.current->sizes.bytes(blocks);
    comm.reach(scrub_phase.after);
    return report;
}

}  // namespace regraft::store
