// Reopen: all members tell what their nodes have, choose the same generation, and take over the files of the dead job.
#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/united.hpp"
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
    std::uint64_t blocks = 0;
    for (auto const& range : lost) blocks += range.size();
    return std::to_string(blocks) + " blocks of version " + std::to_string(version) +
           " were kept only on nodes that are missing, the first is block " +
           std::to_string(value(lost.front().first)) +
           "; a job that has these nodes finds them, and with ReopenOptions::Lost::left this one goes on without them";
}

/// What was taken over of one generation, before all agree on it.
struct Taken {
    ~Taken() { Replicated::leave_files(held); }
    Choice choice{};
    std::vector<std::size_t> heirs{};  // by manifest
    HeldBlocks held{};
    Common common{};
    std::vector<Found> mine{};
    std::vector<BlockRange> damaged{};
};

/// Takes over what this PE inherits. What cannot be read, or is damaged, counts as absent: words tell the manifests and
/// the blocks, and reasons why.
void take_over(Replicated& store, Survey const& survey, Taken& taken, std::vector<std::uint64_t>& words,
               std::vector<std::uint64_t>& reasons) {
    for (std::size_t k = 0; k < taken.heirs.size(); ++k) {
        if (taken.heirs[k] != store.comm.position(store.comm.self())) continue;
        auto const i = taken.choice.manifests[k];
        Inherited inherited;
        auto const complaint =
            attempt([&] { inherited = store.keeping->inherit(survey.found[i], store.checked(), taken.common); });
        if (complaint) inherited.damaged = survey.found[i].pieces;
        for (auto const& blocks : inherited.damaged) {
            words.insert(words.end(), {i, value(blocks.first), value(blocks.last)});
        }
        if (complaint) append_text(reasons, *complaint);
        if (!inherited.reason.empty()) append_text(reasons, inherited.reason);
        taken.mine.push_back(survey.found[i]);
        if (complaint) continue;
        for (auto const& blocks : taken.held.pieces()) inherited.held.remove(blocks, taken.common.sizes);
        taken.held.take(std::move(inherited.held));
    }
}

/// Forgets what counts as absent on any member. Returns whether there is any. Collective, not uniform.
bool forget_absent(ft::Communicator& comm, Survey& survey, std::span<std::uint64_t const> words,
                   std::span<std::uint64_t const> reasons) {
    auto const rows = exchange::all_gather(comm, words);
    bool changed = false;
    std::vector<std::vector<BlockRange>> gone(survey.found.size());
    for (std::size_t w = 0; w + 2 < rows.values.size(); w += 3) {
        gone[rows.values[w]].push_back({BlockId{rows.values[w + 1]}, BlockId{rows.values[w + 2]}});
    }
    for (std::size_t i = 0; i < gone.size(); ++i) {
        auto left = subtract(survey.found[i].pieces, std::move(gone[i]));
        if (left == survey.found[i].pieces) continue;
        changed = true;
        survey.found[i].pieces = std::move(left);
    }
    if (!changed) return false;
    auto const told = exchange::all_gather(comm, reasons);
    std::span<std::uint64_t const> rest = told.values;
    while (!rest.empty()) survey.refused.push_back(take_text(rest));
    return true;
}

/// The version of which members have taken over the blocks, without these. Collective, not uniform.
std::unique_ptr<Version> version_of(ft::Communicator& comm, std::string const& store, Taken const& taken,
                                    Survey const& survey) {
    // A member that has taken over nothing does not know the sizes yet.
    std::vector<std::byte> bytes;
    auto const teller = taken.heirs.front();
    if (teller == comm.position(comm.self())) bytes = encode(Manifest{.common = taken.common}, store);
    broadcast(comm, bytes, comm.members()[teller]);
    auto next = std::make_unique<Version>();
    auto& [directory, sizes, held, seams, common] = *next;
    common = decode(bytes, store, 0, store).common;
    sizes = common.sizes;

    auto const members = comm.members();
    std::vector<PeId> slots(members.begin(), members.end());
    for (std::uint32_t i = 0; i < common.replicas; ++i) slots.push_back(PeId{comm.num_founders() + i});
    directory = placement::Directory(
        OfTheDead({sizes.num_blocks(), static_cast<std::uint32_t>(slots.size()), common.replicas}), slots);
    directory.retain(members);
    for (std::size_t k = 0; k < taken.heirs.size(); ++k) {
        for (auto const& piece : survey.found[taken.choice.manifests[k]].pieces) {
            directory.add(piece, members[taken.heirs[k]]);
            seams.add(piece, members[taken.heirs[k]]);
        }
    }
    seams.prune(directory);
    return next;
}

/// Makes what was taken over the present version.
void adopt(Replicated& store, Taken& taken, Survey const& survey) {
    auto& comm = store.comm;
    auto& keeping = *store.keeping;
    auto next = version_of(comm, store.options.keep->name, taken, survey);
    auto const complaint = attempt([&] {
        keeping.take_over(taken.held, taken.mine);
        keeping.write(next->common, taken.held, next->sizes, store.checked());
    });
    comm.reach(reopen_phase.inside);
    if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
    keeping.agreed(taken.held);
    keeping.settle();
    next->held = std::move(taken.held);
    for (auto& memory : next->held.memories()) {
        if (memory.segment()) memory.segment()->go();
    }
    store.current = std::move(next);
    store.version = store.current->common.id.version;
    store.identity = next_identity(comm);
    std::vector<std::uint32_t> site_of(comm.num_founders(), 0);
    for (std::size_t i = 0; i < comm.size(); ++i) site_of[value(comm.members()[i])] = survey.site_of[i];
    store.reopened = {{.version = store.version,
                       .attributes = store.current->common.attributes,
                       .refused = survey.refused,
                       .lost = taken.choice.lost,
                       .bytes_inherited = store.current->held.own_bytes()},
                      std::move(site_of)};
}

/// Returns false if nothing was kept.
bool adopt_newest(Replicated& store, ReopenOptions const& options) {
    auto& comm = store.comm;
    auto survey = store.keeping->begin(comm, Digest().add(store.names_of_keep()).add(options.lost).value());
    for (;;) {
        auto const choice = choose(survey.found);
        comm.agree();
        if (!choice) return false;
        auto const version_found = survey.found[choice->manifests.front()].id.version;
        if (!choice->lost.empty() && options.lost == ReopenOptions::Lost::thrown) {
            throw DataLost(lost_text(choice->lost, version_found), choice->lost);
        }
        Taken taken{.choice = *choice, .heirs = deal(survey.found, choice->manifests, survey.site_of)};
        comm.reach(reopen_phase.inside);
        std::vector<std::uint64_t> words, reasons;
        take_over(store, survey, taken, words, reasons);
        if (forget_absent(comm, survey, words, reasons)) continue;
        adopt(store, taken, survey);
        return true;
    }
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
    impl_->spare = Memory();
    impl_->stale.clear();
    if (impl_->keeping) impl_->keeping->leave(impl_->comm);
}

std::uint64_t Replicated::names_of_keep() const {
    auto const hash_of = [](std::string const& text) { return hash(std::as_bytes(std::span(text))); };
    return Digest().add(hash_of(options.keep->job)).add(hash_of(options.keep->name)).add(options.integrity).value();
}

}  // namespace regraft::store
