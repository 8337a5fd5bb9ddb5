#include "shield/engine/shield.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>

#include "ft/backend.hpp"
#include "ft/renewal.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "shield/engine/fail_points.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {
namespace {

namespace backend = ft::backend;

constexpr LaneId world_id{1};

MPI_Comm duplicate(MPI_Comm comm) {
    MPI_Comm result = MPI_COMM_NULL;
    int const code = PMPI_Comm_dup(comm, &result);
    REGRAFT_EXPECTS(code == MPI_SUCCESS);
    PMPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN);
    return result;
}

bool agree(MPI_Comm comm, bool says) {
    int bits = says ? 1 : 0;
    backend::agree(comm, &bits);
    return bits != 0;
}

struct Renewed {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> members;
};

/// Renews a communicator. Collective over the living members of damaged, uniform.
Renewed renewed(MPI_Comm damaged, bool is_world, PeId self, std::span<PeId const> before) {
    for (int attempt = 0; attempt < ft::most_renewals; ++attempt) {
        MPI_Comm next = backend::shrink(damaged, is_world, {});
        if (auto members = ft::introduce(damaged, next, self, before)) return {next, std::move(*members)};
        if (next != MPI_COMM_NULL) PMPI_Comm_free(&next);
    }
    REGRAFT_EXPECTS(!"MPIX_Comm_shrink succeeds sooner or later");
    return {};
}

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

int Stage::rank_of(PeId member) const {
    return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
}

Shield::Shield(Options options) : options_(options) {
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    int rank = 0;
    int size = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    self_ = PeId{checked_cast<std::uint32_t>(rank)};
    for (int i = 0; i < size; ++i) founders_.push_back(PeId{static_cast<std::uint32_t>(i)});
    living_ = founders_;
    auto lane = std::make_unique<Lane>();
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &lane->handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, options_.on_error);
    control_ = duplicate(MPI_COMM_WORLD);
    stage_ = {duplicate(MPI_COMM_WORLD), founders_};
    lane->id = world_id;
    lane->face = MPI_COMM_WORLD;
    lane->comm = duplicate(MPI_COMM_WORLD);
    lane->founders = founders_;
    lane->self = rank;
    lane->set_all_living();
    lanes_[world_id] = lane.get();
    faces_[MPI_COMM_WORLD] = std::move(lane);
    static_cast<void>(agree(MPI_COMM_WORLD, true));  // the duplicates are not used before all have left MPI_Comm_dup
}

Lane* Shield::look_up(MPI_Comm face) {
    auto const found = faces_.find(face);
    last_asked_ = face;
    last_found_ = found == faces_.end() ? nullptr : found->second.get();
    return last_found_;
}

/// The handle of a freed communicator may be used again for another.
void Shield::forget_last() {
    last_asked_ = MPI_COMM_NULL;
    last_found_ = nullptr;
}

bool Shield::repair_called() const {
    return backend::is_revoked(control_);
}

bool Shield::is_death(int code) {
    constexpr int most_vague_errors = 500;
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    if (backend::is_process_failure(error_class)) return true;
    bool const vague = error_class == MPI_ERR_OTHER || error_class == MPI_ERR_INTERN || error_class == MPI_ERR_UNKNOWN;
    return vague && ++vague_errors_ <= most_vague_errors;
}

int Shield::start(Lane& lane, Nonblocking operation) {
    reach(call_points.call, self_);
    reach(call_points.inside, self_);
    if (repair_called()) repair();  // no rounds yet: perhaps more operations are started, to be confirmed together
    if (std::find(busy_.begin(), busy_.end(), &lane) == busy_.end()) busy_.push_back(&lane);
    return lane.pending.start(*this, lane, std::move(operation));
}

int Shield::defer(Lane& lane, std::function<void()> action) {
    auto const entry = deferred_.insert(deferred_.end(), {&lane, 0, false, std::move(action)});
    int const code = start(lane, {PMPI_Ibarrier, [entry](int) { entry->is_due = true; }});
    entry->after = lane.pending.counts().started;
    if (code != MPI_SUCCESS) deferred_.erase(entry);
    return code;
}

/// The first action for which all members have come. A process that knows that all have come tells the others in a
/// round, and after that begins no other call that blocks; processes that hear it from all rely on that. If some
/// processes carry out one action and others wait for another to become due, the waiting ones call for a repair, in
/// which all take part.
Deferred* Shield::next_deferred() {
    Deferred* next = nullptr;
    for (auto& one : deferred_) {
        bool const have_come = one.is_due || (one.after != 0 && one.lane->pending.counts().succeeded >= one.after);
        if (have_come && (next == nullptr || one.place() < next->place())) next = &one;
    }
    return next;
}

void Shield::act_on_due() {
    auto const outer = acting_;
    for (auto* next = next_deferred(); next != nullptr && next->is_due; next = next_deferred()) {
        if (outer && next->place() > *outer) break;
        acting_ = next->place();
        auto const action = std::move(next->action);
        deferred_.remove_if([&](Deferred const& one) { return &one == next; });
        action();
    }
    acting_ = outer;
}

void Shield::go_on() {
    // Not while something is deferred: a process that was told that this one knows what is due may wait for it there.
    if (!busy_.empty() && deferred_.empty() && progress()) backend::revoke(control_);
}

bool Shield::progress() {
    constexpr std::uint32_t looks_between_questions = 64;
    bool moved = false;
    bool failed = false;
    bool const asks = ++patience_.looks % looks_between_questions == 0;
    for (auto* const lane : busy_) {
        moved = lane->pending.progress(*this, *lane) || moved;
        // MPI's own operations end a step only when all messages in it have ended, and other processes may not report
        // the death.
        failed = failed || lane->pending.is_interrupted() || (asks && backend::knows_of_deaths(lane->comm));
    }
    std::erase_if(busy_, [](Lane const* lane) { return lane->pending.is_idle(); });
    if (moved) patience_.looks = 0;
    return failed || (asks && is_starving());
}

/// Whether others seem to be in calls that block on other communicators and wait for this process, while this one waits
/// for them to confirm. In a repair they do confirm.
bool Shield::is_starving() {
    constexpr std::uint32_t looks_before_clock = 1024;
    auto const now = std::chrono::steady_clock::now();
    if (patience_.looks == looks_before_clock) patience_.since = now;
    if (patience_.looks <= looks_before_clock || now - patience_.since < patience_.most) return false;
    if (std::none_of(busy_.begin(), busy_.end(), [](Lane const* lane) { return lane->pending.has_news(); }))
        return false;
    patience_.looks = 0;
    patience_.is_over = true;
    return true;
}

void Shield::finish() {
    Farewell farewell;
    while (farewell.step() != Farewell::Step::gone) {
        switch (farewell.step()) {
            case Farewell::Step::look:
                farewell.look(repair_called());
                break;
            case Farewell::Step::agree:
                farewell.advance(agree(control_, true));
                break;
            default:
                repair(farewell.voted());
                farewell.advance(true);
        }
    }
    // No collective may have met some deaths: survivors find them out on a communicator of the living.
    static_cast<void>(confirm_living(true));
}

bool Shield::confirm_living(bool so) {
    bool const all_do = agree(control_, so && !backend::knows_of_deaths(control_));
    if (!all_do) renew_control();
    return all_do;
}

void Shield::let_one_act(std::function<void()> const& act) {
    for (auto const pe : living_) {
        if (pe == self_) act();
        if (!agree(control_, pe != self_)) return;  // a process that has died agrees to whatever the others say
    }
}

void Shield::stand_aside() {
    for (auto const& [face, lane] : faces_) PMPI_Comm_set_errhandler(face, lane->handler);
}

// --- children and lanes

void Shield::add_child(std::unique_ptr<Lane> child) {
    auto const id = child->id;
    children_[id] = std::move(child);
}

Lane* Shield::find_child(LaneId id) {
    auto const found = children_.find(id);
    return found == children_.end() ? nullptr : found->second.get();
}

Lane* Shield::take_child(LaneId id) {
    if (auto node = children_.extract(id)) {
        auto& child = node.mapped();
        lanes_[id] = child.get();
        forget_last();
        faces_[child->face] = std::move(child);
    }
    auto const found = lanes_.find(id);
    return found == lanes_.end() ? nullptr : found->second;
}

void Shield::forget(Lane& lane) {
    forget_last();
    std::erase(busy_, &lane);
    lanes_.erase(lane.id);
    faces_.erase(lane.face);
}

std::vector<Lane*> Shield::open_lanes() const {
    std::vector<Lane*> lanes;
    for (auto const& [id, lane] : lanes_)
        if (!lane->closed) lanes.push_back(lane);
    return lanes;
}

// --- repair

void Shield::repair(bool voted) {
    PastRepair past;
    past.begin = PMPI_Wtime();
    past.was_called = repair_called();
    auto const before = living_;
    Repair repair(voted);
    while (repair.step() != Repair::Step::done) {
        if (options_.on_step != nullptr) options_.on_step(repair.step());
        step(repair, past);
    }
    if (options_.on_step != nullptr) options_.on_step(Repair::Step::done);
    for (auto& comm : outdated_) PMPI_Comm_free(&comm);
    outdated_.clear();
    for (auto* const lane : open_lanes()) {
        lane->ledger.forget_returned();
        lane->lost_members = false;
    }
    for (auto* const lane : busy_) {
        statistics_.count(&Statistics::restarted, lane->pending.counts().started - lane->pending.counts().settled);
        lane->pending.restart(*this, *lane);
    }
    past.rounds = repair.rounds();
    remember(std::move(past), before);
}

void Shield::remember(PastRepair past, std::vector<PeId> const& before) {
    past.ms = (PMPI_Wtime() - past.begin) * 1e3;
    std::set_difference(before.begin(), before.end(), living_.begin(), living_.end(), std::back_inserter(past.dead));
    statistics_.count(&Statistics::repairs);
    statistics_.count(&Statistics::rounds, past.rounds);
    statistics_.repair_ms += past.ms;
    auto const whole_ms = [](double ms) { return std::chrono::milliseconds(static_cast<std::int64_t>(ms)); };
    patience_.learn(whole_ms(past.vote_ms), whole_ms(past.ms - past.vote_ms));
    past.number = statistics_.repairs;
    constexpr std::size_t most_remembered = 1000;
    if (!past.dead.empty() || repairs_.size() < most_remembered) repairs_.push_back(std::move(past));
}

void Shield::step(Repair& repair, PastRepair& past) {
    switch (repair.step()) {
        case Repair::Step::revoke:
            backend::revoke(control_);
            revoke_lanes();
            for (auto* const lane : busy_) lane->pending.end_attempts(*this);
            return repair.advance(true);
        case Repair::Step::vote:
            reach(repair_points.vote, self_);
            static_cast<void>(agree(control_, false));
            past.vote_ms = (PMPI_Wtime() - past.begin) * 1e3;
            return repair.advance(true);
        case Repair::Step::renew_control:
            reach(repair_points.shrink, self_);
            renew_control();
            return repair.advance(true);
        case Repair::Step::report:
            reach(repair_points.report, self_);
            return repair.advance(report_all());
        case Repair::Step::renew_lanes:
            judge();
            renew_stage();
            for (auto* const lane : open_lanes()) renew_lane(*lane);
            return repair.advance(true);
        case Repair::Step::replay:
            reach(repair_points.replay, self_);
            return repair.advance(replay());
        case Repair::Step::revoke_lanes:
            revoke_lanes();
            return repair.advance(true);
        case Repair::Step::agree_reported:
            return repair.advance(agree(control_, repair.so()));
        case Repair::Step::agree_replayed:
            reach(repair_points.end, self_);
            return repair.advance(agree(control_, repair.so()));
        case Repair::Step::done:
            return;
    }
}

void Shield::revoke_lanes() const {
    for (auto const* const lane : open_lanes()) backend::revoke(lane->comm);
    for (auto const& [id, child] : children_)
        if (child->safe) backend::revoke(child->comm);
}

/// Makes it from MPI_COMM_WORLD, whose members never change and which is never revoked.
void Shield::renew_control() {
    auto [comm, members] = renewed(MPI_COMM_WORLD, true, self_, founders_);
    outdated_.push_back(std::exchange(control_, comm));
    living_ = std::move(members);
}

/// Returns whether the reports of all have arrived here.
bool Shield::report_all() {
    std::vector<LaneReport> mine;
    for (auto const* const lane : open_lanes()) mine.push_back(report(lane->id, lane->ledger, lane->pending.counts()));
    for (auto const& [id, child] : children_) mine.push_back(report(id, child->ledger));
    auto words = encode(mine);
    std::uint64_t longest = words.size();
    if (PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, control_) != MPI_SUCCESS) return false;
    words.resize(longest);
    std::vector<std::uint64_t> all(longest * living_.size());
    auto const length = checked_cast<int>(longest);
    if (PMPI_Allgather(words.data(), length, MPI_UINT64_T, all.data(), length, MPI_UINT64_T, control_) != MPI_SUCCESS)
        return false;
    std::vector<Census::Row> rows;
    for (std::size_t i = 0; i < living_.size(); ++i) {
        auto reports = decode(std::span(all).subspan(i * longest, longest));
        if (!reports) return false;
        rows.push_back({living_[i], std::move(*reports)});
    }
    census_.emplace(std::move(rows));
    return true;
}

void Shield::judge() {
    for (auto& [id, child] : std::exchange(children_, {})) {
        if (census_->is_known(child->parent, child->made_by)) {
            lanes_[id] = child.get();
            forget_last();
            faces_[child->face] = std::move(child);
        } else {
            PMPI_Errhandler_free(&child->handler);
            PMPI_Comm_free(&child->comm);
            PMPI_Comm_free(&child->face);
        }
    }
    for (auto* const lane : open_lanes()) lane->closed = census_->is_closed(lane->id, lane->founders);
}

void Shield::leave_stage() {
    backend::revoke(stage_.comm);
}

void Shield::renew_stage() {
    auto [comm, members] = renewed(stage_.comm, false, self_, stage_.members);
    outdated_.push_back(stage_.comm);
    stage_ = {comm, std::move(members)};
}

/// Members of a lane are identified by their ranks in it, whose order shrinking keeps.
void Shield::renew_lane(Lane& lane) {
    std::vector<PeId> before;
    for (auto const rank : lane.living) before.push_back(PeId{static_cast<std::uint32_t>(rank)});
    auto const [comm, members] = renewed(lane.comm, false, PeId{static_cast<std::uint32_t>(lane.self)}, before);
    outdated_.push_back(std::exchange(lane.comm, comm));
    lane.lost_members = lane.lost_members || members.size() != before.size();
    lane.set_living(members);
}

/// Returns whether nothing failed here.
bool Shield::replay() {
    for (auto* const lane : open_lanes()) {
        std::vector<PeId> members;
        for (auto const rank : lane->living) members.push_back(lane->member(rank));
        auto const plan = census_->plan(lane->id, members);
        if (lane->ledger.is_tentative()) {
            lane->ledger.settle(lane->ledger.known() < plan.newest);
        }
        lane->pending.settle(census_->settled(lane->id, members, !lane->lost_members));
        for (auto const& resolution : plan.resolutions)
            if (!resolve(*lane, resolution)) return false;
    }
    return true;
}

bool Shield::resolve(Lane& lane, Resolution const& resolution) {
    REGRAFT_EXPECTS(resolution.source && "a rank has kept what others lack");
    std::vector<std::byte> bytes;
    auto const kind = resolution.outcome.kind;
    if (kind == OutcomeKind::data && !forward(lane, resolution, self_, bytes)) return false;
    if (kind == OutcomeKind::collecting && !collect(lane, resolution, self_, bytes)) return false;
    static_cast<void>(apply(lane.ledger, resolution, self_, std::move(bytes)));
    if (kind == OutcomeKind::collecting && resolution.outcome.root == self_)
        statistics_.count(&Statistics::collected, resolution.inputs.size());
    return true;
}

}  // namespace regraft::shield
