#include "regraft/store/erasure_store.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/digest.hpp"
#include "store/erasure_version.hpp"
#include "store/gather.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("erasure-submit");

}  // namespace

ErasureStore::ErasureStore(ft::Communicator& comm, ErasureOptions options) : comm_(comm), options_(options) {
    REGRAFT_EXPECTS(options.buffer_bytes > 0);
}
ErasureStore::ErasureStore(ErasureStore&&) noexcept = default;
ErasureStore::~ErasureStore() = default;

void ErasureStore::submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks,
                          std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    submit(code, mine, blocks, block_bytes,
           [&](std::span<BlockRange const> ranges) { return BlockSizes(num_covered(ranges), block_bytes); });
}

void ErasureStore::submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    submit(code, mine, blocks.values, various_bytes,
           [&](std::span<BlockRange const> ranges) { return gather_sizes(comm_, ranges, blocks); });
}

void ErasureStore::submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes,
                          std::uint64_t block_bytes,
                          std::function<BlockSizes(std::span<BlockRange const>)> const& sizes_of) {
    comm_.reach(submit_phase.before);
    Digest alike;
    alike.add(code.data()).add(code.parity()).add(block_bytes);
    alike.add(options_.transport).add(options_.own_copy).add(options_.buffer_bytes);
    auto const submitters = gather_submitters(comm_, mine, alike.value(), options_.node);
    auto sizes = sizes_of(submitters.ranges);
    Csr<BlockRange> own;
    for (auto const& range : submitters.ranges) {
        if (!range.empty()) own.push_value(range);
        own.end_row();
    }
    auto next = std::make_unique<ErasureVersion>();
    next->submitters.assign(comm_.members().begin(), comm_.members().end());
    next->node_of = submitters.node_of;
    next->holdings =
        erasure::Holdings(erasure::Layout(code.fitted(checked_cast<std::uint32_t>(comm_.size())), std::move(sizes),
                                          std::move(own), erasure::ring_order(submitters.node_of)),
                          next->submitters);
    if (options_.own_copy == OwnCopy::referenced) {
        next->add_own(bytes, nullptr);
    } else {
        auto const memory = std::make_shared<Memory>(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
        next->add_own(memory->bytes(), memory);
    }
    encode(comm_, *next, options_, submit_phase.inside);
    comm_.agree();
    current_ = std::move(next);
    ++version_;
    comm_.reach(submit_phase.after);
}

BlockSizes const& ErasureStore::sizes() const {
    static BlockSizes const none;
    return current_ ? current_->holdings.layout().sizes() : none;
}

erasure::Code ErasureStore::code() const {
    return current_ ? current_->holdings.layout().code() : erasure::Code();
}

std::uint64_t ErasureStore::bytes_held() const {
    return current_ ? current_->bytes_held() : 0;
}

}  // namespace regraft::store
