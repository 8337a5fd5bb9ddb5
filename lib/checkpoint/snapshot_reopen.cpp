// Commits in files of the nodes: the store behind the snapshot takes them over, and the entities are dealt to the
// members of this job.
#include <algorithm>
#include <utility>

#include "checkpoint/generations.hpp"
#include "checkpoint/opening.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/store/disk.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase reopen_phase("snapshot-reopen");

/// Deals the entities of the store's version, loads those of this PE, and returns the homes of all.
std::vector<PeId> load_kept(SnapshotState& snapshot, Deal const& rule, SavedState& state, Csr<BlockRange>& wanted,
                            std::vector<std::byte>& mine) {
    auto& comm = snapshot.comm;
    auto const where = (snapshot.options.keep->folder / snapshot.options.keep->name).string();
    try {
        state = decode(snapshot.reopened->attributes, snapshot.vault.sizes(), where);
    } catch (InputError const& error) {  // all members have the same attributes
        throw store::DiskError(error.what());
    }
    Csr<PeId> holders;
    snapshot.vault.visit_holders([&](placement::Run const& run) {
        for (std::uint64_t left = run.blocks.size(); left > 0; --left) holders.push_row(run.holders);
    });
    auto homes = checkpoint::deal(state, holders, comm.members(), rule ? rule : Deal(to_holders));
    if (!comm.agree_equal(hash(std::as_bytes(std::span(homes))))) {
        throw ft::Divergence("snapshot: the rule dealt the kept entities otherwise on some members");
    }
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) wanted.push_row(at_home(homes, PeId{pe}));
    auto const entities = std::as_const(wanted)[value(comm.self())];
    std::uint64_t bytes = 0;
    for (auto const& range : entities) bytes += snapshot.vault.sizes().bytes(range);
    mine.resize(bytes);
    static_cast<void>(snapshot.vault.load(wanted, mine, {}));
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

}  // namespace

std::optional<OpenReport> Snapshot::reopen(OpenOptions const& options) {
    auto& snapshot = impl_->last();
    auto& comm = snapshot.comm;
    REGRAFT_EXPECTS(snapshot.options.keep && "SnapshotOptions::keep is given");
    REGRAFT_EXPECTS(snapshot.generation() == 0 && "nothing was committed yet");
    comm.reach(reopen_phase.before);
    auto begin = Clock::now();
    auto const lap = [&] { return milliseconds_since(std::exchange(begin, Clock::now())); };
    if (!snapshot.reopened || snapshot.vault.reopens_anew()) {
        auto kept = snapshot.vault.reopen();
        if (!kept) return std::nullopt;
        snapshot.reopened = std::move(*kept);
    }
    OpenReport report;
    report.generation = report.saved_commit = snapshot.reopened->version;
    report.refused = snapshot.reopened->refused;
    GivenUp given_up(snapshot.program.own, snapshot.program.common);
    {
        SavedState state;
        Csr<BlockRange> wanted;
        std::vector<std::byte> mine;
        auto const homes = load_kept(snapshot, options.deal, state, wanted, mine);
        report.bytes_read = mine.size();
        report.read_ms = lap();
        comm.reach(reopen_phase.inside);
        take(snapshot, state, homes, mine, options, report, given_up);
    }
    report.apply_ms = lap();
    comm.reach(reopen_phase.inside);
    snapshot.program.last_stop = Clock::now();
    snapshot.program.pace.rolled_back();
    checkpoint::commit(snapshot, {});
    comm.reach(reopen_phase.after);
    report.removed = given_up.for_good();
    report.commit_ms = lap();
    return report;
}

void Snapshot::discard() {
    REGRAFT_EXPECTS(impl_->ring.size() == 1 && "SnapshotOptions::keep is given");
    impl_->last().let_write_all();
    impl_->last().vault.discard();
}

}  // namespace regraft::checkpoint
