#include "shield/engine/creation.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "shield/engine/collective.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/protocol/creation.hpp"

namespace regraft::shield {

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
    PMPI_Comm_set_errhandler(child.face, shield.options().on_error);
    PMPI_Comm_set_errhandler(child.comm, MPI_ERRORS_RETURN);
    return code;
}

namespace {

/// Sets the members of the child, and returns the code of what it needed.
using Describe = std::function<int(Lane& child)>;

/// One attempt. The child itself
/// is not asked for deaths: a process that dies while others still make the child has not come to the confirmation, so
/// no process returns with the child.
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
    if (is_member) shield.lanes().add_child(std::move(child));
    reach(call_points.meet, shield.self());
    code = PMPI_Barrier(parent.comm);
    creation.advance(code == MPI_SUCCESS);
    if (is_member) shield.lanes().find_child(id)->safe = creation.is_safe();
    return code;
}

int create(Shield& shield, Lane& lane, std::uint64_t colour, bool is_member, MPI_Comm* face, Make const& make,
           Describe const& describe) {
    *face = MPI_COMM_NULL;
    shield.complete(lane);  // actions that are deferred on the lane make their communicators first
    auto const id = child_id(lane.id, lane.ledger.returned() + 1, colour);
    Operation const functions{[&](MPI_Comm) { return attempt(shield, lane, id, make, describe); }, nothing, nothing,
                              nothing};
    Called operation(functions);
    int const code = collective(shield, lane, {.synchronises = true, .forwardable = false}, no_root, operation);
    if (code != MPI_SUCCESS || !is_member) return code;
    auto const* const child = shield.lanes().take_child(id);
    REGRAFT_EXPECTS(child != nullptr && "a creation that was confirmed has a child");
    *face = child->face;
    return code;
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
