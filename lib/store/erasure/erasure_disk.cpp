// The erasure-coded store on disk: decides which PE writes which blocks.
#include <utility>

#include "store/blocks/shares.hpp"
#include "store/erasure/erasure.hpp"
#include "store/on_disk/on_disk.hpp"

namespace regraft::store {
namespace {

/// The blocks that this PE writes: all members together write every block.
std::vector<BlockRange> to_write(ft::Communicator const& comm, erasure::Holdings& holdings) {
    holdings.retain(comm.members());
    auto const& sizes = holdings.layout().sizes();
    std::vector<BlockRange> mine;
    holdings.layout().visit({BlockId{0}, BlockId{sizes.num_blocks()}}, [&](erasure::Part const& part) {
        bool const exists = part.piece && !holdings.given_up(*part.piece);
        auto const holder = exists ? holdings.holder(*part.piece) : std::nullopt;
        if (!holder) {
            mine.push_back(share_of(part.blocks, sizes, comm.position(comm.self()), comm.size()));
        } else if (*holder == comm.self()) {
            mine.push_back(part.blocks);
        }
    });
    return mine;
}

}  // namespace

SaveReport ErasureStore::save(std::filesystem::path const& archive, SaveOptions const& options) {
    REGRAFT_EXPECTS(impl_->current && "something was submitted");
    auto const mine = to_write(impl_->comm, impl_->current->holdings);
    return save_blocks(*this, impl_->identity, impl_->comm, mine, archive, options, impl_->on_disk);
}

OpenReport ErasureStore::open(std::filesystem::path const& archive, erasure::Code code) {
    return open_blocks(impl_->comm, archive, [&](std::uint64_t, OwnSubmission const& own, OnDisk from) {
        store::submit(*impl_, code, own, std::move(from));
    });
}

std::function<void(BlockRange, std::span<std::byte>)> ErasureStore::reread() const {
    return disk::reread(impl_->on_disk.saved);
}

}  // namespace regraft::store
