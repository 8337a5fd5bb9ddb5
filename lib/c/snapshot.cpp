// Snapshots for callers in C.
#include "regraft/checkpoint/snapshot.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "c/archive.hpp"
#include "c/communicator.hpp"
#include "c/keep.hpp"
#include "c/snapshot.hpp"

using namespace regraft;

struct regraft_snapshot {
    regraft_snapshot(std::shared_ptr<c::Shared> keep, checkpoint::SnapshotOptions options)
        : shared(std::move(keep)),
          is_kept(options.keep.has_value()),
          owner(std::make_shared<checkpoint::Snapshot>(shared->comm, std::move(options))) {}

    std::shared_ptr<c::Shared> shared;
    bool is_kept;  // in files
    bool is_discarded = false;
    std::shared_ptr<checkpoint::Snapshot> owner;  // with saves that are under way
    checkpoint::Snapshot& snapshot = *owner;
    std::vector<checkpoint::Adoption> adopted;
    std::vector<std::string> lost;     // names that the last restore found lost
    std::vector<std::string> removed;  // names that it has unregistered
    c::OpenedArchive opened;
};

struct regraft_saving {
    regraft_saving(regraft_snapshot const& handle, store::Saving begun)
        : shared(handle.shared), snapshot(handle.owner), epoch(shared->comm.epoch()), saving(std::move(begun)) {}

    std::shared_ptr<c::Shared> shared;
    std::shared_ptr<checkpoint::Snapshot> snapshot;  // whose memory is written
    std::uint32_t epoch;
    std::optional<store::Saving> saving;  // until it was waited for
};

namespace {

checkpoint::Redundancy redundancy(regraft_snapshot_options const& given, std::uint32_t num_founders) {
    if (given.parities != 0) {
        c::expect(given.data >= 1 && given.data <= 254 && given.parities <= 255 - given.data,
                  "a code of at least one piece of data, at most 255 pieces in all");
        return erasure::Code(given.data, given.parities);
    }
    auto const copies = given.copies != 0 ? given.copies : 2;
    if (given.node_of == nullptr) return checkpoint::pairwise(copies);
    return checkpoint::on_other_nodes({given.node_of, given.node_of + num_founders}, copies);
}

checkpoint::SnapshotOptions::Differential differential(std::uint32_t given) {
    using Differential = checkpoint::SnapshotOptions::Differential;
    c::expect(given <= REGRAFT_DIFFERENTIAL_ALWAYS, "differential of at most REGRAFT_DIFFERENTIAL_ALWAYS");
    if (given == REGRAFT_DIFFERENTIAL_NEVER) return Differential::never;
    return given == REGRAFT_DIFFERENTIAL_ALWAYS ? Differential::always : Differential::automatic;
}

/// An entity from its two functions, which call the caller's functions in C.
template <class Bytes, class Room>
checkpoint::Entity entity_by(Bytes bytes, Room room) {
    return {[bytes](ByteWriter& out) { out.put_plain(bytes()); },
            [room](ByteReader& in) { in.get_plain(room(in.size())); }, bytes};
}

checkpoint::Entity fixed_entity(void* data, std::uint64_t size) {
    auto const place = c::span_of(static_cast<std::byte*>(data), size, "data, not NULL");
    return entity_by([place] { return std::span<std::byte const>(place); },
                     [place](std::size_t saved) {
                         c::expect(saved == place.size(), "an entity of the size that was committed");
                         return place;
                     });
}

checkpoint::Entity changing_entity(regraft_entity const& entity) {
    c::expect(entity.bytes != nullptr && entity.room != nullptr, "an entity with bytes and room, not NULL");
    return entity_by(
        [entity] {
            std::uint64_t size = 0;
            auto const* const data = static_cast<std::byte const*>(entity.bytes(&size, entity.context));
            return c::span_of(data, size, "bytes of an entity, not NULL");
        },
        [entity](std::size_t size) {
            return c::span_of(static_cast<std::byte*>(entity.room(size, entity.context)), size,
                              "room for an entity, not NULL");
        });
}

/// Calls the caller's function for an entity that gets its new home here.
std::function<void(std::string const&)> adopt_by(regraft_snapshot const& handle, regraft_restore_options const* given) {
    auto const adopt = given == nullptr ? nullptr : given->adopt;
    auto* const context = given == nullptr ? nullptr : given->context;
    return [&handle, adopt, context](std::string const& name) {
        c::expect(adopt != nullptr, "a function that adopts entities");
        auto const status = adopt(name.c_str(), handle.snapshot.bytes_to_adopt(), context);
        if (status != REGRAFT_OK)
            throw std::runtime_error("adopt returned status " + std::to_string(status) + " for " + name);
        c::expect(handle.snapshot.has(name), "that adopt adds the entity");
    };
}

checkpoint::RestoreOptions restore_options(regraft_snapshot const& handle, regraft_restore_options const* given) {
    auto options = c::restore_options(handle.snapshot, given);
    options.adopt = adopt_by(handle, given);
    return options;
}

/// Calls work() for a collective of a snapshot, and returns its outcome as a status.
template <class Work>
regraft_status guarded(regraft_snapshot* snapshot, Work work) noexcept {
    return c::guarded(snapshot, [&](regraft_snapshot& handle) {
        c::expect(!handle.is_discarded, "a snapshot that was not discarded");
        work(handle);
    });
}

/// What an open or reopen tells. Keeps what the caller may ask for afterwards.
regraft_open_report told_of(regraft_snapshot& handle, checkpoint::OpenReport done) {
    auto told = c::report_of(done);
    handle.lost.clear();
    handle.removed = std::move(done.removed);
    handle.adopted = std::move(done.adopted);
    handle.opened.take(done, told);
    return told;
}

std::string new_name(checkpoint::Snapshot const& snapshot, char const* name) {
    c::expect(name != nullptr, "a name, not NULL");
    c::expect(!snapshot.has(name), "a name that no entity here has");
    return name;
}

}  // namespace

checkpoint::SnapshotOptions c::snapshot_options(Shared const& shared, regraft_snapshot_options const* given) {
    checkpoint::SnapshotOptions options;
    if (given == nullptr) return options;
    c::expect(given->mtbf_hours >= 0, "mtbf_hours of at least 0");
    options.redundancy = redundancy(*given, shared.comm.num_founders());
    if (given->node_of != nullptr && given->parities != 0) options.node = given->node_of[value(shared.comm.self())];
    options.keep = c::keep_of(given->keep);
    if (given->compressed) options.form = checkpoint::SnapshotOptions::Form::compressed;
    if (given->checked) options.integrity = store::Integrity::checked;
    options.differential = differential(given->differential);
    if (given->chunk_bytes > 0) options.chunk_bytes = given->chunk_bytes;
    if (given->trusts_changes) options.told = checkpoint::SnapshotOptions::Told::trusted;
    if (given->generations > 0) options.generations = given->generations;
    expect(options.generations == 1 || !options.keep, "files of one generation alone");
    options.pace.steps = given->steps;
    if (given->mtbf_hours > 0) options.pace.mtbf_hours = given->mtbf_hours;
    return options;
}

checkpoint::RestoreOptions c::restore_options(checkpoint::Snapshot const& snapshot,
                                              regraft_restore_options const* given) {
    checkpoint::RestoreOptions options;
    if (given == nullptr) return options;
    if (given->balanced) options.deal = checkpoint::balanced;
    if (given->leave_lost) options.lost = checkpoint::RestoreOptions::Lost::left;
    options.generation = given->generation;
    auto const all = snapshot.generations();
    expect(given->generation == 0 || std::ranges::find(all, given->generation) != all.end(),
           "a generation that can be gone back to");
    if (given->from_disk) options.reread = snapshot.reread();
    return options;
}

regraft_status regraft_snapshot_create(regraft_communicator* comm, regraft_snapshot_options const* options,
                                       regraft_snapshot** snapshot) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        c::make(snapshot, handle.shared, c::snapshot_options(*handle.shared, options));
    });
}

void regraft_snapshot_free(regraft_snapshot* snapshot) {
    delete snapshot;
}

regraft_status regraft_snapshot_add(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size) {
    return c::guarded([&] {
        auto& handle = c::object(snapshot, "a snapshot, not NULL");
        handle.snapshot.add(new_name(handle.snapshot, name), fixed_entity(data, size));
    });
}

regraft_status regraft_snapshot_add_entity(regraft_snapshot* snapshot, char const* name, regraft_entity const* entity) {
    return c::guarded([&] {
        auto& handle = c::object(snapshot, "a snapshot, not NULL");
        auto const& given = c::object(entity, "an entity, not NULL");
        handle.snapshot.add(new_name(handle.snapshot, name), changing_entity(given));
    });
}

regraft_status regraft_snapshot_add_common(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size) {
    return c::guarded([&] {
        auto& handle = c::object(snapshot, "a snapshot, not NULL");
        handle.snapshot.add_common(new_name(handle.snapshot, name), fixed_entity(data, size));
    });
}

regraft_status regraft_snapshot_remove(regraft_snapshot* snapshot, char const* name) {
    return c::guarded([&] {
        auto& handle = c::object(snapshot, "a snapshot, not NULL");
        c::expect(name != nullptr && handle.snapshot.has(name), "a name that an entity here has");
        handle.snapshot.remove(name);
    });
}

regraft_status regraft_snapshot_changed(regraft_snapshot* snapshot, char const* name, uint64_t first_byte,
                                        uint64_t bytes) {
    return c::guarded([&] {
        auto& handle = c::object(snapshot, "a snapshot, not NULL");
        c::expect(name != nullptr && handle.snapshot.has(name), "a name that an entity here has");
        handle.snapshot.changed(name, first_byte, bytes);
    });
}

bool regraft_snapshot_has(regraft_snapshot const* snapshot, char const* name) {
    return snapshot != nullptr && name != nullptr && snapshot->snapshot.has(name);
}

regraft_status regraft_snapshot_commit(regraft_snapshot* snapshot, regraft_commit_report* report) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        auto const done = handle.snapshot.commit();
        if (report != nullptr) *report = c::report_of(done);
    });
}

bool regraft_snapshot_due(regraft_snapshot* snapshot) {
    return snapshot != nullptr && snapshot->snapshot.due();
}

regraft_status regraft_snapshot_restore(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                        regraft_restore_report* report) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        c::expect(handle.snapshot.generation() > 0, "a snapshot that was committed");
        try {
            auto done = handle.snapshot.restore(restore_options(handle, options));
            if (report != nullptr) *report = c::report_of(done);
            handle.lost = std::move(done.lost);
            handle.removed = std::move(done.removed);
            handle.adopted = std::move(done.adopted);
        } catch (checkpoint::EntitiesLost const& error) {
            handle.lost = error.names();
            throw;
        }
    });
}

regraft_status regraft_snapshot_save(regraft_snapshot* snapshot, char const* archive,
                                     regraft_save_options const* options, regraft_save_report* report) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        auto const path = c::archive_at(archive);
        auto const given = c::save_options(options);
        c::expect(handle.snapshot.generation() > 0, "a snapshot that was committed");
        auto const done = handle.snapshot.save(path, given);
        if (report != nullptr) *report = c::report_of(done);
    });
}

regraft_status regraft_snapshot_start_save(regraft_snapshot* snapshot, char const* archive,
                                           regraft_save_options const* options, regraft_saving** saving) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        auto const path = c::archive_at(archive);
        auto const given = c::save_options(options);
        auto& begun = c::object(saving, "where to put the handle, not NULL");
        c::expect(handle.snapshot.generation() > 0, "a snapshot that was committed");
        c::make(&begun, handle, handle.snapshot.start_save(path, given));
    });
}

bool regraft_saving_is_written(regraft_saving const* saving) {
    return saving != nullptr && (!saving->saving || saving->saving->is_written());
}

regraft_status regraft_saving_wait(regraft_saving* saving, regraft_save_report* report) {
    return c::guarded(saving, [&](regraft_saving& handle) {
        c::expect(handle.saving.has_value(), "a save that was not waited for");
        c::expect(handle.epoch == handle.shared->comm.epoch(), "a save that no failure has ended");
        auto waited = std::move(*handle.saving);
        handle.saving.reset();
        auto const done = waited.wait();
        if (report != nullptr) *report = c::report_of(done);
    });
}

void regraft_saving_free(regraft_saving* saving) {
    delete saving;
}

regraft_status regraft_snapshot_open(regraft_snapshot* snapshot, char const* archive,
                                     regraft_restore_options const* options, regraft_open_report* report) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        auto done = handle.snapshot.open(c::archive_at(archive), {.adopt = adopt_by(handle, options)});
        auto const told = told_of(handle, std::move(done));
        if (report != nullptr) *report = told;
    });
}

regraft_status regraft_snapshot_reopen(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                       regraft_open_report* report) {
    return guarded(snapshot, [&](regraft_snapshot& handle) {
        c::expect(handle.is_kept, "a snapshot with files (regraft_keep)");
        c::expect(handle.snapshot.generation() == 0, "a snapshot that was not committed");
        auto done = handle.snapshot.reopen({.adopt = adopt_by(handle, options)});
        auto const told = done ? told_of(handle, std::move(*done)) : regraft_open_report{};
        if (report != nullptr) *report = told;
    });
}

regraft_status regraft_snapshot_discard(regraft_snapshot* snapshot) {
    return c::guarded(snapshot, [&](regraft_snapshot& handle) {
        handle.is_discarded = true;
        handle.snapshot.discard();
    });
}

char const* regraft_snapshot_refused(regraft_snapshot const* snapshot, uint64_t index) {
    return snapshot == nullptr ? nullptr : c::text_at(snapshot->opened.refused, index);
}

uint64_t regraft_snapshot_generation(regraft_snapshot const* snapshot) {
    return snapshot == nullptr ? 0 : snapshot->snapshot.generation();
}

uint64_t regraft_snapshot_oldest(regraft_snapshot const* snapshot) {
    if (snapshot == nullptr) return 0;
    auto const all = snapshot->snapshot.generations();
    return all.empty() ? 0 : all.front();
}

uint64_t regraft_snapshot_num_committed(regraft_snapshot const* snapshot) {
    return snapshot == nullptr ? 0 : snapshot->snapshot.committed().size();
}

regraft_status regraft_snapshot_committed(regraft_snapshot const* snapshot, uint64_t index, regraft_committed* entity) {
    return c::guarded([&] {
        auto const all = c::object(snapshot, "a snapshot, not NULL").snapshot.committed();
        c::expect(index < all.size(), "an entity that there is");
        auto const& [name, home, bytes, stored_bytes] = all[index];
        c::object(entity, "entity, not NULL") = {name.c_str(), value(home), bytes, stored_bytes};
    });
}

regraft_status regraft_snapshot_adopted(regraft_snapshot const* snapshot, uint64_t index, regraft_adoption* adoption) {
    return c::guarded([&] {
        auto const& all = c::object(snapshot, "a snapshot, not NULL").adopted;
        c::expect(index < all.size(), "an adoption that there is");
        auto const& [name, from, to, bytes] = all[index];
        c::object(adoption, "adoption, not NULL") = {name.c_str(), value(from), value(to), bytes};
    });
}

char const* regraft_snapshot_lost(regraft_snapshot const* snapshot, uint64_t index) {
    return snapshot == nullptr ? nullptr : c::text_at(snapshot->lost, index);
}

char const* regraft_snapshot_removed(regraft_snapshot const* snapshot, uint64_t index) {
    return snapshot == nullptr ? nullptr : c::text_at(snapshot->removed, index);
}

uint64_t regraft_snapshot_bytes_held(regraft_snapshot const* snapshot) {
    return snapshot == nullptr ? 0 : snapshot->snapshot.bytes_held();
}

regraft_status regraft_snapshot_trim(regraft_snapshot* snapshot) {
    return c::guarded([&] { c::object(snapshot, "a snapshot, not NULL").snapshot.trim(); });
}
