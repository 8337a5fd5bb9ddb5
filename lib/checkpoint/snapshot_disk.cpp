// Commits on disk: every entity is written once by a PE that has it, and dealt anew to the members when it is read.
#include <algorithm>
#include <map>
#include <utility>

#include "checkpoint/snapshot_impl.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"
#include "regraft/disk/archive.hpp"

namespace regraft::checkpoint {
namespace {

namespace fs = std::filesystem;

ft::FailPhase save_phase("snapshot-save");
ft::FailPhase open_phase("snapshot-open");

constexpr BlockRange only(std::size_t i) {
    return {BlockId{i}, BlockId{i + 1}};
}

/// Deals entities to their former homes; those of PEs that are no longer members are balanced.
std::vector<PeId> to_former_homes(std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
    std::vector<PeId> homes;
    std::vector<Survivor> loads(survivors.begin(), survivors.end());
    std::vector<Orphan> others;
    std::vector<std::size_t> which;
    for (auto const& orphan : orphans) {
        auto const found = std::ranges::lower_bound(loads, orphan.home, {}, &Survivor::pe);
        if (found != loads.end() && found->pe == orphan.home) {
            found->bytes += orphan.bytes;
        } else {
            which.push_back(homes.size());
            others.push_back(orphan);
        }
        homes.push_back(orphan.home);
    }
    auto const dealt = balanced(others, loads);
    for (std::size_t k = 0; k < which.size(); ++k) homes[which[k]] = dealt[k];
    return homes;
}

/// The homes of all entities with these members.
std::vector<PeId> deal(SavedState const& state, std::span<PeId const> members, Deal rule) {
    if (!rule) rule = std::ranges::includes(state.members, members) ? Deal(to_former_homes) : Deal(balanced);
    std::vector<Orphan> orphans;
    for (auto const& [name, home, bytes, stored_bytes] : state.entities) orphans.push_back({name, bytes, home, {}});
    std::vector<Survivor> survivors;
    for (auto const pe : members) survivors.push_back({pe, 0});
    auto homes = rule(orphans, survivors);
    REGRAFT_EXPECTS(homes.size() == orphans.size() && "a home for every entity");
    for (auto const home : homes) {
        REGRAFT_EXPECTS(std::binary_search(members.begin(), members.end(), home) && "homes are members");
    }
    return homes;
}

std::vector<BlockRange> at_home(std::span<PeId const> homes, PeId pe) {
    std::vector<BlockRange> blocks;
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (homes[i] == pe) blocks.push_back(only(i));
    }
    return united(std::move(blocks));
}

/// Throws InputError unless all compressed entities can be unpacked. A checksum proves that bytes are undamaged, but
/// not which program wrote them.
void expect_frames(SavedState const& state, store::Opened const& opened, std::string const& file) {
    std::vector<std::byte> memory;
    auto bytes = opened.bytes;
    for (auto const& range : opened.blocks) {
        for (auto i = value(range.first); i < value(range.last); ++i) {
            auto const& entity = state.entities[i];
            try {
                static_cast<void>(unpacked(bytes.first(entity.stored_bytes), entity.bytes, memory));
            } catch (InputError const& error) {
                throw InputError({file}, "has entity '" + entity.name + "', which cannot be unpacked: " + error.what());
            }
            bytes = bytes.subspan(entity.stored_bytes);
        }
    }
}

}  // namespace

store::SaveReport Snapshot::save(fs::path const& archive, store::SaveOptions const& options) {
    return impl_->save(archive, options);
}

store::SaveReport Snapshot::Impl::save(fs::path const& archive, store::SaveOptions save_options) {
    REGRAFT_EXPECTS(generation() > 0 && "something was committed");
    comm.reach(save_phase.before);
    Return going;
    going.homes = deal(to_holders);
    RestoreReport not_restored;
    fetch(going, {}, not_restored);
    comm.reach(save_phase.inside);
    SavedState state{generation(),
                     {comm.members().begin(), comm.members().end()},
                     manifest.entities,
                     current().common,
                     std::move(save_options.attributes)};
    for (std::size_t i = 0; i < going.homes.size(); ++i) state.entities[i].home = going.homes[i];
    save_options.attributes = encode(state);
    auto const report = store::save(comm, archive, manifest.sizes, to_write(going), save_options);
    auto where = saved.where();
    where.push_back({archive, report.generation});
    if (where.size() > save_options.kept) where.erase(where.begin());
    saved = SavedEntities(std::move(where));
    comm.reach(save_phase.after);
    return report;
}

/// This PE's entities, in as few pieces as their memory allows.
std::vector<store::OwnBlocks> Snapshot::Impl::to_write(Return const& going) const {
    std::map<std::uint64_t, std::span<std::byte const>> received;
    std::span<std::byte const> rest = going.received;
    for (auto const& range : going.missing[value(comm.self())]) {
        for (auto i = value(range.first); i < value(range.last); ++i) {
            received[i] = rest.first(manifest.entities[i].stored_bytes);
            rest = rest.subspan(received[i].size());
        }
    }
    std::vector<store::OwnBlocks> pieces;
    for (std::size_t i = 0; i < going.homes.size(); ++i) {
        if (going.homes[i] != comm.self()) continue;
        auto const found = received.find(i);
        auto const bytes = manifest.entities[i].stored_bytes == 0 ? std::span<std::byte const>()
                           : found != received.end()              ? found->second
                                                                  : stored(i);
        REGRAFT_EXPECTS(bytes.size() == manifest.entities[i].stored_bytes);
        auto* const last = pieces.empty() || pieces.back().blocks.last != BlockId{i} ? nullptr : &pieces.back();
        if (last && (bytes.empty() || last->bytes.data() + last->bytes.size() == bytes.data())) {
            *last = {{last->blocks.first, BlockId{i + 1}}, {last->bytes.data(), last->bytes.size() + bytes.size()}};
        } else {
            pieces.push_back({only(i), bytes});
        }
    }
    return pieces;
}

OpenReport Snapshot::open(fs::path const& archive, OpenOptions const& options) {
    return impl_->open(archive, options);
}

OpenReport Snapshot::Impl::open(fs::path const& archive, OpenOptions const& open_options) {
    comm.reach(open_phase.before);
    auto begin = Clock::now();
    auto const lap = [&] { return milliseconds_since(std::exchange(begin, Clock::now())); };
    OpenReport report;
    GivenUp given_up(own, common);
    {
        SavedState state;
        std::vector<PeId> homes;
        std::string file;
        auto const share = [&](disk::Index const& index) {
            file = disk::index_path(archive, index.generation).string();
            state = decode(index.attributes, index.sizes, file);
            homes = checkpoint::deal(state, comm.members(), open_options.deal);
            return at_home(homes, comm.self());
        };
        auto opened = store::open(comm, archive, share, [&](auto const& read) { expect_frames(state, read, file); });
        report.generation = opened.index.generation;
        report.refused = std::move(opened.refused);
        report.bytes_read = opened.bytes.size();
        if (!comm.agree_equal(hash(std::as_bytes(std::span(homes))))) {
            throw ft::Divergence("snapshot: the rule dealt the entities on disk otherwise on some members");
        }
        report.read_ms = lap();
        comm.reach(open_phase.inside);
        take(state, homes, opened.bytes, open_options, report, given_up);
        report.saved_commit = state.commit;
        report.attributes = std::move(state.attributes);
    }
    report.apply_ms = lap();
    comm.reach(open_phase.inside);
    unreported = {};
    last_stop = Clock::now();
    pace.rolled_back();
    commit({{archive, report.generation}});
    comm.reach(open_phase.after);
    report.removed = given_up.for_good();
    report.commit_ms = lap();
    return report;
}

/// Restores the program's state. mine: what is stored of this PE's entities, one behind the other.
void Snapshot::Impl::take(SavedState const& state, std::span<PeId const> homes, std::span<std::byte const> mine,
                          OpenOptions const& open_options, OpenReport& report, GivenUp& given_up) {
    std::vector<std::string_view> own_names, common_names;
    for (std::size_t i = 0; i < homes.size(); ++i) {
        auto const& entity = state.entities[i];
        if (homes[i] == comm.self()) own_names.push_back(entity.name);
        if (homes[i] != entity.home) report.adopted.push_back({entity.name, entity.home, homes[i], entity.bytes});
    }
    for (auto const& entity : state.common.entities) common_names.push_back(entity.name);
    given_up.all_but(std::move(own_names), std::move(common_names));
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (homes[i] != comm.self()) continue;
        auto const& entity = state.entities[i];
        checkpoint::restore(registered(own, entity.name, entity.bytes, open_options.adopt),
                            mine.first(entity.stored_bytes), entity.bytes);
        mine = mine.subspan(entity.stored_bytes);
    }
    std::span<std::byte const> rest = state.common.bytes;
    for (auto const& entity : state.common.entities) {
        checkpoint::restore(registered(common, entity.name, entity.bytes, open_options.adopt), rest.first(entity.bytes),
                            entity.bytes);
        rest = rest.subspan(entity.bytes);
    }
}

/// A commit may have succeeded even if it throws.
CommitReport Snapshot::Impl::commit(std::vector<disk::Saved> on_disk) {
    auto const before = generation();
    auto const note = [&] {
        if (generation() != before) saved = SavedEntities(std::move(on_disk));
    };
    try {
        auto const report = commit();
        note();
        return report;
    } catch (...) {
        note();
        throw;
    }
}

std::function<void(CommittedEntity const&, std::span<std::byte>)> Snapshot::reread() const {
    return [impl = impl_.get()](CommittedEntity const& entity, std::span<std::byte> out) {
        impl->saved.read(entity, out);
    };
}

}  // namespace regraft::checkpoint
