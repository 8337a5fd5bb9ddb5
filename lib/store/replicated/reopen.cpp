// Reopen: all members tell what their nodes have, choose the same generation, and take over the files of the dead job.
#include <algorithm>
#include <utility>

#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"
#include "store/keeping/takeover.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/digest.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

ft::FailPhase reopen_phase("reopen");

/// The placement of a job that has ended: all copies were on slots behind those of the members. No member is there, so
/// a directory counts them as dead, and knows how many copies there shall be.
class OfTheDead {
public:
    explicit OfTheDead(placement::Shape shape) : shape_(shape) {}
    placement::Shape shape() const { return shape_; }
    std::uint32_t num_copies(BlockId) const { return shape_.replicas; }
    placement::Slot holder(BlockId, std::uint32_t copy) const { return placement::Slot{members() + copy}; }
    std::vector<BlockRange> held(placement::Slot slot) const {
        if (value(slot) < members() || shape_.num_blocks == 0) return {};
        return {all()};
    }
    BlockRange run(BlockId) const { return all(); }
    std::uint64_t num_held(placement::Slot slot) const { return value(slot) < members() ? 0 : shape_.num_blocks; }
    std::uint32_t most_copies() const { return shape_.replicas; }

private:
    BlockRange all() const { return {BlockId{0}, BlockId{shape_.num_blocks}}; }
    std::uint32_t members() const { return shape_.num_slots - shape_.replicas; }
    placement::Shape shape_;
};

std::string lost_text(std::span<BlockRange const> lost, std::uint64_t version) {
    return store::lost_text(lost, version, "were kept only on nodes that are missing") +
           "; a job that has these nodes finds them, and with ReopenOptions::Lost::left this one goes on without them";
}

/// What was taken over of one generation, before all agree on it.
struct Taken {
    ~Taken() { Replicated::leave_files(held); }
    void forget() {
        Replicated::leave_files(held);
        held = {};
        mine.clear();
    }
    HeldBlocks held{};
    Common common{};
    std::vector<Found> mine{};
};

/// Adds what a manifest lists, as far as it is not there yet. Everything that is checked is verified.
Unusable inherit(Replicated const& store, Found const& found, Kept kept, Taken& taken) {
    auto const& manifest = kept.manifest;
    auto const& sizes = manifest.common.sizes;
    HeldBlocks held;
    for (auto const& piece : manifest.pieces) held.add(piece.blocks, kept.bytes_of(piece).data(), sizes);
    for (auto& file : kept.files) held.own(Memory(std::move(file)));
    for (auto const& [blocks, sum] : manifest.sums) held.set_checksum(blocks, sum);
    Unusable damaged;
    for (auto const& piece : manifest.pieces) held.verify(piece.blocks, sizes, damaged.blocks);
    for (auto const& blocks : damaged.blocks) held.remove(blocks, sizes);
    if (!damaged.blocks.empty()) {
        damaged.reason = store.keeping->path_of(found) +
                         ": its blocks are damaged, the first damaged part begins with block " +
                         std::to_string(value(damaged.blocks.front().first));
    }
    if (store.checked() && !manifest.checked) {
        for (auto const& blocks : held.pieces()) held.renew_checksums(blocks, sizes);
    }
    taken.common = manifest.common;
    taken.mine.push_back(found);
    for (auto const& blocks : taken.held.pieces()) held.remove(blocks, sizes);
    taken.held.take(std::move(held));
    return damaged;
}

/// The version of which members have taken over the blocks. Collective, not uniform.
std::unique_ptr<Version> version_of(ft::Communicator& comm, Chosen const& chosen, Taken const& taken,
                                    Survey const& survey) {
    auto next = std::make_unique<Version>();
    auto& [directory, sizes, held, seams, common] = *next;
    common = tell_common(comm, chosen, taken.common);
    sizes = common.sizes;

    auto const members = comm.members();
    std::vector<PeId> slots(members.begin(), members.end());
    for (std::uint32_t i = 0; i < common.replicas; ++i) slots.push_back(PeId{comm.num_founders() + i});
    directory = placement::Directory(
        OfTheDead({sizes.num_blocks(), static_cast<std::uint32_t>(slots.size()), common.replicas}), slots);
    directory.retain(members);
    for (std::size_t k = 0; k < chosen.heirs.size(); ++k) {
        for (auto const& piece : survey.found[chosen.choice.manifests[k]].pieces) {
            directory.add(piece, members[chosen.heirs[k]]);
            seams.add(piece, members[chosen.heirs[k]]);
        }
    }
    seams.prune(directory);
    return next;
}

/// Makes what was taken over the present version.
void adopt(Replicated& store, Chosen const& chosen, Taken& taken, Survey const& survey) {
    auto& comm = store.comm;
    auto next = version_of(comm, chosen, taken, survey);
    auto complaint = attempt([&] { store.keeping->take_over(files_of(taken.held), taken.mine); });
    store.list(next->common, taken.held, complaint);
    comm.reach(reopen_phase.inside);
    if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
    store.settle(taken.held);
    next->held = std::move(taken.held);
    for (auto* const file : files_of(next->held)) file->go();
    store.current = std::move(next);
    store.version = store.current->common.id.version;
    store.identity = next_identity(comm);
    std::vector<std::uint32_t> site_of(comm.num_founders(), 0);
    for (std::size_t i = 0; i < comm.size(); ++i) site_of[value(comm.members()[i])] = survey.site_of[i];
    store.reopened = {{.version = store.version,
                       .attributes = store.current->common.attributes,
                       .refused = survey.refused,
                       .lost = chosen.choice.lost,
                       .bytes_inherited = store.current->held.own_bytes()},
                      std::move(site_of)};
}

/// Returns false if nothing was kept.
bool adopt_newest(Replicated& store, ReopenOptions const& options) {
    auto survey = store.keeping->begin(store.comm, Digest().add(store.alike_to_keep()).add(options.lost).value());
    Taken taken;
    auto const look = [&](Choice const& choice) {
        auto const version_found = survey.found[choice.manifests.front()].id.version;
        if (!choice.lost.empty() && options.lost == ReopenOptions::Lost::thrown) {
            throw DataLost(lost_text(choice.lost, version_found), choice.lost);
        }
        store.comm.reach(reopen_phase.inside);
    };
    auto const inherit = [&](Found const& found, Kept kept) {
        return store::inherit(store, found, std::move(kept), taken);
    };
    auto const chosen =
        choose_and_take_over(store.comm, *store.keeping, survey, {look, inherit, [&] { taken.forget(); }});
    if (!chosen) return false;
    adopt(store, *chosen, taken, survey);
    return true;
}

}  // namespace

std::optional<ReopenReport> ReplicatedStore::reopen(ReopenOptions const& options) {
    auto& store = *impl_;
    REGRAFT_EXPECTS(store.keeping && "Options::keep is given");
    REGRAFT_EXPECTS((!store.current || store.reopened) && "nothing was submitted yet");
    store.comm.reach(reopen_phase.before);
    if (!store.reopened && !adopt_newest(store, options)) return std::nullopt;
    if (options.repair) {
        auto terms = *options.repair;
        if (!terms.node) terms.node = store.reopened->site_of[value(store.comm.self())];
        store.reopened->report.repaired = repair(terms);
    }
    store.comm.reach(reopen_phase.after);
    auto report = std::move(store.reopened->report);
    store.reopened.reset();
    return report;
}

void ReplicatedStore::set_attributes(std::vector<std::byte> attributes) {
    impl_->attributes = std::move(attributes);
}

void ReplicatedStore::discard() {
    REGRAFT_EXPECTS(impl_->idle() && "no load is under way");
    if (impl_->keeping) impl_->keeping->discard(impl_->comm);
    impl_->current.reset();
    impl_->free_spare();
    if (impl_->keeping) impl_->keeping->leave(impl_->comm);
}

std::uint64_t Replicated::alike_to_keep() const {
    return Digest().add(keeping->names()).add(options.integrity).value();
}

}  // namespace regraft::store
