#include "checkpoint/vault.hpp"

#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/placement/uneven.hpp"

namespace regraft::checkpoint {
namespace {

using store::ErasureStore;
using store::ReplicatedStore;

std::variant<ReplicatedStore, ErasureStore> make_store(ft::Communicator& comm, SnapshotOptions const& options) {
    constexpr auto own = store::OwnCopy::referenced;
    if (std::holds_alternative<erasure::Code>(options.redundancy)) {
        return ErasureStore(comm, {.transport = options.transport,
                                   .own_copy = own,
                                   .integrity = options.integrity,
                                   .node = options.node,
                                   .keep = options.keep});
    }
    return ReplicatedStore(
        comm, {.transport = options.transport, .own_copy = own, .integrity = options.integrity, .keep = options.keep});
}

}  // namespace

Vault::Vault(ft::Communicator& comm, SnapshotOptions const& options)
    : comm_(comm), redundancy_(options.redundancy), node_(options.node), store_(make_store(comm, options)) {}

void Vault::submit(store::Submissions const& all, std::span<std::byte const> mine) {
    if (auto* const coded = std::get_if<ErasureStore>(&store_)) {
        return coded->submit(std::get<erasure::Code>(redundancy_), all, mine);
    }
    std::get<ReplicatedStore>(store_).submit(placement_for(all), all, mine);
}

bool Vault::submit_if(store::Vote const& vote, store::Submissions const& all, std::span<std::byte const> mine) {
    auto* const replicated = std::get_if<ReplicatedStore>(&store_);
    return replicated && replicated->submit_if(vote, placement_for(all), all, mine);
}

std::optional<store::ChangesReport> Vault::submit_changes(store::Vote const& vote, store::Submissions const& all,
                                                          std::span<std::byte const> mine,
                                                          store::Changes const& changes) {
    return std::get<ReplicatedStore>(store_).submit_changes(vote, placement_for(all), all, mine, changes);
}

placement::Any Vault::placement_for(store::Submissions const& all) const {
    std::vector<std::uint64_t> sizes;
    for (auto const& range : all.ranges) sizes.push_back(range.size());
    return placement::Uneven(sizes, std::get<Partners>(redundancy_)(comm_.members()));
}

store::LoadReport Vault::load(CsrView<BlockRange> wanted, std::span<std::byte> out, store::LoadOptions const& options) {
    return std::visit([&](auto& store) { return store.load(wanted, out, options); }, store_);
}

Vault::Repaired Vault::repair() {
    if (auto* const coded = std::get_if<ErasureStore>(&store_)) {
        auto report = coded->repair();
        return {report.bytes_restored, std::move(report.lost)};
    }
    auto report = std::get<ReplicatedStore>(store_).repair({.node = node_});
    return {report.bytes_copied, std::move(report.lost)};
}

std::optional<store::ReopenReport> Vault::reopen() {
    // The commit that follows makes all copies, or pieces, anew.
    if (auto* const coded = std::get_if<ErasureStore>(&store_)) {
        auto report = coded->reopen(std::get<erasure::Code>(redundancy_), {.repair = std::nullopt});
        if (!report) return std::nullopt;
        return store::ReopenReport{.version = report->version,
                                   .attributes = std::move(report->attributes),
                                   .refused = std::move(report->refused),
                                   .lost = std::move(report->lost),
                                   .bytes_inherited = report->bytes_inherited};
    }
    return std::get<ReplicatedStore>(store_).reopen({.repair = std::nullopt});
}

void Vault::set_attributes(std::vector<std::byte> attributes) {
    std::visit([&](auto& store) { store.set_attributes(std::move(attributes)); }, store_);
}

void Vault::discard() {
    std::visit([](auto& store) { store.discard(); }, store_);
}

std::uint64_t Vault::bytes_beside_own() const {
    if (auto const* const coded = std::get_if<ErasureStore>(&store_)) {
        return sizes().bytes() / coded->code().data() * coded->code().parity();
    }
    std::uint64_t bytes = 0;
    visit_holders([&](placement::Run const& run) { bytes += (run.holders.size() - 1) * sizes().bytes(run.blocks); });
    return bytes;
}

std::uint64_t Vault::version() const {
    return std::visit([](auto const& store) { return store.version(); }, store_);
}

BlockSizes const& Vault::sizes() const {
    return std::visit([](auto const& store) -> BlockSizes const& { return store.sizes(); }, store_);
}

std::span<std::byte const> Vault::held(BlockId block) const {
    return std::visit([&](auto const& store) { return store.held({block, advance(block, 1)}); }, store_);
}

void Vault::visit_holders(std::function<void(placement::Run const&)> const& visit) const {
    std::visit(
        [&](auto const& store) {
            store.visit_holders({BlockId{0}, BlockId{store.num_blocks()}}, visit);
        },
        store_);
}

void Vault::trim() {
    std::visit([](auto& store) { store.trim(); }, store_);
}

std::uint64_t Vault::bytes_held() const {
    return std::visit([](auto const& store) { return store.bytes_held() + store.bytes_spare(); }, store_);
}

}  // namespace regraft::checkpoint
