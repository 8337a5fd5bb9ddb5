#include "shield/creation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "shield/collective.hpp"

namespace regraft::shield {
namespace {

/// A face and a lane, or neither. What an interrupted call leaves behind is nothing that could be freed. Who is no
/// member takes part in both calls all the same.
int make_both(Shield& shield, MPI_Comm parent, Make const& make, Lane& child) {
    int code = make(parent, &child.face);
    if (code != MPI_SUCCESS) return code;
    reach(call_points.between, shield.self());
    code = make(parent, &child.comm);
    if (child.face == MPI_COMM_NULL) return code;
    if (code != MPI_SUCCESS) {
        PMPI_Comm_free(&child.face);
        return code;
    }
    PMPI_Comm_set_errhandler(child.face, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(child.comm, MPI_ERRORS_RETURN);
    return code;
}

/// One attempt. describe(child): sets who its members are; its return code is that of what it needed.
/// Nobody asks the child for deaths of which it cannot hear: whoever dies while somebody still makes it has not come to
/// the confirmation, so that nobody returns with it.
template <class Describe>
int attempt(Shield& shield, Lane const& parent, LaneId id, Make const& make, Describe const& describe) {
    Creation creation;
    auto child = std::make_unique<Lane>();
    child->id = id;
    child->parent = parent.id;
    child->made_by = parent.ledger.returned() + 1;
    int code = describe(*child);
    if (code == MPI_SUCCESS) code = make_both(shield, parent.comm, make, *child);
    creation.advance(code == MPI_SUCCESS);
    if (creation.step() == Creation::Step::failed) return code;
    bool const is_member = child->face != MPI_COMM_NULL;
    if (is_member) share(child->face, parent.handler, &child->handler);
    if (is_member) shield.add_child(std::move(child));
    reach(call_points.meet, shield.self());
    code = PMPI_Barrier(parent.comm);
    creation.advance(code == MPI_SUCCESS);
    if (is_member) shield.find_child(id)->safe = creation.is_safe();
    return code;
}

template <class Describe>
int create(Shield& shield, Lane& lane, std::uint64_t colour, bool is_member, MPI_Comm* face, Make const& make,
           Describe const& describe) {
    *face = MPI_COMM_NULL;
    shield.complete(lane);  // what is deferred there makes others first
    auto const id = child_id(lane.id, lane.ledger.returned() + 1, colour);
    Operation const operation{[&](MPI_Comm) { return attempt(shield, lane, id, make, describe); }, nothing, nothing,
                              nothing};
    int const code = collective(shield, lane, {.synchronises = true, .forwardable = false}, no_root, operation);
    if (code != MPI_SUCCESS || !is_member) return code;
    auto const* const child = shield.take_child(id);
    REGRAFT_EXPECTS(child != nullptr && "a creation that was confirmed has a child");
    *face = child->face;
    return code;
}

// --- communicators that only their members make

constexpr int meeting_tag = 0xc02;   // of messages on the lane
constexpr int creation_tag = 0xc03;  // of MPI's own while it makes one

/// The same for all members, each time another.
LaneId id_of_group(Lane const& lane, std::vector<int> const& members, int tag) {
    static std::unordered_map<std::uint64_t, std::uint64_t> made;
    auto key = mix(static_cast<std::uint64_t>(lane.id) ^ mix(static_cast<std::uint64_t>(tag) + 1));
    for (auto const rank : members) key = mix(key ^ static_cast<std::uint64_t>(rank));
    return LaneId{mix(key + made[key]++)};
}

bool tell(Lane const& lane, int rank) {
    return PMPI_Send(nullptr, 0, MPI_BYTE, lane.position(rank), meeting_tag, lane.comm) == MPI_SUCCESS;
}

/// Whether that rank tells, before a death on this lane or a repair.
bool is_told(Shield& shield, Lane const& lane, int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (PMPI_Irecv(nullptr, 0, MPI_BYTE, lane.position(rank), meeting_tag, lane.comm, &request) != MPI_SUCCESS)
        return false;
    auto const repairs = shield.statistics().repairs;
    for (;;) {
        int done = 0;
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) return true;
        shield.help();
        if (shield.statistics().repairs == repairs) continue;
        PMPI_Request_free(&request);
        return false;
    }
}

/// A barrier among these ranks in which nobody waits where a repair could not reach it: the first hears of all, and
/// tells all. If it fails, others may have returned from it.
bool meet(Shield& shield, Lane const& lane, std::vector<int> const& ranks) {
    int const first = ranks.front();
    if (lane.self != first) return tell(lane, first) && is_told(shield, lane, first);
    auto const others = std::span(ranks).subspan(1);
    return std::all_of(others.begin(), others.end(), [&](int rank) { return is_told(shield, lane, rank); }) &&
           std::all_of(others.begin(), others.end(), [&](int rank) { return tell(lane, rank); });
}

/// Of these ranks, in their order. If somebody dies in it, most of the others hear of that or of the repair; but inside
/// of MPI_Comm_create_group, MPI begins messages also on a communicator that is revoked, and those never end.
int make_natively(Shield& shield, Lane const& parent, std::vector<int> const& ranks, Lane& child) {
    std::vector<int> positions;
    for (auto const rank : ranks) positions.push_back(parent.position(rank));
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(parent.comm, &all);
    PMPI_Group_incl(all, static_cast<int>(positions.size()), positions.data(), &group);
    auto const make = [&](MPI_Comm on, MPI_Comm* made) {
        return PMPI_Comm_create_group(on, group, creation_tag, made);
    };
    auto* const note = shield.options().on_uninterruptible;
    if (note != nullptr) note(true);
    int const code = make_both(shield, parent.comm, make, child);
    if (note != nullptr) note(false);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return code;
}

/// Whoever is still in MPI's call comes to wait there for those who have left it. Then a repair can reach it, but not
/// between two messages.
void wait_for_stragglers() {
    constexpr std::chrono::milliseconds time{5};
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        int found = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    }
}

/// One attempt of the members. They meet before it, since who waits in MPI's own call waits for all; then, as in an
/// attempt of all members of the parent, until all have left that call, and to confirm.
int attempt_of_group(Shield& shield, Lane const& parent, LaneId id, std::vector<int> const& members) {
    std::vector<int> living;
    std::copy_if(members.begin(), members.end(), std::back_inserter(living),
                 [&](int rank) { return parent.lives(rank); });
    if (!meet(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    auto owned = std::make_unique<Lane>();
    auto& child = *owned;
    child.id = id;
    child.parent = id;
    child.made_by = 1;
    child.set_members(parent, members);
    if (int const code = make_natively(shield, parent, living, child); code != MPI_SUCCESS) {
        wait_for_stragglers();
        return code;
    }
    share(child.face, parent.handler, &child.handler);
    shield.add_child(std::move(owned));
    reach(call_points.meet, shield.self());
    if (!meet(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    child.safe = true;
    child.ledger.hold_tentatively();
    reach(call_points.confirm, shield.self());
    if (!meet(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    child.ledger.settle(/*commit=*/true);
    return MPI_SUCCESS;
}

struct Choice {
    int colour = 0;
    int key = 0;
};

}  // namespace

int duplicate(Shield& shield, Lane& lane, MPI_Comm* face) {
    std::vector<int> members(lane.size());
    std::iota(members.begin(), members.end(), 0);
    auto const make = [](MPI_Comm parent, MPI_Comm* made) { return PMPI_Comm_dup(parent, made); };
    return derive(shield, lane, 0, members, make, face);
}

int split(Shield& shield, Lane& lane, int colour, int key, MPI_Comm* face) {
    auto const id_colour = std::uint64_t{1} + static_cast<std::uint32_t>(colour);
    auto const make = [&](MPI_Comm parent, MPI_Comm* made) { return PMPI_Comm_split(parent, colour, key, made); };
    return create(shield, lane, id_colour, colour != MPI_UNDEFINED, face, make, [&](Lane& child) {
        Choice const mine{colour, key};
        std::vector<Choice> choices(lane.living.size());
        int const code = PMPI_Allgather(&mine, 2, MPI_INT, choices.data(), 2, MPI_INT, lane.comm);
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < choices.size(); ++i)
            if (choices[i].colour == colour) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return choices[a].key < choices[b].key; });
        for (auto const i : order) {
            if (lane.living[i] == lane.self) child.self = static_cast<int>(child.founders.size());
            child.founders.push_back(lane.founders[static_cast<std::size_t>(lane.living[i])]);
        }
        child.set_all_living();
        return code;
    });
}

int derive(Shield& shield, Lane& lane, std::uint64_t colour, std::vector<int> const& members, Make const& make,
           MPI_Comm* face) {
    bool const is_member = std::find(members.begin(), members.end(), lane.self) != members.end();
    return create(shield, lane, colour, is_member, face, make, [&](Lane& child) {
        child.set_members(lane, members);
        return MPI_SUCCESS;
    });
}

int create(Shield& shield, Lane& lane, std::vector<int> const& members, MPI_Comm* face) {
    auto const own = std::find(members.begin(), members.end(), lane.self);
    bool const is_member = own != members.end();
    // Groups of different members do not overlap.
    int const colour = is_member ? members.front() : MPI_UNDEFINED;
    auto const key = static_cast<int>(own - members.begin());
    auto const make = [=](MPI_Comm parent, MPI_Comm* made) { return PMPI_Comm_split(parent, colour, key, made); };
    auto const id_colour = static_cast<std::uint64_t>(is_member ? colour : 0);
    return derive(shield, lane, id_colour, is_member ? members : std::vector<int>(), make, face);
}

/// Others of the parent do not take part and do not count it, so it is the first operation of the child itself: in a
/// repair, the child is kept if a member knows that this one is confirmed.
int create_group(Shield& shield, Lane& lane, std::vector<int> const& members, int tag, MPI_Comm* face) {
    *face = MPI_COMM_NULL;
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    auto const id = id_of_group(lane, members, tag);
    Lane* child = nullptr;
    while (child == nullptr) {
        shield.help();
        auto const repairs = shield.statistics().repairs;
        int const code = attempt_of_group(shield, lane, id, members);
        if (code != MPI_SUCCESS && !shield.is_death(code)) return code;
        if (code != MPI_SUCCESS) ++shield.statistics().repeated;
        if (code != MPI_SUCCESS && shield.statistics().repairs == repairs) shield.repair();
        child = shield.take_child(id);
    }
    child->ledger.finish(/*synchronised=*/true);
    *face = child->face;
    return MPI_SUCCESS;
}

void part(Shield& shield, Lane& lane) {
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    shield.complete(lane);
    Release release;
    while (release.step() != Release::Step::released) {
        switch (release.step()) {
            case Release::Step::look:
                release.look(shield.repair_called(), lane.closed);
                break;
            case Release::Step::meet:
                release.advance(PMPI_Barrier(lane.comm) == MPI_SUCCESS);
                break;
            default:
                shield.repair();
                shield.act_on_due();
                release.advance(true);
        }
    }
}

void drop(Shield& shield, Lane& lane) {
    MPI_Comm face = lane.face;
    MPI_Comm comm = lane.comm;
    PMPI_Errhandler_free(&lane.handler);
    shield.forget(lane);
    PMPI_Comm_free(&comm);
    PMPI_Comm_free(&face);
}

void release(Shield& shield, Lane& lane) {
    part(shield, lane);
    drop(shield, lane);
}

}  // namespace regraft::shield
