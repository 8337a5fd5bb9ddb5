#include "regraft/store/erasure_store.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure/erasure.hpp"
#include "store/together/delivery.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {

SpareMemory::Make Coded::make_file() {
    return [this](std::uint64_t size) {
        Memory memory;
        auto const failed = attempt([&] { memory = Memory(keeping->file(size)); });
        if (!failed) return memory;
        if (!complaint) complaint = failed;
        return Memory(size);
    };
}

std::uint64_t Coded::alike_to_keep() const {
    return Digest().add(keeping->names()).add(options.integrity).value();
}

Common Coded::next_common(erasure::Layout const& layout, std::uint64_t number) {
    complaint.reset();
    if (!keeping) return {};
    return {keeping->next(comm, alike_to_keep(), number), 0, piece_sizes(layout), attributes, Coding::of(layout)};
}

void Coded::list(ErasureVersion& of) {
    if (!keeping || complaint) return;
    auto const failed = attempt([&] {
        auto const make = [this](std::uint64_t size) { return Memory(keeping->file(size)); };
        keeping->write(of.common, of.listing(comm.self(), checked(), make));
    });
    if (failed) complaint = failed;
}

void Coded::retract() {
    if (keeping) keeping->retract(comm, complaint);
}

void Coded::settle(ErasureVersion const& of) {
    if (keeping) keeping->settle(of.files());
}

namespace {

ft::FailPhase coded_submit_phase("erasure-submit");

/// Submits what every member knows already.
void submit_all(Coded& store, erasure::Code const& code, Submissions const& all, std::span<std::byte const> bytes,
                std::uint64_t alike, OnDisk from = {}) {
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    auto& comm = store.comm;
    Csr<BlockRange> own;
    for (auto const& range : all.ranges) {
        if (!range.empty()) own.push_value(range);
        own.end_row();
    }
    auto next = std::make_unique<ErasureVersion>();
    next->node_of.assign(all.node_of.begin(), all.node_of.end());
    next->located.assign(comm.members().begin(), comm.members().end());
    next->holdings = erasure::Holdings(erasure::Layout(code.fitted(checked_cast<std::uint32_t>(comm.size())), all.sizes,
                                                       std::move(own), erasure::ring_order(all.node_of)),
                                       {comm.members().begin(), comm.members().end()});
    next->common = store.next_common(next->holdings.layout(), store.version + 1);
    if (store.options.own_copy == OwnCopy::referenced) {
        next->add_own(bytes, nullptr);
    } else {
        auto const memory = store.spare.take_for_piece(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
        next->add_own(memory->bytes(), memory);
    }
    auto const call = store::call(Function::submit, store.identity);
    for (Resends resends;; resends.add()) {
        bool const intact = encode(comm, *next, store.options, store.spare, coded_submit_phase.inside);
        if (intact) store.list(*next);
        if (agree_in_call(comm, call, intact && !store.complaint, alike)) break;
        store.retract();
    }
    store.settle(*next);
    std::swap(store.current, next);
    if (next) {
        next->leave_pieces(store.spare);
        store.spare.drop_unused();
    } else {
        store.spare.clear();  // it may be the only submit
    }
    ++store.version;
    store.identity = next_identity(comm);
    store.on_disk = std::move(from);
    if (store.options.own_copy == OwnCopy::copied) store.on_disk.opened = {};
    comm.reach(coded_submit_phase.after);
}

}  // namespace

ErasureStore::ErasureStore(ft::Communicator& comm, ErasureOptions options)
    : impl_(std::make_unique<Impl>(comm, std::move(options))) {
    REGRAFT_EXPECTS(impl_->options.buffer_bytes > 0);
}
ErasureStore::ErasureStore(ErasureStore&&) noexcept = default;
ErasureStore::~ErasureStore() = default;

void submit(Coded& store, erasure::Code const& code, OwnSubmission const& own, OnDisk from) {
    store.comm.reach(coded_submit_phase.before);
    auto const& options = store.options;
    Digest digest;
    digest.add(code.data()).add(code.parity()).add(own.block_bytes);
    digest.add(options.transport).add(options.own_copy).add(options.integrity).add(options.buffer_bytes);
    auto const alike = digest.value();
    auto const [ranges, node_of] = gather_submitters(store.comm, own.mine, store.identity, alike, options.node);
    submit_all(store, code, {ranges, own.sizes_of(ranges), node_of}, own.bytes, alike, std::move(from));
}

void ErasureStore::submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks,
                          std::size_t block_bytes) {
    store::submit(*impl_, code, blocks_of(mine, blocks, block_bytes));
}

void ErasureStore::submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks) {
    store::submit(*impl_, code, blocks_of(impl_->comm, mine, blocks));
}

void ErasureStore::submit(erasure::Code code, Submissions const& all, std::span<std::byte const> blocks) {
    auto& comm = impl_->comm;
    expect_whole(comm, all, blocks);
    REGRAFT_EXPECTS(all.node_of.empty() || all.node_of.size() == comm.size());
    comm.reach(coded_submit_phase.before);
    Digest alike;
    alike.add(code.data()).add(code.parity()).add(all.sizes.bytes());
    for (auto const& range : all.ranges) alike.add(range.first).add(range.last);
    submit_all(*impl_, code, all, blocks, alike.value());
}

BlockSizes const& ErasureStore::sizes() const {
    static BlockSizes const none;
    return impl_->current ? impl_->current->holdings.layout().sizes() : none;
}

erasure::Code ErasureStore::code() const {
    return impl_->current ? impl_->current->holdings.layout().code() : erasure::Code();
}

std::uint64_t ErasureStore::version() const {
    return impl_->version;
}

std::span<std::byte const> ErasureStore::held(BlockRange blocks) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return {};
    return impl_->current->held(impl_->comm.self(), blocks, impl_->options.integrity);
}

void ErasureStore::visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return;
    auto& holdings = impl_->current->holdings;
    holdings.retain(impl_->comm.members());
    holdings.layout().visit(blocks, [&](erasure::Part const& part) {
        auto const holder = part.piece ? holdings.holder(*part.piece) : std::nullopt;
        visit({part.blocks, holder ? std::span(&*holder, 1) : std::span<PeId const>()});
    });
}

void ErasureStore::trim() {
    impl_->spare.clear();
}

std::uint64_t ErasureStore::bytes_held() const {
    return impl_->current ? impl_->current->bytes_held() : 0;
}

std::uint64_t ErasureStore::bytes_spare() const {
    return impl_->spare.bytes();
}

}  // namespace regraft::store
