// The replicated store for callers in C.
#include <algorithm>
#include <limits>

#include "c/communicator.hpp"
#include "c/placement.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

struct regraft_store {
    regraft_store(std::shared_ptr<c::Shared> keep, store::Options options)
        : shared(std::move(keep)),
          checked(options.integrity == store::Integrity::checked),
          store(shared->comm, options) {}

    std::shared_ptr<c::Shared> shared;
    bool checked;
    store::ReplicatedStore store;
    std::vector<regraft_range> lost;  // what the last collective found
};

namespace {

store::Options store_options(regraft_store_options const* given) {
    if (given == nullptr) return {};
    return {.transport = given->rounds ? store::Transport::rounds : store::Transport::collective,
            .own_copy = given->referenced ? store::OwnCopy::referenced : store::OwnCopy::copied,
            .integrity = given->checked ? store::Integrity::checked : store::Integrity::unchecked};
}

store::LoadOptions load_options(regraft_load_options const* given) {
    store::LoadOptions options;
    if (given == nullptr) return options;
    if (given->leave_lost) options.lost = store::LoadOptions::Lost::left;
    if (given->reread != nullptr) {
        options.reread = [read = given->reread, context = given->context](BlockRange blocks, std::span<std::byte> out) {
            auto const status = read({value(blocks.first), value(blocks.last)}, out.data(), out.size(), context);
            if (status != REGRAFT_OK) throw std::runtime_error("reread returned status " + std::to_string(status));
        };
    }
    return options;
}

std::vector<regraft_range> listed(std::vector<BlockRange> const& ranges) {
    std::vector<regraft_range> result;
    for (auto const& range : ranges) result.push_back({value(range.first), value(range.last)});
    return result;
}

/// The placement, if these blocks are among its own and it has a slot for each member.
placement::Any const& placement_for(regraft_store const& handle, regraft_placement const* given, regraft_range mine) {
    auto const& rule = c::object(given, "a placement, not NULL").rule;
    c::expect(rule.shape().num_slots == handle.shared->comm.size(), "a placement with a slot for each member");
    static_cast<void>(c::range_within<BlockId>(mine, rule.shape().num_blocks, "blocks within those of the placement"));
    return rule;
}

std::vector<BlockRange> wanted_by(regraft_store const& handle, regraft_range const* wanted, std::uint64_t count,
                                  std::uint64_t size) {
    c::expect(handle.store.version() > 0, "a store with blocks, submitted before");
    std::vector<BlockRange> ranges;
    std::uint64_t bytes = 0;
    for (auto const& range : c::span_of(wanted, count, "wanted, not NULL")) {
        ranges.push_back(c::range_within<BlockId>(range, handle.store.num_blocks(), "wanted blocks that there are"));
        bytes += handle.store.sizes().bytes(ranges.back());
    }
    c::expect(bytes == size, "as many bytes for the output as the wanted blocks have");
    return ranges;
}

regraft_load_report report_of(store::LoadReport const& r) {
    return {r.lost.size(),     r.damaged.size(), r.blocks_moved,   r.bytes_moved, r.most_sent,
            r.most_sent_bound, r.most_received,  r.bytes_received, r.bytes_local};
}

regraft_repair_report report_of(store::RepairReport const& r) {
    return {r.least_copies,       r.most_copies,  r.lost.size(), r.damaged.size(), r.bytes_missing,
            r.bytes_not_restored, r.bytes_copied, r.most_sent,   r.most_received};
}

store::RepairOptions repair_options(regraft_repair_options const* given) {
    store::RepairOptions options;
    if (given == nullptr) return options;
    options.replicas = given->replicas;
    if (given->room != 0) options.room = given->room;
    if (given->node != nullptr) options.node = *given->node;
    return options;
}

}  // namespace

regraft_status regraft_store_create(regraft_communicator* comm, regraft_store_options const* options,
                                    regraft_store** store) {
    return c::guarded(comm,
                      [&](regraft_communicator& handle) { c::make(store, handle.shared, store_options(options)); });
}

void regraft_store_free(regraft_store* store) {
    delete store;
}

regraft_status regraft_store_submit(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                    void const* blocks, uint64_t block_bytes) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const& rule = placement_for(handle, placement, mine);
        auto const num_blocks = rule.shape().num_blocks;
        c::expect(num_blocks == 0 || block_bytes <= PTRDIFF_MAX / num_blocks, "blocks that fit into memory");
        BlockRange const range{BlockId{mine.first}, BlockId{mine.last}};
        auto const bytes = static_cast<std::byte const*>(blocks);
        handle.store.submit(rule, range, c::span_of(bytes, range.size() * block_bytes, "blocks, not NULL"),
                            block_bytes);
        handle.lost.clear();
    });
}

regraft_status regraft_store_submit_sized(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                          void const* blocks, uint64_t const* offsets) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const& rule = placement_for(handle, placement, mine);
        BlockRange const range{BlockId{mine.first}, BlockId{mine.last}};
        auto const rows = c::offsets_of(offsets, range.size(), "offsets[mine + 1], ascending from 0");
        auto const bytes = c::span_of(static_cast<std::byte const*>(blocks), rows.back(), "blocks, not NULL");
        handle.store.submit(rule, range, CsrView<std::byte>{rows, bytes});
        handle.lost.clear();
    });
}

regraft_status regraft_store_load(regraft_store* store, regraft_range const* wanted, uint64_t count, void* out,
                                  uint64_t size, regraft_load_options const* options, regraft_load_report* report) {
    return c::guarded(store, [&](regraft_store& handle) {
        auto const ranges = wanted_by(handle, wanted, count, size);
        auto const bytes = c::span_of(static_cast<std::byte*>(out), size, "room for the blocks, not NULL");
        try {
            auto const done = handle.store.load(ranges, bytes, load_options(options));
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
        auto const done = handle.store.repair(repair_options(options));
        handle.lost = listed(done.lost);
        if (report != nullptr) *report = report_of(done);
    });
}

regraft_status regraft_store_scrub(regraft_store* store, uint64_t* num_damaged) {
    return c::guarded(store, [&](regraft_store& handle) {
        c::expect(handle.checked, "a store with checksums");
        auto const done = handle.store.scrub();
        handle.lost = listed(done.lost);
        if (num_damaged != nullptr) *num_damaged = done.damaged.size();
    });
}

uint64_t regraft_store_num_blocks(regraft_store const* store) {
    return store == nullptr ? 0 : store->store.num_blocks();
}

uint64_t regraft_store_version(regraft_store const* store) {
    return store == nullptr ? 0 : store->store.version();
}

uint64_t regraft_store_bytes_held(regraft_store const* store) {
    return store == nullptr ? 0 : store->store.bytes_held();
}

regraft_status regraft_store_size(regraft_store const* store, regraft_range blocks, uint64_t* size) {
    return c::guarded([&] {
        auto const& handle = c::object(store, "a store, not NULL");
        auto const range = c::range_within<BlockId>(blocks, handle.store.num_blocks(), "blocks that there are");
        c::object(size, "size, not NULL") = handle.store.sizes().bytes(range);
    });
}

regraft_status regraft_store_held(regraft_store const* store, regraft_range blocks, void const** bytes,
                                  uint64_t* size) {
    return c::guarded([&] {
        auto const& handle = c::object(store, "a store, not NULL");
        auto const range = c::range_within<BlockId>(blocks, handle.store.num_blocks(), "blocks that there are");
        auto& where = c::object(bytes, "bytes, not NULL");
        auto& length = c::object(size, "size, not NULL");
        auto const held = handle.store.held(range);
        where = held.empty() ? nullptr : held.data();
        length = held.size();
    });
}

regraft_status regraft_store_lost(regraft_store const* store, regraft_range const** ranges, uint64_t* count) {
    return c::guarded([&] {
        auto const& lost = c::object(store, "a store, not NULL").lost;
        auto& where = c::object(ranges, "ranges, not NULL");
        c::object(count, "count, not NULL") = lost.size();
        where = lost.data();
    });
}

regraft_status regraft_store_trim(regraft_store* store) {
    return c::guarded([&] { c::object(store, "a store, not NULL").store.trim(); });
}
