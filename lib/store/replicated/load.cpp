// Load and scrub: requests, senders, the transfer of bytes, and an agreement that they are right.
#include <algorithm>
#include <optional>
#include <utility>

#include "regraft/core/united.hpp"
#include "regraft/load/plan.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/delivery.hpp"
#include "store/together/volume.hpp"

namespace regraft::store {
namespace {

ft::FailPhase load_phase("load");
ft::FailPhase scrub_phase("scrub");

/// A load from a replicated store, or the replacement of damaged replicas.
class FromReplicas final : public Delivery {
public:
    FromReplicas(Replicated& store, Order order)
        : Delivery(store.comm, load_phase, call(Function::load, store.identity), std::move(order)), store_(store) {}
    /// A scrub.
    explicit FromReplicas(Replicated& store);
    ScrubReport scrub();

private:
    void prepare() override;
    void move() override {
        exchange::all_to_all(comm_, traffic_.out, traffic_.in, store_.options.transport, messages_);
    }
    exchange::Pending start_moving() override { return {comm_, traffic_.out, traffic_.in, messages_}; }
    bool is_intact() override { return !seals_ || seals_->hold(traffic_, sizes()); }
    bool note_damage() override { return note_damage(traffic_.blocks_out.values); }
    LoadReport settle() override;
    BlockSizes const& sizes() const override { return store_.current->sizes; }

    bool note_damage(std::span<BlockRange const> looked_at);
    LoadReport report_of_plan(std::span<std::uint32_t const> node_of) const;
    void lay_out();
    void forget_and_replace();

    Replicated& store_;

    // Results of the attempts so far.
    std::vector<Damage> damaged_;
    std::vector<schedule::RangeRequest> to_replace_;  // damage in memory that its holder may write to
    std::optional<placement::Directory> undamaged_;   // the directory without damaged replicas, if there are any

    // State of the attempt under way.
    load::Plan plan_;
    LoadReport report_;
    Traffic traffic_;
    std::optional<Seals> seals_;
    std::optional<std::vector<exchange::Message>> messages_;  // if every member knows all of them
};

void FromReplicas::prepare() {
    REGRAFT_EXPECTS(store_.current && "something was submitted");
    CsrView<BlockRange> const wanted = order_.wanted;
    REGRAFT_EXPECTS(wanted.size() == comm_.num_founders() && "a row for every PeId");
    store_.current->directory.retain(comm_.members());
    auto const& directory = undamaged_ ? *undamaged_ : store_.current->directory;
    auto const seams = store_.current->seams.blocks();
    // If damage was found, all plan together, however long it takes: it is rare.
    bool const together =
        undamaged_ || !load::wants_more_runs(directory, comm_.members(), wanted, store_.options.most_planned_runs);
    plan_ = together ? load::plan(directory, sizes(), seams, comm_.members(), wanted, to_replace_)
                     : load::plan_alone(directory, sizes(), seams, comm_.members(), comm_.self(), wanted);
    report_ = report_of_plan(directory.node_of());
    if (!together) share_report(comm_, report_);
    lay_out();
}

/// The part of the report that follows from the plan. For a plan of self alone it has what self sends and receives
/// instead of sums and maxima over all.
LoadReport FromReplicas::report_of_plan(std::span<std::uint32_t const> node_of) const {
    LoadReport report;
    bool const of_all = plan_.of == load::Plan::Of::all;
    auto const self = comm_.position(comm_.self());
    Volume blocks(comm_.size()), bytes(comm_.size());
    for (auto const& [range, from, to, request] : plan_.senders.transfers) {
        auto const sender = comm_.position(from), receiver = comm_.position(to);
        auto const size = sizes().bytes(range);
        blocks.add(sender, receiver, range.size());
        bytes.add(sender, receiver, size);
        bool const counts = (of_all || sender == self) && !node_of.empty();
        if (counts && node_of[value(from)] != node_of[value(to)]) report.bytes_between_nodes += size;
    }
    for (auto const& transfer : plan_.senders.local) {
        if (transfer.receiver == comm_.self()) report.bytes_local += sizes().bytes(transfer.blocks);
    }
    report.b = of_all ? blocks.most_sent() : blocks.sent[self];
    report.rounds = std::max(report.b, of_all ? blocks.most_received() : blocks.received[self]);
    report.blocks_moved = of_all ? blocks.moved : blocks.sent[self];
    report.bytes_moved = of_all ? bytes.moved : bytes.sent[self];
    report.bytes_received = bytes.received[self];
    report.most_sent = of_all ? plan_.senders.most_sent : bytes.sent[self];
    report.most_received = of_all ? plan_.senders.most_received : bytes.received[self];
    report.most_sent_bound = of_all ? plan_.senders.most_sent_bound : 0;
    report.lost = plan_.lost;
    return report;
}

void FromReplicas::lay_out() {
    auto& [directory, sizes, held, seams, common] = *store_.current;
    expect_fits(sizes);
    RowsBuilder<BlockRange> blocks_out(comm_.size()), blocks_in(comm_.size());
    RowsBuilder<std::span<std::byte const>> sent(comm_.size());
    RowsBuilder<std::span<std::byte>> received(comm_.size());
    for (auto const* transfers : {&plan_.senders.transfers, &plan_.senders.local}) {
        for (auto const& [blocks, sender, receiver, i] : *transfers) {
            if (sender == comm_.self()) {
                blocks_out.add(comm_.position(receiver), blocks);
                sent.add(comm_.position(receiver), held.at(blocks, sizes));
            }
            if (receiver != comm_.self()) continue;
            blocks_in.add(comm_.position(sender), blocks);
            if (i >= plan_.num_wanted) {
                received.add(comm_.position(sender), held.find_own(blocks, sizes));
            } else {
                auto const begin =
                    plan_.offsets[i] + sizes.bytes(BlockRange{plan_.requests[i].blocks.first, blocks.first});
                received.add(comm_.position(sender), order_.out.subspan(begin, sizes.bytes(blocks)));
            }
        }
    }
    traffic_ = {blocks_out.rows(), blocks_in.rows(), sent.rows(), received.rows()};
    if (store_.checked()) seals_.emplace(traffic_, sizes, HeldSums(held, sizes));
    messages_.reset();
    if (plan_.of == load::Plan::Of::all) {
        messages_ = messages_of(comm_, plan_.senders.transfers, sizes, store_.options.integrity);
    }
}

bool FromReplicas::note_damage(std::span<BlockRange const> looked_at) {
    auto const bad = find_damage(comm_, call_, order_.alike, looked_at, sizes(), store_.current->held);
    if (!bad.empty() && !undamaged_) undamaged_ = store_.current->directory;
    for (auto const& [damage, replaceable] : bad) {
        undamaged_->remove(damage.blocks, damage.holder);
        damaged_.push_back(damage);
        if (replaceable) to_replace_.push_back({damage.blocks, damage.holder});
    }
    return !bad.empty();
}

/// Damaged replicas count no more, except where good ones have been written over them.
void FromReplicas::forget_and_replace() {
    auto& [directory, sizes, held, seams, common] = *store_.current;
    if (!damaged_.empty()) store_.layout = 0;
    for (auto const& [blocks, holder] : damaged_) directory.remove(blocks, holder);
    for (auto const& [blocks, sender, receiver, i] : plan_.senders.transfers) {
        if (plan_.of == load::Plan::Of::self || i < plan_.num_wanted) continue;
        directory.add(blocks, receiver);
        if (receiver == comm_.self()) held.renew_checksums(blocks, sizes);
    }
    for (auto const& [blocks, holder] : damaged_) {
        if (holder != comm_.self()) continue;
        directory.visit(blocks, [&](placement::Run const& run) {
            bool const replaced = std::binary_search(run.holders.begin(), run.holders.end(), comm_.self());
            if (!replaced) store_.current->held.remove(run.blocks, store_.current->sizes);
        });
    }
    if (damaged_.empty() || !store_.keeping) return;
    // If that fails, the manifest before stays, and the next job finds the damage again.
    Complaint ignored;
    store_.list(common, held, ignored);
    store_.keeping->settle();
}

LoadReport FromReplicas::settle() {
    forget_and_replace();
    for (auto const& damage : damaged_) spoilt_.push_back(damage.blocks);
    report_.damaged = std::move(damaged_);
    return std::move(report_);
}

FromReplicas::FromReplicas(Replicated& store)
    : Delivery(store.comm, scrub_phase, call(Function::scrub, store.identity),
               {.alike = store.current->directory.num_blocks()}),
      store_(store) {
    order_.wanted.offsets.resize(comm_.num_founders() + 1);
}

ScrubReport FromReplicas::scrub() {
    auto const& [directory, sizes, held, seams, common] = *store_.current;
    auto const pieces = held.pieces();
    bool const found = note_damage(pieces);
    comm_.reach(scrub_phase.inside);
    if (found) {
        prepare();
        move();
    }
    repeat_until_clean();
    forget_and_replace();
    ScrubReport report{.damaged = std::move(damaged_)};
    for (auto const& damage : report.damaged) {
        directory.visit(damage.blocks, [&, &lost = report.lost](placement::Run const& run) {
            if (run.holders.empty()) lost.push_back(run.blocks);
        });
    }
    report.lost = united(std::move(report.lost));
    for (auto const& blocks : pieces) report.bytes_verified += sizes.bytes(blocks);
    return report;
}

}  // namespace

LoadReport ReplicatedStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                 LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    return FromReplicas(*impl_, gather_order(impl_->comm, impl_->identity, wanted, out, options)).load();
}

LoadReport ReplicatedStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    return FromReplicas(*impl_, known_order(wanted, out, options)).load();
}

Loading ReplicatedStore::start_load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                    LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    auto order = gather_order(impl_->comm, impl_->identity, wanted, out, options);
    return Delivery::start(std::make_unique<FromReplicas>(*impl_, std::move(order)), impl_->loads);
}

Loading ReplicatedStore::start_load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    impl_->comm.reach(load_phase.before);
    return Delivery::start(std::make_unique<FromReplicas>(*impl_, known_order(wanted, out, options)), impl_->loads);
}

ScrubReport ReplicatedStore::scrub() {
    auto& comm = impl_->comm;
    REGRAFT_EXPECTS(impl_->checked() && "only with checksums");
    REGRAFT_EXPECTS(impl_->idle() && "no load is under way");
    if (!impl_->current) return {};
    comm.reach(scrub_phase.before);
    impl_->current->directory.retain(comm.members());
    auto report = FromReplicas(*impl_).scrub();
    comm.reach(scrub_phase.after);
    return report;
}

}  // namespace regraft::store
