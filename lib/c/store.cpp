// The stores for callers in C: copies, or pieces of an erasure code.
#include <algorithm>
#include <limits>
#include <string>
#include <variant>

#include "c/archive.hpp"
#include "c/communicator.hpp"
#include "c/keep.hpp"
#include "c/placement.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

struct regraft_store {
    regraft_store(std::shared_ptr<c::Shared> keep, store::Options options)
        : shared(std::move(keep)),
          checked(options.integrity == store::Integrity::checked),
          is_kept(options.keep.has_value()),
          store(std::in_place_type<store::ReplicatedStore>, shared->comm, options) {}
    regraft_store(std::shared_ptr<c::Shared> keep, erasure::Code with, store::ErasureOptions options)
        : shared(std::move(keep)),
          checked(options.integrity == store::Integrity::checked),
          is_kept(options.keep.has_value()),
          code(with),
          store(std::in_place_type<store::ErasureStore>, shared->comm, options) {}

    /// Runs work on either kind of store.
    template <class Do>
    auto with(Do work) {
        return std::visit(work, store);
    }
    template <class Do>
    auto with(Do work) const {
        return std::visit(work, store);
    }

    /// Whether there are blocks to read: a version that was not discarded.
    bool can_be_read() const {
        return with([](auto const& any) { return any.version(); }) > last_discarded;
    }

    std::shared_ptr<c::Shared> shared;
    bool checked;
    bool is_kept = false;               // in files
    bool is_given = false;              // a submit, open or reopen has given it blocks
    std::uint64_t last_discarded = 0;   // this version and those before it
    std::optional<erasure::Code> code;  // the code of an erasure store
    std::variant<store::ReplicatedStore, store::ErasureStore> store;
    std::vector<regraft_range> lost;      // ranges that the last collective found lost
    std::vector<regraft_range> regained;  // by the last update
    c::OpenedArchive opened;
};

namespace {

store::ReplicatedStore& copies_of(regraft_store& handle) {
    return std::get<store::ReplicatedStore>(handle.store);
}

store::ErasureStore& pieces_of(regraft_store& handle) {
    return std::get<store::ErasureStore>(handle.store);
}

template <class Options>
Options options_as(regraft_store_options const* given) {
    Options options;
    if (given == nullptr) return options;
    if (given->rounds) options.transport = store::Transport::rounds;
    if (given->referenced) options.own_copy = store::OwnCopy::referenced;
    if (given->checked) options.integrity = store::Integrity::checked;
    return options;
}

using Reread = std::function<void(BlockRange, std::span<std::byte>)>;

Reread reread_by(regraft_load_options const& given) {
    if (given.reread == nullptr) return {};
    return [read = given.reread, context = given.context](BlockRange blocks, std::span<std::byte> out) {
        auto const status = read({value(blocks.first), value(blocks.last)}, out.data(), out.size(), context);
        if (status != REGRAFT_OK) throw std::runtime_error("reread returned status " + std::to_string(status));
    };
}

/// Reads from disk, and if that fails by the caller's function.
Reread either(Reread from_disk, Reread by_caller) {
    if (!from_disk || !by_caller) return from_disk ? from_disk : by_caller;
    return [from_disk = std::move(from_disk), by_caller = std::move(by_caller)](BlockRange blocks,
                                                                                std::span<std::byte> out) {
        try {
            from_disk(blocks, out);
        } catch (InputError const&) {
            by_caller(blocks, out);
        }
    };
}

store::LoadOptions load_options(regraft_store const& handle, regraft_load_options const* given) {
    store::LoadOptions options;
    if (given == nullptr) return options;
    if (given->leave_lost) options.lost = store::LoadOptions::Lost::left;
    auto from_disk = given->from_disk ? handle.with([](auto const& store) { return store.reread(); }) : Reread();
    options.reread = either(std::move(from_disk), reread_by(*given));
    return options;
}

std::vector<regraft_range> listed(std::vector<BlockRange> const& ranges) {
    std::vector<regraft_range> result;
    for (auto const& range : ranges) result.push_back({value(range.first), value(range.last)});
    return result;
}

placement::Any const& placement_for(regraft_store const& handle, regraft_placement const* given) {
    auto const& rule = c::object(given, "a placement, not NULL").rule;
    c::expect(rule.shape().num_slots == handle.shared->comm.size(), "a placement with a slot for each member");
    return rule;
}

/// The range as blocks that the placement covers; a store with a code takes no placement.
BlockRange blocks_for(regraft_store const& handle, regraft_placement const* given, regraft_range mine) {
    if (handle.code) {
        c::expect(given == nullptr, "no placement for a store with a code");
        return c::range_within<BlockId>(mine, std::numeric_limits<std::int64_t>::max(), "a range of blocks");
    }
    auto const num_blocks = placement_for(handle, given).shape().num_blocks;
    return c::range_within<BlockId>(mine, num_blocks, "blocks within those of the placement");
}

/// The ranges of blocks that the store has, with so many bytes. name: of the ranges.
std::vector<BlockRange> blocks_by(regraft_store const& handle, regraft_range const* given, std::uint64_t count,
                                  std::uint64_t size, std::string const& name) {
    c::expect(handle.can_be_read(), "a store with blocks, submitted before");
    auto const* const sizes = handle.with([](auto const& store) { return &store.sizes(); });
    std::vector<BlockRange> ranges;
    std::uint64_t bytes = 0;
    for (auto const& range : c::span_of(given, count, (name + ", not NULL").c_str())) {
        ranges.push_back(
            c::range_within<BlockId>(range, sizes->num_blocks(), (name + " blocks that there are").c_str()));
        bytes += sizes->bytes(ranges.back());
    }
    c::expect(bytes == size, ("as many bytes as the " + name + " blocks have").c_str());
    return ranges;
}

regraft_load_report report_of(store::LoadReport const& r) {
    return {r.lost.size(), r.damaged.size(),  r.blocks_moved,  r.bytes_moved,    r.bytes_between_nodes,
            r.most_sent,   r.most_sent_bound, r.most_received, r.bytes_received, r.bytes_local};
}

regraft_repair_report report_of(store::RepairReport const& r) {
    return {r.least_copies,       r.most_copies,  r.lost.size(), r.damaged.size(), r.bytes_missing,
            r.bytes_not_restored, r.bytes_copied, r.most_sent,   r.most_received,  0};
}

regraft_repair_report report_of(store::ErasureRepair const& r) {
    auto const copies = r.deaths_survived + 1;
    return {copies,           copies,    r.lost.size(), r.damaged.size() + r.damaged_parities,
            r.bytes_restored, 0,         r.bytes_moved, r.most_sent,
            r.most_received,  r.unplaced};
}

/// The placement that the caller makes. An exception here ends the process, because the others have gone on.
placement::Any placed(regraft_store const& handle, regraft_place place, void* context, std::uint64_t num_blocks) {
    regraft_placement* made = nullptr;
    auto const status = place(num_blocks, context, &made);
    std::unique_ptr<regraft_placement> const owned(made);
    if (status != REGRAFT_OK) throw std::runtime_error("place returned status " + std::to_string(status));
    auto const& rule = placement_for(handle, owned.get());
    c::expect(rule.shape().num_blocks == num_blocks, "a placement of all blocks that were saved");
    return rule;
}

store::RepairOptions repair_options(regraft_repair_options const* given) {
    store::RepairOptions options;
    if (given == nullptr) return options;
    options.replicas = given->replicas;
    if (given->room != 0) options.room = given->room;
    if (given->node != nullptr) options.node = *given->node;
    return options;
}

store::ErasureRepairOptions piece_options(regraft_repair_options const* given) {
    store::ErasureRepairOptions options;
    if (given == nullptr) return options;
    c::expect(given->replicas == 0 && given->node == nullptr, "no copies and no node, which a code has from its store");
    if (given->room != 0) options.room = given->room;
    return options;
}

store::ReopenOptions reopen_options(regraft_reopen_options const* given) {
    store::ReopenOptions options;
    if (given == nullptr) return options;
    if (given->leave_lost) options.lost = store::ReopenOptions::Lost::left;
    options.repair = given->leave_missing ? std::nullopt : std::optional(repair_options(given->repair));
    return options;
}

/// Shows the caller ranges that the store has listed.
regraft_status give(regraft_store const* store, std::vector<regraft_range> regraft_store::*list,
                    regraft_range const** ranges, std::uint64_t* count) {
    return c::guarded([&] {
        auto const& listed = c::object(store, "a store, not NULL").*list;
        auto& where = c::object(ranges, "ranges, not NULL");
        c::object(count, "count, not NULL") = listed.size();
        where = listed.data();
    });
}

store::ErasureReopenOptions coded_reopen_options(regraft_reopen_options const* given) {
    store::ErasureReopenOptions options;
    if (given == nullptr) return options;
    if (given->leave_lost) options.lost = store::ReopenOptions::Lost::left;
    options.repair = given->leave_missing ? std::nullopt : std::optional(piece_options(given->repair));
    return options;
}

/// Notes that a submit, an open or a reopen has succeeded.
void note_blocks(regraft_store& handle, std::vector<regraft_range> lost = {}) {
    handle.is_given = true;
    handle.lost = std::move(lost);
}

}  // namespace

regraft_status regraft_store_create(regraft_communicator* comm, regraft_store_options const* options,
                                    regraft_store** store) {
    return c::guarded(comm, [&](regraft_communicator& handle) {
        if (options == nullptr || options->parities == 0) {
            c::expect(options == nullptr || (options->data == 0 && options->node == nullptr),
                      "data and node only with parities");
            auto given = options_as<store::Options>(options);
            if (options != nullptr) given.keep = c::keep_of(options->keep);
            return c::make(store, handle.shared, given);
        }
        c::expect(options->data >= 1 && options->data <= 254 && options->parities <= 255 - options->data,
                  "a code of at least one piece of data, at most 255 pieces in all");
        auto given = options_as<store::ErasureOptions>(options);
        if (options->node != nullptr) given.node = *options->node;
        given.keep = c::keep_of(options->keep);
        c::make(store, handle.shared, erasure::Code(options->data, options->parities), given);
    });
}

void regraft_store_free(regraft_store* store) {
    delete store;
}

regraft_status regraft_store_submit(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                    void const* blocks, uint64_t block_bytes) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const range = blocks_for(handle, placement, mine);
        auto const most = handle.code ? range.size() : placement->rule.shape().num_blocks;
        c::expect(most == 0 || block_bytes <= PTRDIFF_MAX / most, "blocks that fit into memory");
        auto const bytes =
            c::span_of(static_cast<std::byte const*>(blocks), range.size() * block_bytes, "blocks, not NULL");
        if (handle.code) {
            pieces_of(handle).submit(*handle.code, range, bytes, block_bytes);
        } else {
            copies_of(handle).submit(placement->rule, range, bytes, block_bytes);
        }
        note_blocks(handle);
    });
}

regraft_status regraft_store_submit_sized(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                          void const* blocks, uint64_t const* offsets) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const range = blocks_for(handle, placement, mine);
        auto const rows = c::offsets_of(offsets, range.size(), "offsets[mine + 1], ascending from 0");
        auto const bytes = c::span_of(static_cast<std::byte const*>(blocks), rows.back(), "blocks, not NULL");
        CsrView<std::byte> const all{rows, bytes};
        if (handle.code) {
            pieces_of(handle).submit(*handle.code, range, all);
        } else {
            copies_of(handle).submit(placement->rule, range, all);
        }
        note_blocks(handle);
    });
}

regraft_status regraft_store_update(regraft_store* store, regraft_range const* changed, uint64_t count,
                                    void const* blocks, uint64_t size, regraft_update_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        c::expect(!handle.code, "a store without a code");
        auto const ranges = blocks_by(handle, changed, count, size, "changed");
        auto const overlap = [](BlockRange before, BlockRange after) { return after.first < before.last; };
        c::expect(std::ranges::adjacent_find(ranges, overlap) == ranges.end(), "changed ranges that ascend");
        auto const bytes = c::span_of(static_cast<std::byte const*>(blocks), size, "blocks, not NULL");
        auto const done = copies_of(handle).update(ranges, bytes);
        handle.regained = listed(done.regained);
        if (report != nullptr) {
            *report = {done.blocks_changed, done.bytes_changed, done.bytes_moved, done.regained.size()};
        }
    });
}

regraft_status regraft_store_load(regraft_store* store, regraft_range const* wanted, uint64_t count, void* out,
                                  uint64_t size, regraft_load_options const* options, regraft_load_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const ranges = blocks_by(handle, wanted, count, size, "wanted");
        auto const bytes = c::span_of(static_cast<std::byte*>(out), size, "room for the blocks, not NULL");
        try {
            auto const given = load_options(handle, options);
            auto const done = handle.with([&](auto& any) { return any.load(ranges, bytes, given); });
            handle.lost = listed(done.lost);
            if (report != nullptr) *report = report_of(done);
        } catch (store::DataLost const& error) {
            handle.lost = listed(error.ranges());
            throw;
        }
    });
}

regraft_status regraft_store_repair(regraft_store* store, regraft_repair_options const* options,
                                    regraft_repair_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const tell = [&](auto const& done) {
            handle.lost = listed(done.lost);
            if (report != nullptr) *report = report_of(done);
        };
        if (handle.code) return tell(pieces_of(handle).repair(piece_options(options)));
        tell(copies_of(handle).repair(repair_options(options)));
    });
}

regraft_status regraft_store_scrub(regraft_store* store, uint64_t* num_damaged) {
    return c::guarded(store, [&](regraft_store& handle) {
        c::expect(handle.checked, "a store with checksums");
        auto const tell = [&](auto const& done, std::uint64_t damaged_parities) {
            handle.lost = listed(done.lost);
            if (num_damaged != nullptr) *num_damaged = done.damaged.size() + damaged_parities;
        };
        if (!handle.code) return tell(copies_of(handle).scrub(), 0);
        auto const done = pieces_of(handle).scrub();
        tell(done, done.damaged_parities);
    });
}

regraft_status regraft_store_save(regraft_store* store, char const* archive, regraft_save_options const* options,
                                  regraft_save_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const path = c::archive_at(archive);
        auto const given = c::save_options(options);
        c::expect(handle.can_be_read(), "a store with blocks, submitted before");
        auto const done = handle.with([&](auto& any) { return any.save(path, given); });
        if (report != nullptr) *report = c::report_of(done);
    });
}

regraft_status regraft_store_open(regraft_store* store, char const* archive, regraft_place place, void* context,
                                  regraft_open_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const path = c::archive_at(archive);
        c::expect((place == nullptr) == handle.code.has_value(), "a placement of what is read, and none with a code");
        auto done = handle.code ? pieces_of(handle).open(path, *handle.code)
                                : copies_of(handle).open(path, [&](std::uint64_t num_blocks) {
                                      return placed(handle, place, context, num_blocks);
                                  });
        note_blocks(handle);
        regraft_open_report told{};
        told.generation = done.generation;
        handle.opened.take(done, told);
        if (report != nullptr) *report = told;
    });
}

regraft_status regraft_store_reopen(regraft_store* store, regraft_reopen_options const* options,
                                    regraft_reopen_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        c::expect(handle.is_kept, "a store with files (regraft_keep)");
        c::expect(!handle.is_given, "a store to which nothing was submitted");
        c::expect(options == nullptr || !options->leave_missing || options->repair == nullptr,
                  "no repair where missing copies are left");
        regraft_reopen_report told{};
        auto const note = [&](auto done) {
            if (!done) return;
            note_blocks(handle, listed(done->lost));
            told.version = done->version;
            told.num_lost = done->lost.size();
            told.bytes_inherited = done->bytes_inherited;
            if (options == nullptr || !options->leave_missing) told.repaired = report_of(done->repaired);
            handle.opened.take(*done, told);
        };
        try {
            if (handle.code) {
                note(pieces_of(handle).reopen(*handle.code, coded_reopen_options(options)));
            } else {
                note(copies_of(handle).reopen(reopen_options(options)));
            }
            if (report != nullptr) *report = told;
        } catch (store::DataLost const& error) {
            handle.lost = listed(error.ranges());
            throw;
        }
    });
}

regraft_status regraft_store_set_attributes(regraft_store* store, void const* bytes, uint64_t size) {
    return c::guarded([&] {
        auto& handle = c::object(store, "a store, not NULL");
        auto const given = c::span_of(static_cast<std::byte const*>(bytes), size, "attributes, not NULL");
        c::expect(handle.is_kept, "a store with files (regraft_keep)");
        handle.with([&](auto& any) { any.set_attributes({given.begin(), given.end()}); });
    });
}

regraft_status regraft_store_discard(regraft_store* store) {
    return c::guarded(store, [&](regraft_store& handle) {
        handle.last_discarded = handle.with([](auto const& any) { return any.version(); });
        handle.is_given = false;
        handle.lost.clear();
        handle.with([](auto& any) { any.discard(); });
    });
}

char const* regraft_store_refused(regraft_store const* store, uint64_t index) {
    return store == nullptr ? nullptr : c::text_at(store->opened.refused, index);
}

uint64_t regraft_store_num_blocks(regraft_store const* store) {
    return store == nullptr ? 0 : store->with([](auto const& any) { return any.num_blocks(); });
}

uint64_t regraft_store_version(regraft_store const* store) {
    return store == nullptr ? 0 : store->with([](auto const& any) { return any.version(); });
}

uint64_t regraft_store_bytes_held(regraft_store const* store) {
    return store == nullptr ? 0 : store->with([](auto const& any) { return any.bytes_held(); });
}

regraft_status regraft_store_size(regraft_store const* store, regraft_range blocks, uint64_t* size) {
    return c::guarded([&] {
        auto const& handle = c::object(store, "a store, not NULL");
        auto const range = c::range_within<BlockId>(blocks, regraft_store_num_blocks(store), "blocks that there are");
        c::object(size, "size, not NULL") = handle.with([&](auto const& any) { return any.sizes().bytes(range); });
    });
}

regraft_status regraft_store_held(regraft_store const* store, regraft_range blocks, void const** bytes,
                                  uint64_t* size) {
    return c::guarded([&] {
        auto const& handle = c::object(store, "a store, not NULL");
        auto const range = c::range_within<BlockId>(blocks, regraft_store_num_blocks(store), "blocks that there are");
        auto& where = c::object(bytes, "bytes, not NULL");
        auto& length = c::object(size, "size, not NULL");
        auto const held = handle.with([&](auto const& any) { return any.held(range); });
        where = held.empty() ? nullptr : held.data();
        length = held.size();
    });
}

regraft_status regraft_store_lost(regraft_store const* store, regraft_range const** ranges, uint64_t* count) {
    return give(store, &regraft_store::lost, ranges, count);
}

regraft_status regraft_store_regained(regraft_store const* store, regraft_range const** ranges, uint64_t* count) {
    return give(store, &regraft_store::regained, ranges, count);
}

regraft_status regraft_store_trim(regraft_store* store) {
    return c::guarded([&] { c::object(store, "a store, not NULL").with([](auto& any) { any.trim(); }); });
}
