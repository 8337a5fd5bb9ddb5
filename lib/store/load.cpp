// Load: who wants what, who sends it, the bytes, and an agreement.
#include <algorithm>
#include <optional>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "store/gather.hpp"
#include "store/load_plan.hpp"
#include "store/rows.hpp"
#include "store/version.hpp"

namespace regraft::store {
namespace {

ft::FailPhase load_phase("load");

/// Whether all members say that the same is wanted.
[[maybe_unused]] bool is_the_same(ft::Communicator& comm, CsrView<BlockRange> wanted) {
    return comm.agree_equal(hash(std::as_bytes(wanted.offsets)) ^ hash(std::as_bytes(wanted.values)));
}

}  // namespace

/// A load that is planned, perhaps on its way, and not agreed on.
struct ReplicatedStore::Delivery {
    LoadPlan plan;
    LoadReport report;
    Csr<std::span<std::byte const>> out;
    Csr<std::span<std::byte>> in;
    std::vector<exchange::Message> messages;
};

struct Loading::State {
    ReplicatedStore& store;
    ReplicatedStore::Delivery delivery;
    exchange::Pending pending;
};

LoadReport ReplicatedStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out) {
    comm_.reach(load_phase.before);
    return load_all(gather_wanted(comm_, wanted, 0), out);
}

LoadReport ReplicatedStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    comm_.reach(load_phase.before);
    REGRAFT_ASSERT(is_the_same(comm_, wanted));
    return load_all(wanted, out);
}

LoadReport ReplicatedStore::load_all(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    auto delivery = prepare(wanted, out);
    comm_.reach(load_phase.inside);
    exchange::all_to_all(comm_, delivery.out, delivery.in, options_.transport, delivery.messages);
    return finish(delivery);
}

Loading ReplicatedStore::start_load(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    comm_.reach(load_phase.before);
    REGRAFT_ASSERT(is_the_same(comm_, wanted));
    auto delivery = prepare(wanted, out);
    comm_.reach(load_phase.inside);
    exchange::Pending pending(comm_, delivery.out, delivery.in, delivery.messages);
    return Loading(std::unique_ptr<Loading::State>(new Loading::State{*this, std::move(delivery), std::move(pending)}));
}

Loading::Loading(std::unique_ptr<State> state) : state_(std::move(state)) {}
Loading::Loading(Loading&&) noexcept = default;
Loading::~Loading() = default;

LoadReport Loading::wait() {
    REGRAFT_EXPECTS(state_ && "wait is called once");
    auto const state = std::move(state_);
    state->pending.wait();
    return state->store.finish(state->delivery);
}

ReplicatedStore::Delivery ReplicatedStore::prepare(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    REGRAFT_EXPECTS(current_ && wanted.size() == comm_.num_founders() && "a row for every PeId");
    auto& version = *current_;
    version.directory.retain(comm_.members());
    Delivery delivery;
    std::vector<Damage> damaged, to_replace;
    std::optional<placement::Directory> undamaged;
    for (;;) {
        auto const& directory = undamaged ? *undamaged : version.directory;
        delivery.plan = plan_load(directory, version.sizes, version.seams, comm_.members(), wanted, to_replace);
        if (options_.integrity == Integrity::unchecked) break;
        std::vector<BlockRange> to_be_read;
        for (auto const* transfers : {&delivery.plan.senders.transfers, &delivery.plan.senders.local}) {
            for (auto const& transfer : *transfers) {
                if (transfer.sender == comm_.self()) to_be_read.push_back(transfer.blocks);
            }
        }
        auto const bad = find_damage(comm_, to_be_read, version.sizes, version.held);
        if (bad.damaged.empty()) break;
        if (!undamaged) undamaged = version.directory;
        for (std::size_t i = 0; i < bad.damaged.size(); ++i) {
            auto const& damage = bad.damaged[i];
            undamaged->remove(damage.blocks, damage.holder);
            damaged.push_back(damage);
            if (bad.replaceable[i]) to_replace.push_back(damage);
        }
    }
    delivery.report = report_of(delivery.plan, version.sizes, comm_.self());
    delivery.report.damaged = std::move(damaged);
    lay_out(delivery, out);
    return delivery;
}

/// Where in memory everything comes from and goes to.
void ReplicatedStore::lay_out(Delivery& delivery, std::span<std::byte> out) const {
    auto& [directory, sizes, held, seams] = *current_;
    auto const& plan = delivery.plan;
    std::uint64_t wanted_bytes = 0;
    for (std::uint64_t i = 0; i < plan.num_wanted; ++i) {
        if (plan.requests[i].receiver == comm_.self()) wanted_bytes += sizes.bytes(plan.requests[i].blocks);
    }
    REGRAFT_EXPECTS(out.size() == wanted_bytes);
    RowsBuilder<std::span<std::byte const>> sent(comm_.size());
    RowsBuilder<std::span<std::byte>> received(comm_.size());
    for (auto const* transfers : {&plan.senders.transfers, &plan.senders.local}) {
        for (auto const& [blocks, sender, receiver, i] : *transfers) {
            if (sender == comm_.self()) sent.add(comm_.position(receiver), held.at(blocks, sizes));
            if (receiver != comm_.self()) continue;
            if (i >= plan.num_wanted) {
                received.add(comm_.position(sender), held.find_own(blocks, sizes));
            } else {
                auto const begin =
                    plan.offsets[i] + sizes.bytes(BlockRange{plan.requests[i].blocks.first, blocks.first});
                received.add(comm_.position(sender), out.subspan(begin, sizes.bytes(blocks)));
            }
        }
    }
    delivery.out = sent.rows();
    delivery.in = received.rows();
    delivery.messages = messages_of(comm_, plan.senders.transfers, sizes);
}

LoadReport ReplicatedStore::finish(Delivery& delivery) {
    comm_.agree();
    forget_and_replace(delivery);
    comm_.reach(load_phase.after);
    return std::move(delivery.report);
}

/// Damaged replicas do not count any more, but where good ones have been written over them.
void ReplicatedStore::forget_and_replace(Delivery const& delivery) {
    auto& [directory, sizes, held, seams] = *current_;
    auto const& plan = delivery.plan;
    for (auto const& [blocks, holder] : delivery.report.damaged) directory.remove(blocks, holder);
    for (auto const& [blocks, sender, receiver, i] : plan.senders.transfers) {
        if (i < plan.num_wanted) continue;
        directory.add(blocks, receiver);
        if (receiver == comm_.self()) held.renew_checksums(blocks, sizes);
    }
    for (auto const& [blocks, holder] : delivery.report.damaged) {
        if (holder != comm_.self()) continue;
        directory.visit(blocks, [&](placement::Run const& run) {
            bool const replaced = std::binary_search(run.holders.begin(), run.holders.end(), comm_.self());
            if (!replaced) held.remove(run.blocks, sizes);
        });
    }
}

}  // namespace regraft::store
