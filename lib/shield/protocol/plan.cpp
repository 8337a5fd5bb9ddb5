#include "shield/protocol/plan.hpp"

#include <algorithm>
#include <limits>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::shield {
namespace {

constexpr std::size_t header_words = 2;   // number of words, checksum of what follows
constexpr std::size_t report_words = 7;   // lane, known, tentative, pending: started, succeeded, settled; number of
                                          // outcomes
constexpr std::size_t outcome_words = 4;  // number, kind, bytes, root

std::uint64_t checksum(std::span<std::uint64_t const> words) {
    return hash(std::as_bytes(words));
}

/// The last operation that this member knows once it has committed what it must.
OperationNumber known_when_settled(LaneReport const& report, OperationNumber newest) {
    return report.known + (report.tentative && report.known < newest ? 1 : 0);
}

ReportedOutcome const* find_outcome(LaneReport const& report, OperationNumber number) {
    auto const found = std::find_if(report.log.begin(), report.log.end(),
                                    [&](ReportedOutcome const& outcome) { return outcome.number == number; });
    return found == report.log.end() ? nullptr : &*found;
}

/// Whether the root of the operation may still need inputs of others.
bool awaits_root(OutcomeKind kind) {
    return kind == OutcomeKind::input || kind == OutcomeKind::collecting;
}

/// Takes one report from the front of words. False: there is none.
bool take_report(std::span<std::uint64_t const>& words, LaneReport& report) {
    if (words.size() < report_words || words[2] > 1) return false;
    report.lane = LaneId{words[0]};
    report.known = words[1];
    report.tentative = words[2] != 0;
    report.pending = {words[3], words[4], words[5]};
    auto const outcomes = words[6];
    words = words.subspan(report_words);
    if (outcomes > words.size() / outcome_words) return false;
    for (std::uint64_t i = 0; i < outcomes; ++i) {
        if (words[1] > std::uint64_t{static_cast<std::uint8_t>(OutcomeKind::collecting)}) return false;
        report.log.push_back(
            {words[0], static_cast<OutcomeKind>(words[1]), words[2], PeId{static_cast<std::uint32_t>(words[3])}});
        words = words.subspan(outcome_words);
    }
    return true;
}

}  // namespace

LaneReport report(LaneId lane, Ledger const& ledger, PendingCounts const& pending) {
    LaneReport result{lane, ledger.known(), ledger.is_tentative(), {}, pending};
    for (auto const& outcome : ledger.log())
        result.log.push_back({outcome.number, outcome.kind, std::uint64_t{outcome.bytes.size()}, outcome.root});
    return result;
}

std::vector<std::uint64_t> encode(std::span<LaneReport const> reports) {
    std::vector<std::uint64_t> words(header_words);
    for (auto const& report : reports) {
        words.insert(words.end(), {static_cast<std::uint64_t>(report.lane), report.known,
                                   std::uint64_t{report.tentative ? 1U : 0U}, report.pending.started,
                                   report.pending.succeeded, report.pending.settled, std::uint64_t{report.log.size()}});
        for (auto const& outcome : report.log)
            words.insert(words.end(), {outcome.number, static_cast<std::uint64_t>(outcome.kind), outcome.bytes,
                                       std::uint64_t{value(outcome.root)}});
    }
    words[0] = words.size();
    words[1] = checksum(std::span(words).subspan(header_words));
    return words;
}

std::optional<std::vector<LaneReport>> decode(std::span<std::uint64_t const> words) {
    if (words.size() < header_words || words[0] < header_words || words[0] > words.size()) return {};
    auto rest = words.first(words[0]).subspan(header_words);
    if (words[1] != checksum(rest)) return {};
    std::vector<LaneReport> reports;
    while (!rest.empty()) {
        if (!take_report(rest, reports.emplace_back())) return {};
    }
    return reports;
}

bool apply(Ledger& ledger, Resolution const& resolution, PeId self, std::vector<std::byte> bytes) {
    auto const& told = resolution.outcome;
    bool const lacked = ledger.known() < told.number;
    auto* const outcome = lacked ? &ledger.record(told.kind) : ledger.find(told.number);
    if (outcome == nullptr) return lacked;
    bool const collects = told.kind == OutcomeKind::collecting;
    bool const is_kept = collects ? outcome->kind == OutcomeKind::collecting : awaits_root(outcome->kind);
    if (!lacked && !is_kept) return lacked;
    outcome->kind = told.kind;
    outcome->root = told.root;
    outcome->bytes = std::move(bytes);
    outcome->inputs = collects && told.root == self ? resolution.inputs : std::vector<Input>();
    return lacked;
}

Census::Row const* Census::find(PeId pe) const {
    auto const row = std::lower_bound(rows_.begin(), rows_.end(), pe, [](Row const& r, PeId p) { return r.pe < p; });
    return row != rows_.end() && row->pe == pe ? &*row : nullptr;
}

LaneReport const* Census::find(PeId pe, LaneId lane) const {
    auto const* const row = find(pe);
    if (row == nullptr) return nullptr;
    auto const found = std::find_if(row->reports.begin(), row->reports.end(),
                                    [&](LaneReport const& report) { return report.lane == lane; });
    return found == row->reports.end() ? nullptr : &*found;
}

bool Census::is_known(LaneId lane, OperationNumber number) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](Row const& row) {
        auto const* const report = find(row.pe, lane);
        return report != nullptr && report->known >= number;
    });
}

bool Census::is_closed(LaneId lane, std::span<PeId const> founders) const {
    return std::any_of(founders.begin(), founders.end(),
                       [&](PeId pe) { return find(pe) != nullptr && find(pe, lane) == nullptr; });
}

LanePlan Census::plan(LaneId lane, std::span<PeId const> members) const {
    LanePlan plan;
    // Reports of processes that have died since count too: what they knew was confirmed all the same.
    for (auto const& row : rows_) {
        if (auto const* const report = find(row.pe, lane)) plan.newest = std::max(plan.newest, report->known);
    }
    OperationNumber fewest = std::numeric_limits<OperationNumber>::max();
    OperationNumber most = 0;
    OperationNumber unsettled = std::numeric_limits<OperationNumber>::max();
    for (auto const pe : members) {
        auto const* const report = find(pe, lane);
        REGRAFT_EXPECTS(report != nullptr);
        auto const known = known_when_settled(*report, plan.newest);
        fewest = std::min(fewest, known);
        most = std::max(most, known);
        for (auto const& outcome : report->log)
            if (awaits_root(outcome.kind)) unsettled = std::min(unsettled, outcome.number);
    }
    if (members.empty()) return plan;
    for (auto number = std::min(unsettled, fewest + 1); number <= most; ++number) {
        auto resolution = resolve(lane, members, number);
        bool const all_have_it =
            number <= fewest && (!resolution.source || resolution.outcome.kind == OutcomeKind::data);
        if (!all_have_it) plan.resolutions.push_back(std::move(resolution));
    }
    return plan;
}

/// Takes the outcome that any member has kept, that of the lowest first. An outcome of inputs for the root counts only
/// if no member knows more.
Resolution Census::resolve(LaneId lane, std::span<PeId const> members, OperationNumber number) const {
    Resolution arrived{{number, OutcomeKind::local, 0, {}}, {}, {}};
    std::optional<PeId> root;
    for (auto const pe : members) {
        auto const* const kept = find_outcome(*find(pe, lane), number);
        if (kept == nullptr || kept->kind == OutcomeKind::local) continue;
        if (awaits_root(kept->kind)) {
            root = kept->root;
        } else if (kept->kind == OutcomeKind::arrived) {
            arrived = {{number, OutcomeKind::arrived, 0, {}}, pe, {}};
        } else {
            return {*kept, pe, {}};
        }
    }
    return arrived.source || !root ? arrived : collect(lane, members, number, *root);
}

Resolution Census::collect(LaneId lane, std::span<PeId const> members, OperationNumber number, PeId root) const {
    Resolution resolution{{number, OutcomeKind::skipped, 0, root}, root, {}};
    if (std::find(members.begin(), members.end(), root) == members.end()) return resolution;
    auto const& at_root = *find(root, lane);
    auto const* const outcome = find_outcome(at_root, number);
    bool const has_returned = at_root.known >= number && (outcome == nullptr || !awaits_root(outcome->kind));
    resolution.outcome.kind = has_returned ? OutcomeKind::arrived : OutcomeKind::collecting;
    for (auto const pe : members) {
        auto const* const given = find_outcome(*find(pe, lane), number);
        bool const is_here = given != nullptr && given->kind == OutcomeKind::input;
        if (!has_returned && is_here) resolution.inputs.push_back({pe, given->bytes});
    }
    return resolution;
}

OperationNumber Census::settled(LaneId lane, std::span<PeId const> members, bool nobody_was_lost) const {
    OperationNumber known = 0;
    for (auto const& row : rows_) {
        if (auto const* const report = find(row.pe, lane)) known = std::max(known, report->pending.settled);
    }
    if (!nobody_was_lost || members.empty()) return known;
    OperationNumber common = std::numeric_limits<OperationNumber>::max();
    for (auto const pe : members) common = std::min(common, find(pe, lane)->pending.succeeded);
    return std::max(known, common);
}

}  // namespace regraft::shield
