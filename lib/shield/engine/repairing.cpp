#include "shield/engine/repairing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/lanes/hidden.hpp"

namespace regraft::shield {
namespace {

/// Sends the outcome that one member knows to all. Returns whether it has arrived here.
bool forward(Lane const& lane, Resolution const& resolution, PeId self, std::vector<std::byte>& bytes) {
    auto const& outcome = resolution.outcome;
    bytes.resize(outcome.bytes);
    if (*resolution.source == self) bytes = lane.ledger.find(outcome.number)->bytes;
    if (bytes.empty()) return true;
    int const root = lane.position(*resolution.source);
    return PMPI_Bcast(bytes.data(), checked_cast<int>(bytes.size()), MPI_BYTE, root, lane.comm) == MPI_SUCCESS;
}

/// Sends the inputs of the members that have returned to the root. Returns whether nothing failed here.
bool collect(Lane const& lane, Resolution const& resolution, PeId self, std::vector<std::byte>& bytes) {
    std::vector<int> counts(lane.living.size());
    std::vector<int> places(lane.living.size());
    std::size_t all = 0;
    for (auto const& input : resolution.inputs) {
        auto const giver = static_cast<std::size_t>(lane.position(input.giver));
        counts[giver] = checked_cast<int>(input.bytes);
        places[giver] = checked_cast<int>(all);
        all += input.bytes;
    }
    if (all == 0) return true;
    if (resolution.outcome.root == self) bytes.resize(all);
    auto const* const kept = lane.ledger.find(resolution.outcome.number);
    bool const gives = kept != nullptr && kept->kind == OutcomeKind::input;
    return PMPI_Gatherv(gives ? kept->bytes.data() : nullptr, gives ? checked_cast<int>(kept->bytes.size()) : 0,
                        MPI_BYTE, bytes.data(), counts.data(), places.data(), MPI_BYTE,
                        lane.position(resolution.outcome.root), lane.comm) == MPI_SUCCESS;
}

}  // namespace

PastRepair Repairing::run(bool voted) {
    past_.begin = PMPI_Wtime();
    past_.was_called = it_.survivors.repair_called();
    std::vector<PeId> const before(it_.survivors.living().begin(), it_.survivors.living().end());
    auto* const note = it_.options.on_step;
    Repair repair(voted);
    while (repair.step() != Repair::Step::done) {
        if (note != nullptr) note(repair.step());
        step(repair);
    }
    if (note != nullptr) note(Repair::Step::done);
    go_on();
    past_.rounds = repair.rounds();
    past_.ms = (PMPI_Wtime() - past_.begin) * 1e3;
    auto const living = it_.survivors.living();
    std::set_difference(before.begin(), before.end(), living.begin(), living.end(), std::back_inserter(past_.dead));
    return std::move(past_);
}

void Repairing::step(Repair& repair) {
    auto const self = it_.survivors.self();
    switch (repair.step()) {
        case Repair::Step::revoke:
            it_.survivors.call_repair();
            it_.lanes.revoke();
            it_.busy.end_attempts(it_.deaths);
            return repair.advance(true);
        case Repair::Step::vote:
            reach(repair_points.vote, self);
            static_cast<void>(it_.survivors.agree(false));
            past_.vote_ms = (PMPI_Wtime() - past_.begin) * 1e3;
            return repair.advance(true);
        case Repair::Step::renew_control:
            reach(repair_points.shrink, self);
            outdated_.push_back(it_.survivors.renew());
            return repair.advance(true);
        case Repair::Step::report:
            reach(repair_points.report, self);
            return repair.advance(exchange_reports());
        case Repair::Step::renew_lanes:
            it_.lanes.sort_out(*census_);
            outdated_.push_back(it_.living_world.renew(self));
            for (auto* const lane : it_.lanes.open()) renew_lane(*lane);
            return repair.advance(true);
        case Repair::Step::replay:
            reach(repair_points.replay, self);
            return repair.advance(replay());
        case Repair::Step::revoke_lanes:
            it_.lanes.revoke();
            return repair.advance(true);
        case Repair::Step::agree_reported:
            return repair.advance(it_.survivors.agree(repair.so()));
        case Repair::Step::agree_replayed:
            reach(repair_points.end, self);
            return repair.advance(it_.survivors.agree(repair.so()));
        case Repair::Step::done:
            return;
    }
}

/// Returns whether the reports of all have arrived here.
bool Repairing::exchange_reports() {
    auto const control = it_.survivors.control();
    auto const living = it_.survivors.living();
    auto words = encode(it_.lanes.reports());
    std::uint64_t longest = words.size();
    if (PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, control) != MPI_SUCCESS) return false;
    words.resize(longest);
    std::vector<std::uint64_t> all(longest * living.size());
    auto const length = checked_cast<int>(longest);
    if (PMPI_Allgather(words.data(), length, MPI_UINT64_T, all.data(), length, MPI_UINT64_T, control) != MPI_SUCCESS)
        return false;
    std::vector<Census::Row> rows;
    for (std::size_t i = 0; i < living.size(); ++i) {
        auto reports = decode(std::span(all).subspan(i * longest, longest));
        if (!reports) return false;
        rows.push_back({living[i], std::move(*reports)});
    }
    census_.emplace(std::move(rows));
    return true;
}

/// Members of a lane are identified by their ranks in it, whose order shrinking keeps.
void Repairing::renew_lane(Lane& lane) {
    std::vector<PeId> before;
    for (auto const rank : lane.living) before.push_back(PeId{static_cast<std::uint32_t>(rank)});
    auto [comm, members] = renewed(lane.comm, PeId{static_cast<std::uint32_t>(lane.self)}, before);
    outdated_.push_back(std::exchange(lane.comm, comm));
    lane.lost_members = lane.lost_members || members.size() != before.size();
    lane.set_living(members);
}

/// Returns whether nothing failed here.
bool Repairing::replay() {
    for (auto* const lane : it_.lanes.open()) {
        std::vector<PeId> members;
        for (auto const rank : lane->living) members.push_back(lane->member(rank));
        auto const plan = census_->plan(lane->id, members);
        if (lane->ledger.known() < plan.newest) lane->ledger.commit();
        lane->ledger.retract();
        lane->pending.settle(census_->settled(lane->id, members, !lane->lost_members));
        for (auto const& resolution : plan.resolutions)
            if (!resolve(*lane, resolution)) return false;
    }
    return true;
}

bool Repairing::resolve(Lane& lane, Resolution const& resolution) {
    REGRAFT_EXPECTS(resolution.source && "a rank has kept what others lack");
    std::vector<std::byte> bytes;
    auto const self = it_.survivors.self();
    auto const kind = resolution.outcome.kind;
    if (kind == OutcomeKind::data && !forward(lane, resolution, self, bytes)) return false;
    if (kind == OutcomeKind::collecting && !collect(lane, resolution, self, bytes)) return false;
    static_cast<void>(apply(lane.ledger, resolution, self, std::move(bytes)));
    if (kind == OutcomeKind::collecting && resolution.outcome.root == self)
        it_.statistics.count(&Statistics::collected, resolution.inputs.size());
    return true;
}

/// All have agreed: forgets what no rank needs any more, and attempts again what is not settled.
void Repairing::go_on() {
    for (auto& comm : outdated_) PMPI_Comm_free(&comm);
    for (auto* const lane : it_.lanes.open()) {
        lane->ledger.forget_returned();
        lane->lost_members = false;
    }
    it_.statistics.count(&Statistics::restarted, it_.busy.restart(it_.deaths));
}

}  // namespace regraft::shield
