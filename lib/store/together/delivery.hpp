// A load, from what members want to the report. What differs between stores is how they plan and move blocks, and how
// they find damage.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/store/options.hpp"
#include "store/together/loading.hpp"

namespace regraft::store {

/// Counts how often blocks are sent again because they arrived damaged although no member's memory is damaged.
class Resends {
public:
    /// Throws DamagedInTransit if it was tried three times. All members call it alike.
    void add();

private:
    int count_ = 0;
};

/// What a PE passes to a load.
struct Order {
    Csr<BlockRange> wanted{};  // by PeId
    std::span<std::byte> out{};
    LoadOptions options{};
    std::uint64_t alike = 0;  // the digest of the arguments that must be the same on all members
};
/// Members tell each other what they want. identity: of the store (identity.hpp). Collective, not uniform.
Order gather_order(ft::Communicator& comm, std::uint64_t identity, std::span<BlockRange const> wanted,
                   std::span<std::byte> out, LoadOptions const& options);
/// All members know what all want.
Order known_order(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options);

/// A load, or the replacement of damaged replicas, that is not yet agreed on. It may take several attempts.
class Delivery {
public:
    /// call: of the store (identity.hpp).
    Delivery(ft::Communicator& comm, ft::FailPhase& phase, std::uint64_t call, Order order)
        : comm_(comm), phase_(phase), call_(call), order_(std::move(order)) {}
    Delivery(Delivery const&) = delete;
    Delivery& operator=(Delivery const&) = delete;
    virtual ~Delivery() = default;

    /// Does what a store's load says. Collective, uniform.
    LoadReport load();
    /// Does what a store's start_load says. Collective, not uniform.
    static Loading start(std::unique_ptr<Delivery> delivery, LoadsUnderWay& all);

protected:
    /// Makes attempts until all members have what they want or know that it is lost. Collective, uniform.
    void repeat_until_clean();
    /// The ranges that this PE wants.
    std::span<BlockRange const> mine() const { return CsrView<BlockRange>(order_.wanted)[value(comm_.self())]; }
    void expect_fits(BlockSizes const& sizes) const;

    /// Plans the next attempt, and assigns the memory for everything that is sent and received. Collective, not
    /// uniform.
    virtual void prepare() = 0;
    virtual void move() = 0;
    /// The same while the program goes on.
    virtual exchange::Pending start_moving() = 0;
    /// Whether this PE got what was sent. Collective, not uniform.
    virtual bool is_intact() = 0;
    /// Whether what members hold, of what they sent, is damaged; it counts no more. Collective, not uniform.
    virtual bool note_damage() = 0;
    /// What follows from the agreement on the last attempt. Lists in spoilt_ what may have arrived damaged.
    virtual LoadReport settle() = 0;
    virtual BlockSizes const& sizes() const = 0;

    ft::Communicator& comm_;
    ft::FailPhase& phase_;
    std::uint64_t call_;
    Order order_;
    std::vector<BlockRange> spoilt_;

private:
    struct Started;
    LoadReport finish();

    Resends resends_;
};

}  // namespace regraft::store
