// The implementation of an ErasureStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/store/erasure_store.hpp"
#include "store/blocks/seals.hpp"
#include "store/erasure/erasure_rebuild.hpp"
#include "store/erasure/erasure_version.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/identity.hpp"
#include "store/together/loading.hpp"

namespace regraft::store {

/// A load that is not yet agreed on. It may take several attempts.
struct ErasureDelivery {
    Csr<BlockRange> wanted{};  // by member
    std::span<std::byte> out{};
    LoadOptions options{};
    std::uint64_t alike = 0;  // the digest of the arguments that must be the same on all members

    // Results of the attempts so far.
    std::optional<erasure::Holdings> undamaged{};  // the holdings without damaged pieces, if there are any
    std::vector<BadPiece> bad{};
    Resends resends{};

    // State of the attempt under way.
    erasure::Reads plan{};
    std::optional<Rebuilding> rebuilding{};
    std::optional<Shipment> shipment{};  // whole blocks, and sources of the first round of rebuilds
    Scratch scratch{};
    Volume volume{0};
};

/// A repair that is not yet agreed on. It may take several attempts.
struct ErasureMending {
    ErasureVersion base{};                  // the present version, without the dead and damaged pieces
    std::vector<BadPiece> bad{};            // damaged pieces found so far
    std::uint64_t room = 0;                 // room of this PE
    std::vector<std::uint64_t> all_room{};  // room of each member beside what it holds; empty: no limits

    // State of the attempt under way.
    erasure::Repair plan{};
    ErasureVersion next{};
    Volume volume{0};
};

struct ErasureStore::Impl {
    Impl(ft::Communicator& communicator, ErasureOptions const& given)
        : comm(communicator), options(given), identity(made_identity(comm)) {}

    using SizesOf = std::function<BlockSizes(std::span<BlockRange const>)>;
    /// from: where the blocks were read, if they were read from disk; `bytes` may be its memory.
    void submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes, std::uint64_t block_bytes,
                SizesOf const& sizes_of, OnDisk from = {});
    void submit(erasure::Code const& code, Submissions const& all, std::span<std::byte const> bytes,
                std::uint64_t alike, OnDisk from = {});
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& load_options,
                    std::uint64_t alike);
    enum class Look { where_needed, everywhere };  // which pieces are checked for damage
    ErasureRepair repair(ErasureRepairOptions const& repair_options, Look look);

    /// Plans the next attempt, and assigns the memory for everything that is sent and received.
    void prepare(ErasureDelivery& delivery);
    /// Ends the load when the shipment has arrived, with further attempts if needed. Collective, uniform.
    LoadReport finish(ErasureDelivery& delivery, bool intact);

    /// The blocks that this PE writes to disk: all members together write every block.
    std::vector<BlockRange> to_write();

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }

    ft::Communicator& comm;
    ErasureOptions options;
    std::unique_ptr<ErasureVersion> current;
    std::uint64_t version = 0;
    std::uint64_t identity;  // of the current version, and before the first one of this object (identity.hpp)
    OnDisk on_disk;
    LoadsUnderWay loads;  // destroyed before the memory above, which the loads use

private:
    struct Started;
    std::uint64_t window() const { return window_bytes(options, current->holdings.layout().code()); }
    LoadReport report_of(ErasureDelivery const& delivery) const;
    bool has_few_members(ErasureVersion const& of) const;
    bool mend(ErasureMending& mending);
    std::optional<erasure::Code> smaller_code(ErasureMending const& mending);
    bool encode_anew(ErasureMending& mending, erasure::Code const& code);
    friend class ErasureStore;
};

}  // namespace regraft::store
