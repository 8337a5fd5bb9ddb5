#include "regraft/store/erasure_store.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/digest.hpp"
#include "store/erasure.hpp"
#include "store/gather.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("erasure-submit");

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

void ErasureStore::Impl::submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes,
                                std::uint64_t block_bytes, SizesOf const& sizes_of, OnDisk from) {
    REGRAFT_EXPECTS(idle() && "no load is under way");
    comm.reach(submit_phase.before);
    auto const alike = Digest()
                           .add(code.data())
                           .add(code.parity())
                           .add(block_bytes)
                           .add(options.transport)
                           .add(options.own_copy)
                           .add(options.integrity)
                           .add(options.buffer_bytes)
                           .value();
    auto const submitters = gather_submitters(comm, mine, alike, options.node);
    auto sizes = sizes_of(submitters.ranges);
    Csr<BlockRange> own;
    for (auto const& range : submitters.ranges) {
        if (!range.empty()) own.push_value(range);
        own.end_row();
    }
    auto next = std::make_unique<ErasureVersion>();
    next->node_of = submitters.node_of;
    next->holdings =
        erasure::Holdings(erasure::Layout(code.fitted(checked_cast<std::uint32_t>(comm.size())), std::move(sizes),
                                          std::move(own), erasure::ring_order(submitters.node_of)),
                          {comm.members().begin(), comm.members().end()});
    if (options.own_copy == OwnCopy::referenced) {
        next->add_own(bytes, nullptr);
    } else {
        auto const memory = std::make_shared<Memory>(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
        next->add_own(memory->bytes(), memory);
    }
    for (Resends resends; !agree_intact(encode(comm, *next, options, submit_phase.inside), alike);) resends.add();
    current = std::move(next);
    ++version;
    on_disk = std::move(from);
    if (options.own_copy == OwnCopy::copied) on_disk.opened = {};
    comm.reach(submit_phase.after);
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

std::uint64_t ErasureStore::bytes_held() const {
    return impl_->current ? impl_->current->bytes_held() : 0;
}

}  // namespace regraft::store
