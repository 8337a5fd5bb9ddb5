#include "regraft/store/replicated_store.hpp"

#include <utility>

#include "store/replicated/replicated.hpp"

namespace regraft::store {

Memory Replicated::new_memory(std::uint64_t size, Complaint& complaint) {
    if (!keeping) return Memory(size);
    Memory memory;
    complaint = attempt([&] { memory = keeping->memory(size); });
    return complaint ? Memory(size) : std::move(memory);
}

void Replicated::list(Version& listed, Complaint& complaint) {
    if (!keeping || complaint) return;
    complaint = attempt([&] { keeping->write(listed.common, listed.held, listed.sizes, checked()); });
}

ReplicatedStore::ReplicatedStore(ft::Communicator& comm, Options options)
    : impl_(std::make_unique<Impl>(comm, options)) {}
ReplicatedStore::ReplicatedStore(ReplicatedStore&&) noexcept = default;
ReplicatedStore::~ReplicatedStore() = default;

BlockSizes const& ReplicatedStore::sizes() const {
    static BlockSizes const none;
    return impl_->current ? impl_->current->sizes : none;
}

std::uint64_t ReplicatedStore::version() const {
    return impl_->version;
}

std::span<std::byte const> ReplicatedStore::held(BlockRange blocks) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return {};
    auto const& [directory, sizes, held, seams, common] = *impl_->current;
    auto const bytes = held.find(blocks, sizes);
    std::vector<BlockRange> bad;
    if (impl_->checked() && !bytes.empty()) held.verify(blocks, sizes, bad);
    return bad.empty() ? bytes : std::span<std::byte const>();
}

void ReplicatedStore::visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return;
    impl_->current->directory.retain(impl_->comm.members());
    impl_->current->directory.visit(blocks, visit);
}

void ReplicatedStore::trim() {
    impl_->spare = Memory();
    impl_->stale.clear();
}

std::uint64_t ReplicatedStore::bytes_spare() const {
    return impl_->spare.bytes().size();
}

std::uint64_t ReplicatedStore::bytes_held() const {
    return impl_->current ? impl_->current->held.own_bytes() : 0;
}

}  // namespace regraft::store
