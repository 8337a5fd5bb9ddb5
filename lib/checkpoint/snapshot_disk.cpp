// Commits on disk: every entity is written once by a PE that has it, and dealt anew to the members when it is read.
#include <algorithm>
#include <map>
#include <utility>

#include "checkpoint/generations.hpp"
#include "checkpoint/opening.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/disk/archive.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;

ft::FailPhase save_phase("snapshot-save");
ft::FailPhase open_phase("snapshot-open");

/// This PE's entities, in as few pieces as their memory allows.
std::vector<store::OwnBlocks> to_write(SnapshotState const& snapshot, Return const& going) {
    std::map<std::uint64_t, std::span<std::byte const>> received;
    std::span<std::byte const> rest = going.received;
    for (auto const& range : going.missing[value(snapshot.comm.self())]) {
        for (auto i = value(range.first); i < value(range.last); ++i) {
            received[i] = rest.first(snapshot.manifest.entities[i].stored_bytes);
            rest = rest.subspan(received[i].size());
        }
    }
    std::vector<store::OwnBlocks> pieces;
    for (std::size_t i = 0; i < going.homes.size(); ++i) {
        if (going.homes[i] != snapshot.comm.self()) continue;
        auto const found = received.find(i);
        auto const bytes = snapshot.manifest.entities[i].stored_bytes == 0 ? std::span<std::byte const>()
                           : found != received.end()                       ? found->second
                                                                           : snapshot.stored(i);
        REGRAFT_EXPECTS(bytes.size() == snapshot.manifest.entities[i].stored_bytes);
        auto* const last = pieces.empty() || pieces.back().blocks.last != BlockId{i} ? nullptr : &pieces.back();
        if (last && (bytes.empty() || last->bytes.data() + last->bytes.size() == bytes.data())) {
            *last = {{last->blocks.first, BlockId{i + 1}}, {last->bytes.data(), last->bytes.size() + bytes.size()}};
        } else {
            pieces.push_back({only(i), bytes});
        }
    }
    return pieces;
}

/// What is to be saved of the last commit. What this PE has not got comes into `going`. Collective, uniform.
store::ToSave to_save(SnapshotState& snapshot, Return& going, fs::path const& archive, store::SaveOptions options) {
    auto& comm = snapshot.comm;
    REGRAFT_EXPECTS(snapshot.generation() > 0 && "something was committed");
    comm.reach(save_phase.before);
    going.homes = deal(snapshot, to_holders);
    RestoreReport not_restored;
    fetch(snapshot, going, {}, not_restored);
    comm.reach(save_phase.inside);
    SavedState state{snapshot.generation(),
                     {comm.members().begin(), comm.members().end()},
                     snapshot.manifest.entities,
                     snapshot.current().common,
                     std::move(options.attributes)};
    for (std::size_t i = 0; i < going.homes.size(); ++i) state.entities[i].home = going.homes[i];
    options.attributes = encode(state);
    auto const note = [&snapshot, archive, kept = options.kept,
                       version = snapshot.vault.version()](store::SaveReport const& report) {
        if (snapshot.vault.version() == version) {
            auto where = snapshot.saved.where();
            where.push_back({archive, report.generation});
            if (where.size() > kept) where.erase(where.begin());
            snapshot.saved = SavedEntities(std::move(where));
        }
        snapshot.comm.reach(save_phase.after);
    };
    return {archive, snapshot.manifest.sizes, to_write(snapshot, going), std::move(options), {}, note};
}

}  // namespace

store::Saving Snapshot::start_save(fs::path const& archive, store::SaveOptions const& options) {
    auto& snapshot = impl_->last();
    auto going = std::make_shared<Return>();
    auto given = to_save(snapshot, *going, archive, options);
    given.writing = std::make_shared<store::Writing>();
    snapshot.writing.emplace(snapshot.vault.version(), given.writing);
    given.after = [going, note = std::move(given.after)](store::SaveReport const& report) { note(report); };
    return store::start_save_of(snapshot.identity, snapshot.comm, std::move(given));
}

store::SaveReport Snapshot::save(fs::path const& archive, store::SaveOptions const& options) {
    auto& snapshot = impl_->last();
    Return going;
    auto const given = to_save(snapshot, going, archive, options);
    auto const report =
        store::save_of(snapshot.identity, snapshot.comm, given.archive, given.sizes, given.mine, given.options);
    given.after(report);
    return report;
}

void take(SnapshotState& snapshot, SavedState const& state, std::span<PeId const> homes,
          std::span<std::byte const> mine, OpenOptions const& options, OpenReport& report, GivenUp& given_up) {
    std::vector<std::string_view> own_names, common_names;
    for (std::size_t i = 0; i < homes.size(); ++i) {
        auto const& entity = state.entities[i];
        if (homes[i] == snapshot.comm.self()) own_names.push_back(entity.name);
        if (homes[i] != entity.home) report.adopted.push_back({entity.name, entity.home, homes[i], entity.bytes});
    }
    for (auto const& entity : state.common.entities) common_names.push_back(entity.name);
    given_up.all_but(std::move(own_names), std::move(common_names));
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (homes[i] != snapshot.comm.self()) continue;
        auto const& entity = state.entities[i];
        restore_own(snapshot, entity, mine.first(entity.stored_bytes), options.adopt);
        mine = mine.subspan(entity.stored_bytes);
    }
    restore_common(snapshot, state.common, options.adopt);
}

namespace {

OpenReport open(SnapshotState& snapshot, fs::path const& archive, OpenOptions const& options) {
    auto& comm = snapshot.comm;
    comm.reach(open_phase.before);
    auto begin = Clock::now();
    auto const lap = [&] { return milliseconds_since(std::exchange(begin, Clock::now())); };
    OpenReport report;
    GivenUp given_up(snapshot.program.own, snapshot.program.common);
    {
        SavedState state;
        std::vector<PeId> homes;
        std::string file;
        auto const share = [&](disk::Index const& index) {
            file = disk::index_path(archive, index.generation).string();
            state = decode(index.attributes, index.sizes, file);
            homes = checkpoint::deal(state, {}, comm.members(), options.deal);
            return at_home(homes, comm.self());
        };
        auto opened = store::open(comm, archive, share,
                                  [&](auto const& read) { expect_frames(state, read.blocks, read.bytes, file); });
        report.generation = opened.index.generation;
        report.refused = std::move(opened.refused);
        report.bytes_read = opened.bytes.size();
        if (!comm.agree_equal(hash(std::as_bytes(std::span(homes))))) {
            throw ft::Divergence("snapshot: the rule dealt the entities on disk otherwise on some members");
        }
        report.read_ms = lap();
        comm.reach(open_phase.inside);
        take(snapshot, state, homes, opened.bytes, options, report, given_up);
        report.saved_commit = state.commit;
        report.attributes = std::move(state.attributes);
    }
    report.apply_ms = lap();
    comm.reach(open_phase.inside);
    snapshot.unreported = {};
    snapshot.program.last_stop = Clock::now();
    snapshot.program.pace.rolled_back();
    checkpoint::commit(snapshot, {{archive, report.generation}});
    comm.reach(open_phase.after);
    report.removed = given_up.for_good();
    report.commit_ms = lap();
    return report;
}

}  // namespace

OpenReport Snapshot::open(fs::path const& archive, OpenOptions const& options) {
    return impl_->replace_oldest([&](SnapshotState& oldest) { return checkpoint::open(oldest, archive, options); });
}

std::function<void(CommittedEntity const&, std::span<std::byte>)> Snapshot::reread() const {
    return [impl = impl_.get()](CommittedEntity const& entity, std::span<std::byte> out) {
        impl->last().saved.read(entity, out);
    };
}

}  // namespace regraft::checkpoint
