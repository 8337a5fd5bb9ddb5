// What becomes of lanes and of operations that deaths have interrupted: from what all have told in a repair, the same
// plan everywhere. Pure.
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

/// What a process tells about one of its lanes, or of those that a call in progress makes.
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
/// None: these are not the words that encode() gave, perhaps with others behind them. O(words), also in memory.
std::optional<std::vector<LaneReport>> decode(std::span<std::uint64_t const> words);

/// What becomes of an operation that some members lack, or whose inputs its root may lack.
struct Resolution {
    /// data: the source sends it to all. collecting: `inputs` are sent to the root.
    ReportedOutcome outcome;
    /// Who has told of it. None: nobody alive kept it, or it was confirmed. The protocol excludes that.
    std::optional<PeId> source;
    std::vector<Input> inputs;  // of those who have returned, ascending
};

/// Does with the ledger of this process what the resolution says. bytes: of data; at the root that collects, the
/// inputs. Whether this process lacked the operation.
bool apply(Ledger& ledger, Resolution const& resolution, PeId self, std::vector<std::byte> bytes);

struct LanePlan {
    /// The last operation whose outcome is known anywhere. Who holds this one or an earlier one tentatively commits it:
    /// its confirmation was complete somewhere, so all had succeeded.
    OperationNumber newest = 0;
    /// By number, ascending. Afterwards all know the same operations.
    std::vector<Resolution> resolutions;
};

/// What all members of the control communicator have told, whether or not they still live.
class Census {
public:
    struct Row {
        PeId pe{};
        std::vector<LaneReport> reports;
        friend bool operator==(Row const&, Row const&) = default;
    };

    /// Ascending by pe.
    explicit Census(std::vector<Row> rows) : rows_(std::move(rows)) {}

    std::span<Row const> rows() const { return rows_; }

    /// Whether somebody knows the outcome of an operation. The children that it makes are kept if so, else by nobody:
    /// this is to be asked of the parent's lane, for perhaps only members of other children have returned.
    bool is_known(LaneId lane, OperationNumber number) const;
    /// Whether a living founder of a lane does not have it any more: then it has freed it, and all have come to free
    /// it.
    bool is_closed(LaneId lane, std::span<PeId const> founders) const;
    /// How the members of a renewed lane come to know the same operations. Precondition: all of them have reported it.
    /// O(rows * (log(rows) + outcomes in logs)).
    LanePlan plan(LaneId lane, std::span<PeId const> members) const;
    /// The last nonblocking operation whose results are final; those after it will be attempted again. Who has told
    /// that it is settled is right, also if it died since. What all members have succeeded in is final as well if
    /// nobody was lost since it was attempted (else the success of some proves nothing for what the dead should have
    /// given). Precondition: as plan.
    OperationNumber settled(LaneId lane, std::span<PeId const> members, bool nobody_was_lost) const;

private:
    Resolution resolve(LaneId lane, std::span<PeId const> members, OperationNumber number) const;
    Resolution collect(LaneId lane, std::span<PeId const> members, OperationNumber number, PeId root) const;
    Row const* find(PeId pe) const;
    LaneReport const* find(PeId pe, LaneId lane) const;

    std::vector<Row> rows_;
};

}  // namespace regraft::shield
