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

}  // namespace

/// What was taken over of one generation, before all agree on it.
struct ReplicatedStore::Impl::Taken {
    ~Taken() { leave_files(held); }
    Choice choice{};
    std::vector<std::size_t> heirs{};  // by manifest
    HeldBlocks held{};
    Common common{};
    std::vector<Found> mine{};
    std::vector<BlockRange> damaged{};
};

std::optional<ReopenReport> ReplicatedStore::reopen(ReopenOptions const& options) {
    return impl_->reopen(options);
}

void ReplicatedStore::set_attributes(std::vector<std::byte> attributes) {
    impl_->attributes = std::move(attributes);
}

void ReplicatedStore::discard() {
    impl_->discard();
}

void ReplicatedStore::Impl::discard() {
    REGRAFT_EXPECTS(idle() && "no load is under way");
    if (keeping) keeping->discard(comm);
    current.reset();
    spare = Memory();
    if (keeping) keeping->leave(comm);
}

std::uint64_t ReplicatedStore::Impl::names_of_keep() const {
    auto const hash_of = [](std::string const& text) { return hash(std::as_bytes(std::span(text))); };
    return Digest().add(hash_of(options.keep->job)).add(hash_of(options.keep->name)).add(options.integrity).value();
}

std::optional<ReopenReport> ReplicatedStore::Impl::reopen(ReopenOptions const& reopen_options) {
    REGRAFT_EXPECTS(keeping && "Options::keep is given");
    REGRAFT_EXPECTS((!current || reopened) && "nothing was submitted yet");
    comm.reach(reopen_phase.before);
    if (!reopened && !adopt_newest(reopen_options)) return std::nullopt;
    if (reopen_options.repair) {
        auto terms = *reopen_options.repair;
        if (!terms.node) terms.node = reopened->site_of[value(comm.self())];
        reopened->report.repaired = repair(terms);
    }
    comm.reach(reopen_phase.after);
    auto report = std::move(reopened->report);
    reopened.reset();
    return report;
}

/// Returns false if nothing was kept.
bool ReplicatedStore::Impl::adopt_newest(ReopenOptions const& reopen_options) {
    auto survey = keeping->begin(comm, Digest().add(names_of_keep()).add(reopen_options.lost).value());
    for (;;) {
        auto const choice = choose(survey.found);
        comm.agree();
        if (!choice) return false;
        auto const version_found = survey.found[choice->manifests.front()].id.version;
        if (!choice->lost.empty() && reopen_options.lost == ReopenOptions::Lost::thrown) {
            throw DataLost(lost_text(choice->lost, version_found), choice->lost);
        }
        Taken taken{.choice = *choice, .heirs = deal(survey.found, choice->manifests, survey.site_of)};
        comm.reach(reopen_phase.inside);
        // What cannot be read, or is damaged, counts as absent: member by member, the manifest and the blocks.
        std::vector<std::uint64_t> words, reasons;
        for (std::size_t k = 0; k < taken.heirs.size(); ++k) {
            if (taken.heirs[k] != comm.position(comm.self())) continue;
            auto const i = choice->manifests[k];
            Inherited inherited;
            auto const complaint =
                attempt([&] { inherited = keeping->inherit(survey.found[i], checked(), taken.common); });
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
        if (changed) {
            auto const told = exchange::all_gather(comm, reasons);
            std::span<std::uint64_t const> rest = told.values;
            while (!rest.empty()) survey.refused.push_back(take_text(rest));
            continue;
        }
        build(taken, survey);
        return true;
    }
}

void ReplicatedStore::Impl::build(Taken& taken, Survey const& survey) {
    // A member that has taken over nothing does not know the sizes yet.
    std::vector<std::byte> bytes;
    auto const teller = taken.heirs.front();
    auto const& store = options.keep->name;
    if (teller == comm.position(comm.self())) bytes = encode(Manifest{.common = taken.common}, store);
    broadcast(comm, bytes, comm.members()[teller]);
    auto next = std::make_unique<Version>();
    next->common = decode(bytes, store, 0, store).common;
    next->sizes = next->common.sizes;
    next->held = std::move(taken.held);

    auto const members = comm.members();
    std::vector<PeId> slots(members.begin(), members.end());
    for (std::uint32_t i = 0; i < next->common.replicas; ++i) slots.push_back(PeId{comm.num_founders() + i});
    placement::Shape const shape{next->sizes.num_blocks(), static_cast<std::uint32_t>(slots.size()),
                                 next->common.replicas};
    next->directory = placement::Directory(OfTheDead(shape), slots);
    next->directory.retain(members);
    for (std::size_t k = 0; k < taken.heirs.size(); ++k) {
        auto const& found = survey.found[taken.choice.manifests[k]];
        for (auto const& piece : found.pieces) {
            next->directory.add(piece, members[taken.heirs[k]]);
            next->seams.add(piece, members[taken.heirs[k]]);
        }
    }
    next->seams.prune(next->directory);

    auto complaint = attempt([&] {
        keeping->take_over(next->held, taken.mine);
        keeping->write(next->common, next->held, next->sizes, checked());
    });
    auto const leave = [&] { leave_files(next->held); };
    try {
        comm.reach(reopen_phase.inside);
        if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
    } catch (...) {
        leave();
        throw;
    }
    keeping->agreed(next->held);
    keeping->settle();
    for (auto& memory : next->held.memories()) {
        if (memory.segment()) memory.segment()->go();
    }
    current = std::move(next);
    version = current->common.id.version;
    identity = next_identity(comm);
    std::vector<std::uint32_t> site_of(comm.num_founders(), 0);
    for (std::size_t i = 0; i < members.size(); ++i) site_of[value(members[i])] = survey.site_of[i];
    reopened = Reopened{{.version = version,
                         .attributes = current->common.attributes,
                         .refused = survey.refused,
                         .lost = taken.choice.lost,
                         .bytes_inherited = current->held.own_bytes()},
                        std::move(site_of)};
}

}  // namespace regraft::store
