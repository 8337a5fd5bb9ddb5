// Goes back to the last commit: new homes for the entities of the dead, their bytes, an agreement, and then the
// program's state.
#include <algorithm>
#include <utility>

#include "checkpoint/generations.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase restore_phase("snapshot-restore");

std::vector<std::string> names_in(std::span<CommittedEntity const> entities, std::span<BlockRange const> ranges) {
    std::vector<std::string> names;
    for (auto const& range : ranges) {
        for (auto block = range.first; block < range.last; block = advance(block, 1)) {
            names.push_back(entities[value(block)].name);
        }
    }
    return names;
}

/// A restore that was interrupted may have added it already.
void add_once(std::vector<std::string>& names, std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

EntitiesLost entities_lost(std::vector<std::string> names, std::string const& why) {
    constexpr std::size_t most_named = 3;
    auto text = std::to_string(names.size()) + " entities are lost with all ranks that had copies of them";
    if (!why.empty()) text += " and could not be read again (" + why + ")";
    text += ":";
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
        text += (i == 0 ? " '" : ", '") + names[i] + "'";
    }
    if (names.size() > most_named) text += " and " + std::to_string(names.size() - most_named) + " more";
    text += why.empty()
                ? "; more copies, on different nodes, outlive more deaths, and RestoreOptions::reread gets lost "
                  "entities from where they were saved"
                : "; more copies, on different nodes, outlive more deaths";
    return {text, std::move(names)};
}

/// The entities that their home does not hold, or all of the store if a member's own copy is damaged. Row by PeId.
Csr<BlockRange> missing(SnapshotState const& snapshot, std::span<PeId const> homes) {
    auto& comm = snapshot.comm;
    std::vector<char> has_arrived(homes.size(), 0);
    for (std::size_t i = 0; i < homes.size(); ++i) {
        auto const& entity = snapshot.manifest.entities[i];
        has_arrived[i] = entity.stored_bytes == 0 || (!snapshot.arrivals.arrived.empty() &&
                                                      snapshot.arrivals.arrived[i] && homes[i] == entity.home);
    }
    auto is_there = has_arrived;
    snapshot.vault.visit_holders([&](placement::Run const& run) {
        for (auto block = run.blocks.first; block < run.blocks.last; block = advance(block, 1)) {
            auto const i = value(block);
            if (std::binary_search(run.holders.begin(), run.holders.end(), homes[i])) is_there[i] = 1;
        }
    });
    if (snapshot.options.integrity == store::Integrity::checked) {
        bool intact = true;
        for (std::size_t i = 0; i < homes.size(); ++i) {
            bool const from_store = homes[i] == comm.self() && is_there[i] && !has_arrived[i];
            if (from_store && snapshot.vault.held(BlockId{i}).empty()) intact = false;
        }
        // The store finds out which bytes are damaged when they are read, and replaces them.
        if (!comm.agree(intact)) is_there = std::move(has_arrived);
    }
    std::vector<std::vector<BlockRange>> by_pe(comm.num_founders());
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (!is_there[i]) by_pe[value(homes[i])].push_back(only(i));
    }
    Csr<BlockRange> rows;
    for (auto& row : by_pe) rows.push_row(united(std::move(row)));
    return rows;
}

store::LoadOptions options_of_load(SnapshotState const& snapshot, RestoreOptions const& options) {
    using Lost = store::LoadOptions::Lost;
    store::LoadOptions result{.lost = options.lost == RestoreOptions::Lost::left ? Lost::left : Lost::thrown};
    if (!options.reread) return result;
    result.reread = [&](BlockRange blocks, std::span<std::byte> place) {
        for (auto block = blocks.first; block < blocks.last; block = advance(block, 1)) {
            auto const& entity = snapshot.manifest.entities[value(block)];
            options.reread(entity, place.first(entity.stored_bytes));
            place = place.subspan(entity.stored_bytes);
        }
    };
    return result;
}

void note_arrivals(SnapshotState& snapshot, Return& going) {
    auto& comm = snapshot.comm;
    std::span<std::byte const> received = going.received;
    for (std::uint32_t pe = 0; pe < comm.num_founders() && !going.missing.values.empty(); ++pe) {
        for (auto const& range : std::as_const(going).missing[pe]) {
            for (auto i = value(range.first); i < value(range.last); ++i) {
                auto const size = PeId{pe} == comm.self() ? snapshot.manifest.entities[i].stored_bytes : 0;
                auto const bytes = received.first(size);
                received = received.subspan(size);
                if (snapshot.manifest.entities[i].home != PeId{pe}) continue;  // the entity is lost
                snapshot.arrivals.arrived[i] = 1;
                if (PeId{pe} == comm.self()) snapshot.arrivals.here[i] = bytes;
            }
        }
    }
    if (!going.received.empty()) snapshot.arrivals.buffers.push_back(std::move(going.received));
}

/// Either all members get the new homes, or none does. Lost entities stay with the dead.
void commit_homes(SnapshotState& snapshot, Return& going, RestoreReport& report) {
    for (auto const& range : going.lost) {
        for (auto i = value(range.first); i < value(range.last); ++i)
            going.homes[i] = snapshot.manifest.entities[i].home;
    }
    auto const call = store::call(store::Function::restore, snapshot.identity);
    if (!store::agree_in_call(snapshot.comm, call, true, hash(std::as_bytes(std::span(going.homes))))) {
        throw ft::Divergence("snapshot: the rule dealt the entities of the dead otherwise on some members");
    }
    snapshot.arrivals.arrived.resize(going.homes.size(), 0);
    std::map<std::string_view, Adoption*> known;
    for (auto& adoption : report.adopted) known[adoption.name] = &adoption;
    std::vector<Adoption> adopted;
    for (std::size_t i = 0; i < going.homes.size(); ++i) {
        auto& entity = snapshot.manifest.entities[i];
        if (entity.home == going.homes[i]) continue;
        auto const found = known.find(entity.name);  // its new home has died, too
        if (found == known.end()) adopted.push_back({entity.name, entity.home, going.homes[i], entity.bytes});
        if (found != known.end()) found->second->to = going.homes[i];
        entity.home = going.homes[i];
        snapshot.arrivals.arrived[i] = 0;
    }
    report.adopted.insert(report.adopted.end(), adopted.begin(), adopted.end());
    for (auto& name : names_in(snapshot.manifest.entities, going.lost)) {
        std::erase_if(report.adopted, [&](Adoption const& adoption) { return adoption.name == name; });
        add_once(report.lost, std::move(name));
    }
    note_arrivals(snapshot, going);
}

/// The registered entity of this name; the program adopts it if it is not registered.
Entity const& registered(SnapshotState& snapshot, Registry const& registry, std::string const& name,
                         std::uint64_t bytes, Adopt const& adopt) {
    if (!registry.contains(name)) {
        snapshot.program.bytes_to_adopt = bytes;
        REGRAFT_EXPECTS(adopt && "there is a function that adopts entities");
        adopt(name);
    }
    auto const found = registry.find(name);
    REGRAFT_EXPECTS(found != registry.end() && "adopt adds the entity");
    return found->second;
}

void apply_own(SnapshotState& snapshot, std::span<BlockRange const> came, RestoreOptions const& options,
               RestoreReport& report) {
    auto range = came.begin();
    for (std::size_t i = 0; i < snapshot.manifest.entities.size(); ++i) {
        auto const& entity = snapshot.manifest.entities[i];
        if (entity.home != snapshot.comm.self()) continue;
        auto const from = entity.stored_bytes == 0 ? std::span<std::byte const>() : snapshot.stored(i);
        REGRAFT_EXPECTS(from.size() == entity.stored_bytes);
        while (range != came.end() && range->last <= BlockId{i}) ++range;
        if (range == came.end() || !range->contains(BlockId{i})) report.bytes_local += entity.stored_bytes;
        restore_own(snapshot, entity, from, options.adopt);
    }
}

/// Nothing is sent any more, so the next collective notices a death.
void apply(SnapshotState& snapshot, Return const& going, RestoreOptions const& options, RestoreReport& report,
           GivenUp& given_up) {
    std::vector<std::string_view> own_names, common_names;
    for (auto const& entity : snapshot.manifest.entities) {
        if (entity.home == snapshot.comm.self()) own_names.push_back(entity.name);
    }
    for (auto const& entity : snapshot.current().common.entities) common_names.push_back(entity.name);
    given_up.all_but(std::move(own_names), std::move(common_names));
    apply_own(snapshot, going.missing[value(snapshot.comm.self())], options, report);
    restore_common(snapshot, snapshot.current().common, options.adopt);
}

/// Whether any block that the store has lost has arrived at a new home before.
bool kept_only_at_home(SnapshotState const& snapshot, std::span<BlockRange const> lost) {
    if (snapshot.arrivals.arrived.empty()) return false;  // it was never restored
    auto const arrived = [&](BlockRange const& range) {
        return std::any_of(snapshot.arrivals.arrived.begin() + static_cast<std::ptrdiff_t>(value(range.first)),
                           snapshot.arrivals.arrived.begin() + static_cast<std::ptrdiff_t>(value(range.last)),
                           [](char at_home) { return at_home != 0; });
    };
    return std::ranges::any_of(lost, arrived);
}

/// Makes the copies, or parities, that died, unless all are there. Returns whether the store has all that it can have.
bool make_copies(SnapshotState& snapshot, RestoreOptions const& options, RestoreReport& report) {
    auto const members = snapshot.comm.members();
    if (options.redundancy == RestoreOptions::Redundancy::left || std::ranges::equal(snapshot.guarded, members)) {
        return true;
    }
    auto const repaired = snapshot.vault.repair();
    report.redundancy_bytes += repaired.bytes;
    snapshot.guarded.assign(members.begin(), members.end());
    return !kept_only_at_home(snapshot, repaired.lost);
}

void make_redundant(SnapshotState& snapshot, RestoreOptions const& options, RestoreReport& report) {
    bool const is_guarded = std::ranges::equal(snapshot.guarded, snapshot.comm.members());
    if (options.redundancy != RestoreOptions::Redundancy::committed || is_guarded) {
        if (make_copies(snapshot, options, report)) return;
        snapshot.guarded.clear();
    }
    commit(snapshot, snapshot.saved.where());
    report.redundancy_bytes += snapshot.vault.bytes_beside_own();
}

}  // namespace

void restore_own(SnapshotState& snapshot, CommittedEntity const& entity, std::span<std::byte const> stored,
                 Adopt const& adopt) {
    auto const& own = registered(snapshot, snapshot.program.own, entity.name, entity.bytes, adopt);
    checkpoint::restore(own, stored, entity.bytes);
}

void restore_common(SnapshotState& snapshot, Image const& image, Adopt const& adopt) {
    std::span<std::byte const> rest = image.bytes;
    for (auto const& [name, bytes, stored_bytes] : image.entities) {
        auto const& common = registered(snapshot, snapshot.program.common, name, bytes, adopt);
        checkpoint::restore(common, rest.first(stored_bytes), bytes);
        rest = rest.subspan(stored_bytes);
    }
}

std::size_t Snapshot::Impl::place_of(std::uint64_t generation) const {
    if (generation == 0 || generation == gone_back_to) return at;
    auto const found = std::ranges::find(ring, generation, [](auto const& each) { return each->generation(); });
    REGRAFT_EXPECTS(found != ring.end() && "one of Snapshot::generations");
    return static_cast<std::size_t>(found - ring.begin());
}

void Snapshot::Impl::go_back_to(std::size_t place) {
    auto const number = ring[place]->generation();
    for (auto const& each : ring) each->given_up = each->given_up || each->generation() > number;
    at = place;
    gone_back_to = number;
}

RestoreReport Snapshot::restore(RestoreOptions const& options) {
    REGRAFT_EXPECTS(generation() > 0 && "something was committed");
    auto const place = impl_->place_of(options.generation);
    auto& snapshot = *impl_->ring[place];
    auto& comm = snapshot.comm;
    comm.reach(restore_phase.before);
    for (auto const& each : impl_->ring) each->let_write_all();
    auto& report = snapshot.unreported;
    auto begin = Clock::now();
    auto const lap = [&] { return milliseconds_since(std::exchange(begin, Clock::now())); };
    Return going;
    going.homes = deal(snapshot, options.deal);
    report.plan_ms += lap();
    fetch(snapshot, going, options, report);
    comm.reach(restore_phase.inside);
    commit_homes(snapshot, going, report);
    impl_->go_back_to(place);
    report.load_ms += lap();
    GivenUp given_up(snapshot.program.own, snapshot.program.common);
    snapshot.program.told.clear();
    apply(snapshot, going, options, report, given_up);
    comm.reach(restore_phase.after);
    report.apply_ms += lap();
    for (auto const& each : impl_->ring) {
        if (each.get() != &snapshot && each->generation() > 0) make_copies(*each, options, report);
    }
    make_redundant(snapshot, options, report);  // last: if it commits, the restore has succeeded
    report.redundancy_ms += lap();
    report.generation = snapshot.generation();
    snapshot.program.pace.rolled_back();
    snapshot.program.last_stop = Clock::now();
    report.removed = given_up.for_good();
    return std::exchange(snapshot.unreported, {});
}

std::vector<PeId> deal(SnapshotState const& snapshot, Deal const& rule) {
    auto const members = snapshot.comm.members();
    std::vector<PeId> homes;
    std::vector<Survivor> survivors;
    for (auto const pe : members) survivors.push_back({pe, 0});
    std::vector<std::size_t> orphaned;
    for (std::size_t i = 0; i < snapshot.manifest.entities.size(); ++i) {
        auto const& entity = snapshot.manifest.entities[i];
        homes.push_back(entity.home);
        if (std::binary_search(members.begin(), members.end(), entity.home)) {
            survivors[snapshot.comm.position(entity.home)].bytes += entity.bytes;
        } else {
            orphaned.push_back(i);
        }
    }
    if (orphaned.empty()) return homes;

    Csr<PeId> holders;
    auto next = orphaned.begin();
    snapshot.vault.visit_holders([&](placement::Run const& run) {
        for (; next != orphaned.end() && run.blocks.contains(BlockId{*next}); ++next) holders.push_row(run.holders);
    });
    std::vector<Orphan> orphans;
    for (std::size_t k = 0; k < orphaned.size(); ++k) {
        auto const& entity = snapshot.manifest.entities[orphaned[k]];
        orphans.push_back({entity.name, entity.bytes, entity.home, std::as_const(holders)[k]});
    }
    auto const dealt = rule(orphans, survivors);
    REGRAFT_EXPECTS(dealt.size() == orphans.size() && "a home for every orphan");
    for (std::size_t k = 0; k < orphaned.size(); ++k) {
        REGRAFT_EXPECTS(std::binary_search(members.begin(), members.end(), dealt[k]) && "homes are members");
        homes[orphaned[k]] = dealt[k];
    }
    return homes;
}

void fetch(SnapshotState& snapshot, Return& going, RestoreOptions const& options, RestoreReport& report) {
    going.missing = missing(snapshot, going.homes);
    auto const& rows = std::as_const(going).missing;
    if (rows.values.empty()) return;
    std::uint64_t bytes = 0;
    for (auto const& range : rows[value(snapshot.comm.self())]) bytes += snapshot.vault.sizes().bytes(range);
    going.received.resize(bytes);
    auto load_options = options_of_load(snapshot, options);
    store::LoadReport loaded;
    try {
        loaded = snapshot.vault.load(rows, going.received, load_options);
    } catch (store::DataLost const& error) {
        if (options.lost == RestoreOptions::Lost::thrown) {
            throw entities_lost(names_in(snapshot.manifest.entities, error.ranges()), error.why());
        }
        load_options.reread = {};  // it would be called in vain
        loaded = snapshot.vault.load(rows, going.received, load_options);
    }
    report.bytes_received += loaded.bytes_received;
    report.bytes_local += loaded.bytes_local;
    if (!load_options.reread) going.lost = std::move(loaded.lost);
}

}  // namespace regraft::checkpoint
