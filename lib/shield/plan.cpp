#include "shield/plan.hpp"

#include <algorithm>
#include <limits>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::shield {
namespace {

constexpr std::size_t header_words = 2;   // words in all, checksum of what follows
constexpr std::size_t report_words = 7;   // lane, known, tentative, pending: started, succeeded, settled; outcomes
constexpr std::size_t outcome_words = 3;  // number, kind, bytes

std::uint64_t checksum(std::span<std::uint64_t const> words) {
    return hash(std::as_bytes(words));
}

/// What this member knows once it has committed what it must.
OperationNumber known_when_settled(LaneReport const& report, OperationNumber newest) {
    return report.known + (report.tentative && report.known < newest ? 1 : 0);
}

ReportedOutcome const* find_outcome(LaneReport const& report, OperationNumber number) {
    auto const found = std::find_if(report.log.begin(), report.log.end(),
                                    [&](ReportedOutcome const& outcome) { return outcome.number == number; });
    return found == report.log.end() ? nullptr : &*found;
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
        if (words[1] > std::uint64_t{static_cast<std::uint8_t>(OutcomeKind::local)}) return false;
        report.log.push_back({words[0], static_cast<OutcomeKind>(words[1]), words[2]});
        words = words.subspan(outcome_words);
    }
    return true;
}

}  // namespace

LaneReport report(LaneId lane, Ledger const& ledger, PendingCounts const& pending) {
    LaneReport result{lane, ledger.known(), ledger.is_tentative(), {}, pending};
    for (auto const& outcome : ledger.log())
        result.log.push_back({outcome.number, outcome.kind, std::uint64_t{outcome.bytes.size()}});
    return result;
}

std::vector<std::uint64_t> encode(std::span<LaneReport const> reports) {
    std::vector<std::uint64_t> words(header_words);
    for (auto const& report : reports) {
        words.insert(words.end(), {static_cast<std::uint64_t>(report.lane), report.known,
                                   std::uint64_t{report.tentative ? 1U : 0U}, report.pending.started,
                                   report.pending.succeeded, report.pending.settled, std::uint64_t{report.log.size()}});
        for (auto const& outcome : report.log)
            words.insert(words.end(), {outcome.number, static_cast<std::uint64_t>(outcome.kind), outcome.bytes});
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
    // Also by those who have died since: what they knew was confirmed all the same.
    for (auto const& row : rows_) {
        if (auto const* const report = find(row.pe, lane)) plan.newest = std::max(plan.newest, report->known);
    }
    OperationNumber fewest = std::numeric_limits<OperationNumber>::max();
    OperationNumber most = 0;
    for (auto const pe : members) {
        auto const* const report = find(pe, lane);
        REGRAFT_EXPECTS(report != nullptr);
        auto const known = known_when_settled(*report, plan.newest);
        fewest = std::min(fewest, known);
        most = std::max(most, known);
    }
    for (auto number = fewest + 1; number <= most && !members.empty(); ++number) {
        Forward forward{{number, OutcomeKind::local, 0}, {}};
        for (auto const pe : members) {
            auto const* const kept = find_outcome(*find(pe, lane), number);
            if (kept == nullptr || kept->kind == OutcomeKind::local) continue;
            forward = {*kept, pe};
            break;
        }
        plan.forwards.push_back(forward);
    }
    return plan;
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
