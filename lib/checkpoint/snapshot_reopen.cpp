// Commits in files of the nodes: the store behind the snapshot takes them over, and the entities are dealt to the
// members of this job.
#include <algorithm>
#include <utility>

#include "checkpoint/opening.hpp"
#include "checkpoint/snapshot_impl.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/store/disk.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase reopen_phase("snapshot-reopen");

}  // namespace

std::optional<OpenReport> Snapshot::reopen(OpenOptions const& options) {
    return impl_->reopen(options);
}

void Snapshot::discard() {
    impl_->vault.discard();
}

/// What the files tell the next job beside the bytes of the entities.
void Snapshot::Impl::describe(Manifest const& of, Images const& next) {
    if (!options.keep) return;
    vault.set_attributes(
        encode({vault.version() + 1, {comm.members().begin(), comm.members().end()}, of.entities, next.common, {}}));
}

std::optional<OpenReport> Snapshot::Impl::reopen(OpenOptions const& open_options) {
    REGRAFT_EXPECTS(options.keep && "SnapshotOptions::keep is given");
    REGRAFT_EXPECTS(generation() == 0 && "nothing was committed yet");
    comm.reach(reopen_phase.before);
    auto begin = Clock::now();
    auto const lap = [&] { return milliseconds_since(std::exchange(begin, Clock::now())); };
    if (!reopened) {
        auto kept = vault.reopen();
        if (!kept) return std::nullopt;
        reopened = std::move(*kept);
    }
    OpenReport report;
    report.generation = report.saved_commit = reopened->version;
    report.refused = reopened->refused;
    GivenUp given_up(own, common);
    {
        SavedState state;
        Csr<BlockRange> wanted;
        std::vector<std::byte> mine;
        auto const homes = load_kept(open_options.deal, state, wanted, mine);
        report.bytes_read = mine.size();
        report.read_ms = lap();
        comm.reach(reopen_phase.inside);
        take(state, homes, mine, open_options, report, given_up);
    }
    report.apply_ms = lap();
    comm.reach(reopen_phase.inside);
    last_stop = Clock::now();
    pace.rolled_back();
    commit({});
    comm.reach(reopen_phase.after);
    report.removed = given_up.for_good();
    report.commit_ms = lap();
    return report;
}

/// Deals the entities of the store's version, loads those of this PE, and returns the homes of all.
std::vector<PeId> Snapshot::Impl::load_kept(Deal const& rule, SavedState& state, Csr<BlockRange>& wanted,
                                            std::vector<std::byte>& mine) {
    auto const where = (options.keep->folder / options.keep->name).string();
    try {
        state = decode(reopened->attributes, vault.sizes(), where);
    } catch (InputError const& error) {  // all members have the same attributes
        throw store::DiskError(error.what());
    }
    Csr<PeId> holders;
    vault.visit_holders([&](placement::Run const& run) {
        for (std::uint64_t left = run.blocks.size(); left > 0; --left) holders.push_row(run.holders);
    });
    auto homes = checkpoint::deal(state, holders, comm.members(), rule ? rule : Deal(to_holders));
    if (!comm.agree_equal(hash(std::as_bytes(std::span(homes))))) {
        throw ft::Divergence("snapshot: the rule dealt the kept entities otherwise on some members");
    }
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) wanted.push_row(at_home(homes, PeId{pe}));
    auto const entities = std::as_const(wanted)[value(comm.self())];
    std::uint64_t bytes = 0;
    for (auto const& range : entities) bytes += vault.sizes().bytes(range);
    mine.resize(bytes);
    static_cast<void>(vault.load(wanted, mine, {}));
    std::string wrong;
    try {
        expect_frames(state, entities, mine, where);
    } catch (InputError const& error) {
        wrong = error.what();
    }
    if (!comm.agree(wrong.empty())) {
        throw store::DiskError(wrong.empty() ? where + ": has an entity of another rank that cannot be unpacked"
                                             : wrong);
    }
    return homes;
}

}  // namespace regraft::checkpoint
