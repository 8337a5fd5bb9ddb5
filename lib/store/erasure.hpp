// What is behind an ErasureStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/store/erasure_store.hpp"
#include "store/erasure_rebuild.hpp"
#include "store/erasure_version.hpp"
#include "store/loading.hpp"
#include "store/on_disk.hpp"
#include "store/seals.hpp"

namespace regraft::store {

/// A load while it is not agreed on. It may take several attempts.
struct ErasureDelivery {
    Csr<BlockRange> wanted{};  // by member
    std::span<std::byte> out{};
    LoadOptions options{};
    std::uint64_t alike = 0;  // the digest of what must be

    // What the attempts so far have found.
    std::optional<erasure::Holdings> undamaged{};  // the holdings without what is bad, if something is
    std::vector<BadPiece> bad{};
    Resends resends{};

    // The attempt under way.
    erasure::Reads plan{};
    std::optional<Rebuilding> rebuilding{};
    std::optional<Shipment> shipment{};  // whole blocks, and sources of the first round of rebuilds
    Scratch scratch{};
    Volume volume{0};
};

/// A repair while it is not agreed on. It may take several attempts.
struct ErasureMending {
    ErasureVersion base{};                  // what there is, without the dead and what is damaged
    std::vector<BadPiece> bad{};            // found so far
    std::uint64_t room = 0;                 // of this PE
    std::vector<std::uint64_t> all_room{};  // that members have beside what they hold; empty: no limits

    // The attempt under way.
    erasure::Repair plan{};
    ErasureVersion next{};
    Volume volume{0};
};

struct ErasureStore::Impl {
    Impl(ft::Communicator& communicator, ErasureOptions const& given) : comm(communicator), options(given) {}

    using SizesOf = std::function<BlockSizes(std::span<BlockRange const>)>;
    /// from: where the blocks were read, if they were; `bytes` may be its memory.
    void submit(erasure::Code const& code, BlockRange mine, std::span<std::byte const> bytes, std::uint64_t block_bytes,
                SizesOf const& sizes_of, OnDisk from = {});
    void submit(erasure::Code const& code, Submissions const& all, std::span<std::byte const> bytes,
                std::uint64_t alike, OnDisk from = {});
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& load_options,
                    std::uint64_t alike);
    enum class Look { where_needed, everywhere };  // for damage
    ErasureRepair repair(ErasureRepairOptions const& repair_options, Look look);

    /// Plans the next attempt, and lays out where in memory everything comes from and goes to.
    void prepare(ErasureDelivery& delivery);
    /// What follows when the shipment has arrived, more attempts included. Collective, uniform.
    LoadReport finish(ErasureDelivery& delivery, bool intact);

    /// What this PE writes to disk: all members together every block.
    std::vector<BlockRange> to_write();

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }

    ft::Communicator& comm;
    ErasureOptions options;
    std::unique_ptr<ErasureVersion> current;
    std::uint64_t version = 0;
    OnDisk on_disk;
    LoadsUnderWay loads;

private:
    struct Started;
    std::uint64_t window() const { return window_bytes(options, current->holdings.layout().code()); }
    /// Whether everything is intact everywhere, and all mean the same: one agreement. Uniform.
    bool agree_intact(bool intact, std::uint64_t alike);
    LoadReport report_of(ErasureDelivery const& delivery) const;
    bool has_few_members(ErasureVersion const& of) const;
    bool mend(ErasureMending& mending);
    std::optional<erasure::Code> smaller_code(ErasureMending const& mending);
    bool encode_anew(ErasureMending& mending, erasure::Code const& code);
    friend class ErasureStore;
};

}  // namespace regraft::store
