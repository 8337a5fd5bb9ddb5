// Decides about lanes and operations that deaths have interrupted: from the reports of all processes in a repair, every
// process computes the same plan. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "shield/protocol/ledger.hpp"
#include "shield/protocol/pending.hpp"

namespace regraft::shield {

struct ReportedOutcome {
    OperationNumber number = 0;
    OutcomeKind kind = OutcomeKind::local;
    std::uint64_t bytes = 0;
    PeId root{};
    friend bool operator==(ReportedOutcome const&, ReportedOutcome const&) = default;
};

/// The report of a process on one of its lanes, or on one that a call in progress makes.
struct LaneReport {
    LaneId lane{};
    OperationNumber known = 0;
    bool tentative = false;
    std::vector<ReportedOutcome> log;
    PendingCounts pending{};
    friend bool operator==(LaneReport const&, LaneReport const&) = default;
};

LaneReport report(LaneId lane, Ledger const& ledger, PendingCounts const& pending = {});

/// Reports as they travel, with a checksum.
std::vector<std::uint64_t> encode(std::span<LaneReport const> reports);
/// None: these are not words that encode() returned, perhaps with others behind them. O(words), also in memory.
std::optional<std::vector<LaneReport>> decode(std::span<std::uint64_t const> words);

/// The decision about an operation that some members lack, or whose inputs its root may lack.
struct Resolution {
    /// data: the source sends it to all. collecting: `inputs` are sent to the root.
    ReportedOutcome outcome;
    /// The process that reported it. None: no living process kept it, or it was confirmed. The protocol excludes the
    /// former.
    std::optional<PeId> source;
    std::vector<Input> inputs;  // inputs of the members that have returned, ascending
};

/// Applies the resolution to the ledger of this process. bytes: the result (data); at the root that collects, the
/// inputs. Returns whether this process lacked the operation.
bool apply(Ledger& ledger, Resolution const& resolution, PeId self, std::vector<std::byte> bytes);

struct LanePlan {
    /// The last operation whose outcome any process knows. A process that holds this or an earlier operation
    /// tentatively commits it: its confirmation was complete on some process, so all had succeeded.
    OperationNumber newest = 0;
    /// Resolutions, ascending by number. After they are applied, all know the same operations.
    std::vector<Resolution> resolutions;
};

/// The reports of all members of the control communicator, whether or not they still live.
class Census {
public:
    struct Row {
        PeId pe{};
        std::vector<LaneReport> reports;
        friend bool operator==(Row const&, Row const&) = default;
    };

    /// rows: ascending by pe.
    explicit Census(std::vector<Row> rows) : rows_(std::move(rows)) {}

    std::span<Row const> rows() const { return rows_; }

    /// Whether any process knows the outcome of an operation. If so, the children that it makes are kept; otherwise all
    /// drop them. Ask for the parent's lane, because perhaps only members of other children have returned.
    bool is_known(LaneId lane, OperationNumber number) const;
    /// Whether a living founder of a lane does not report it any more. Then it has freed the lane, and all have come to
    /// free it.
    bool is_closed(LaneId lane, std::span<PeId const> founders) const;
    /// The plan by which the members of a renewed lane come to know the same operations. Precondition: all of them have
    /// reported it. O(rows * (log(rows) + outcomes in logs)).
    LanePlan plan(LaneId lane, std::span<PeId const> members) const;
    /// The last nonblocking operation whose results are final; those after it will be attempted again. An operation
    /// that any process reported as settled is final, also if that process died since. An operation in which all
    /// members have succeeded is final as well if no member was lost since it was attempted; otherwise the success of
    /// some proves nothing for what the dead should have given. Precondition: as plan.
    OperationNumber settled(LaneId lane, std::span<PeId const> members, bool nobody_was_lost) const;

private:
    Resolution resolve(LaneId lane, std::span<PeId const> members, OperationNumber number) const;
    Resolution collect(LaneId lane, std::span<PeId const> members, OperationNumber number, PeId root) const;
    Row const* find(PeId pe) const;
    LaneReport const* find(PeId pe, LaneId lane) const;

    std::vector<Row> rows_;
};

}  // namespace regraft::shield
