#include "regraft/store/erasure_store.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure/erasure.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

ft::FailPhase coded_submit_phase("erasure-submit");

}  // namespace

ErasureStore::ErasureStore(ft::Communicator& comm, ErasureOptions options)
    : impl_(std::make_unique<Impl>(comm, options)) {
    REGRAFT_EXPECTS(options.buffer_bytes > 0);
}
ErasureStore::ErasureStore(ErasureStore&&) noexcept = default;
ErasureStore::~ErasureStore() = default;

void ErasureStore::submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks,
                          std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    impl_->submit(code, mine, blocks, block_bytes,
                  [&](std::span<BlockRange const> ranges) { return BlockSizes(num_covered(ranges), block_bytes); });
}

void ErasureStore::submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    impl_->submit(code, mine, blocks.values, various_bytes,
                  [&](std::span<BlockRange const> ranges) { return gather_sizes(impl_->comm, ranges, blocks); });
}

void ErasureStore::submit(erasure::Code code, Submissions const& all, std::span<std::byte const> blocks) {
    auto& comm = impl_->comm;
    REGRAFT_EXPECTS(all.ranges.size() == comm.size());
    REGRAFT_EXPECTS(all.node_of.empty() || all.node_of.size() == comm.size());
    REGRAFT_EXPECTS(num_covered(all.ranges) == all.sizes.num_blocks());
    REGRAFT_EXPECTS(blocks.size() == all.sizes.bytes(all.ranges[comm.position(comm.self())]));
    comm.reach(coded_submit_phase.before);
    Digest alike;
    alike.add(code.data()).add(code.parity()).add(all.sizes.bytes());
    for (auto const& range : all.ranges) alike.add(range.first).add(range.last);
    impl_->submit(code, all, blocks, alike.value());
}

void ErasureStore::Impl::submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes,
                                std::uint64_t block_bytes, SizesOf const& sizes_of, OnDisk from) {
    comm.reach(coded_submit_phase.before);
    auto const alike = Digest()
                           .add(code.data())
                           .add(code.parity())
                           .add(block_bytes)
                           .add(options.transport)
                           .add(options.own_copy)
                           .add(options.integrity)
                           .add(options.buffer_bytes)
                           .value();
    auto const submitters = gather_submitters(comm, mine, identity, alike, options.node);
    submit(code, {submitters.ranges, sizes_of(submitters.ranges), submitters.node_of}, bytes, alike, std::move(from));
}

void ErasureStore::Impl::submit(erasure::Code const& code, Submissions const& all, std::span<std::byte const> bytes,
                                std::uint64_t alike, OnDisk from) {
    REGRAFT_EXPECTS(idle() && "no load is under way");
    Csr<BlockRange> own;
    for (auto const& range : all.ranges) {
        if (!range.empty()) own.push_value(range);
        own.end_row();
    }
    auto next = std::make_unique<ErasureVersion>();
    next->node_of.assign(all.node_of.begin(), all.node_of.end());
    next->holdings = erasure::Holdings(erasure::Layout(code.fitted(checked_cast<std::uint32_t>(comm.size())), all.sizes,
                                                       std::move(own), erasure::ring_order(all.node_of)),
                                       {comm.members().begin(), comm.members().end()});
    if (options.own_copy == OwnCopy::referenced) {
        next->add_own(bytes, nullptr);
    } else {
        auto const memory = std::make_shared<Memory>(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
        next->add_own(memory->bytes(), memory);
    }
    auto const call = store::call(Function::submit, identity);
    for (Resends resends; !agree_in_call(comm, call, encode(comm, *next, options, coded_submit_phase.inside), alike);)
        resends.add();
    current = std::move(next);
    ++version;
    identity = next_identity(comm);
    on_disk = std::move(from);
    if (options.own_copy == OwnCopy::copied) on_disk.opened = {};
    comm.reach(coded_submit_phase.after);
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

std::uint64_t ErasureStore::bytes_held() const {
    return impl_->current ? impl_->current->bytes_held() : 0;
}

}  // namespace regraft::store
