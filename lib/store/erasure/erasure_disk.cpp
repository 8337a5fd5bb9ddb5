// The erasure-coded store on disk: decides which PE writes which blocks.
#include <utility>

#include "store/blocks/shares.hpp"
#include "store/erasure/erasure.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {

std::vector<BlockRange> ErasureStore::Impl::to_write() {
    REGRAFT_EXPECTS(current && "something was submitted");
    auto& holdings = current->holdings;
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

SaveReport ErasureStore::save(std::filesystem::path const& archive, SaveOptions const& options) {
    return save_blocks(*this, impl_->identity, impl_->comm, impl_->to_write(), archive, options, impl_->on_disk);
}

OpenReport ErasureStore::open(std::filesystem::path const& archive, erasure::Code code) {
    auto opened = store::open(impl_->comm, archive);
    auto const& sizes = opened.index.sizes;
    auto const sizes_of = [&](std::span<BlockRange const>) { return sizes; };
    impl_->submit(code, opened.blocks.front(), opened.bytes, various_bytes, sizes_of,
                  {{{archive, opened.index.generation}}, std::move(opened.memory)});
    return report_of(std::move(opened));
}

std::function<void(BlockRange, std::span<std::byte>)> ErasureStore::reread() const {
    return disk::reread(impl_->on_disk.saved);
}

}  // namespace regraft::store
