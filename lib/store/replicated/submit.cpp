// Submit: each member sends its blocks to those that will hold them, and all agree on the new version.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "store/replicated/next_version.hpp"
#include "store/together/delivery.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("submit");

// In an agreement the silence of the dead counts as consent, and a member that votes against a submit may die before
// it. So it also says so by its blocks: it sends the complement of those of the version before. Every PE that holds
// these sees that, and votes against in its place. If blocks in favour look the same by chance, no harm is done: then
// they are submitted in another way.

std::vector<std::byte> complement(std::span<std::byte const> bytes) {
    std::vector<std::byte> result(bytes.size());
    std::ranges::transform(bytes, result.begin(), [](std::byte byte) { return ~byte; });
    return result;
}

/// Submits what every member knows already. What arrives damaged is sent again.
void submit_all(Replicated& store, placement::Any placement, Submissions const& all, std::span<std::byte const> bytes,
                OnDisk from = {}) {
    NextVersion next(store, std::move(placement), all, bytes);
    next.prepare();
    store.comm.reach(submit_phase.inside);
    for (Resends resends;; resends.add()) {
        bool const holds = next.deliver() && next.seal();
        if (agree_in_call(store.comm, call(Function::submit, store.identity), holds)) break;
        next.retract();
    }
    next.adopt(std::move(from));
    store.comm.reach(submit_phase.after);
}

bool submit_if(Replicated& store, Vote const& vote, placement::Any placement, Submissions const& all,
               std::span<std::byte const> bytes) {
    NextVersion next(store, std::move(placement), all, bytes);
    if (!next.can_be_voted_on()) return false;
    std::vector<std::byte> against;
    if (!vote.in_favour) {
        against = complement(bytes);
        next.replace(against);
    }
    next.prepare(vote.alike);
    store.comm.reach(submit_phase.inside);
    bool const holds = next.deliver();
    bool const agrees = vote.in_favour && holds && !next.anybody_is_against() && next.seal();
    if (agree_alike(store.comm, call(Function::submit, store.identity), agrees, vote.alike)) {
        next.adopt({});
        store.comm.reach(submit_phase.after);
        return true;
    }
    next.discard();
    return false;
}

std::optional<ChangesReport> submit_changes(Replicated& store, Vote const& vote, placement::Any placement,
                                            Submissions const& all, std::span<std::byte const> bytes,
                                            Changes const& changes) {
    NextVersion next(store, std::move(placement), all, bytes);
    if (!next.can_be_patched()) return {};
    next.prepare(vote.alike);
    store.comm.reach(submit_phase.inside);
    bool const agrees = next.deliver(changes, vote.in_favour) && vote.in_favour && next.seal();
    if (agree_alike(store.comm, call(Function::submit, store.identity), agrees, vote.alike)) {
        next.adopt({});
        store.comm.reach(submit_phase.after);
        return next.changed();
    }
    next.discard();
    return {};
}

}  // namespace

void submit(Replicated& store, placement::Any placement, OwnSubmission const& own, OnDisk from) {
    store.comm.reach(submit_phase.before);
    auto const& options = store.options;
    Digest alike;
    alike.add(placement).add(own.block_bytes);
    alike.add(options.transport).add(options.own_copy).add(options.integrity).add(options.most_planned_runs);
    auto const submitters = gather_submitters(store.comm, own.mine, store.identity, alike.value());
    auto const& ranges = submitters.ranges;
    submit_all(store, std::move(placement), {ranges, own.sizes_of(ranges)}, own.bytes, std::move(from));
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    store::submit(*impl_, std::move(placement), blocks_of(mine, blocks, block_bytes));
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    store::submit(*impl_, std::move(placement), blocks_of(impl_->comm, mine, blocks));
}

void ReplicatedStore::submit(placement::Any placement, Submissions const& all, std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    submit_all(*impl_, std::move(placement), all, blocks);
}

bool ReplicatedStore::submit_if(Vote const& vote, placement::Any placement, Submissions const& all,
                                std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    return store::submit_if(*impl_, vote, std::move(placement), all, blocks);
}

std::optional<ChangesReport> ReplicatedStore::submit_changes(Vote const& vote, placement::Any placement,
                                                             Submissions const& all, std::span<std::byte const> blocks,
                                                             Changes const& changes) {
    REGRAFT_EXPECTS(changes.chunk_bytes > 0);
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    return store::submit_changes(*impl_, vote, std::move(placement), all, blocks, changes);
}

}  // namespace regraft::store
