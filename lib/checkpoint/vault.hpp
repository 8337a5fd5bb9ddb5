// The store behind a snapshot, replicated or erasure-coded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/replicated_store.hpp"

namespace regraft::checkpoint {

/// Submitted memory must stay in place as long as it can be read.
class Vault {
public:
    Vault(ft::Communicator& comm, SnapshotOptions const& options);

    void submit(store::Submissions const& all, std::span<std::byte const> mine);
    /// Submits if all members vote for it. With an erasure code it returns false without any communication, because it
    /// would save little.
    [[nodiscard]] bool submit_if(store::Vote const& vote, store::Submissions const& all,
                                 std::span<std::byte const> mine);
    /// The same where only changes are sent. Only for copies.
    [[nodiscard]] std::optional<store::ChangesReport> submit_changes(store::Vote const& vote,
                                                                     store::Submissions const& all,
                                                                     std::span<std::byte const> mine,
                                                                     store::Changes const& changes);
    store::LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, store::LoadOptions const& options);
    struct Repaired {
        std::uint64_t bytes = 0;  // bytes of copies or pieces that were made anew
        std::vector<BlockRange> lost;
    };
    Repaired repair();
    /// The three functions of the store, for a snapshot with SnapshotOptions::keep.
    std::optional<store::ReopenReport> reopen();
    /// Whether a reopen that was interrupted is to be called again, so that others take over what the dead had.
    bool reopens_anew() const { return std::holds_alternative<store::ErasureStore>(store_); }
    void set_attributes(std::vector<std::byte> attributes);
    void discard();
    /// Bytes of copies, or of parities if all members had equally many bytes, beside each member's own.
    std::uint64_t bytes_beside_own() const;

    std::uint64_t version() const;
    BlockSizes const& sizes() const;
    std::span<std::byte const> held(BlockId block) const;
    void visit_holders(std::function<void(placement::Run const&)> const& visit) const;
    void trim();
    std::uint64_t bytes_held() const;

private:
    placement::Any placement_for(store::Submissions const& all) const;

    ft::Communicator& comm_;
    Redundancy redundancy_;
    std::optional<std::uint32_t> node_;
    std::variant<store::ReplicatedStore, store::ErasureStore> store_;
};

}  // namespace regraft::checkpoint
