// Communicators of a part of another: those on the same hardware, or those of a group that alone make it.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "ft/backend.hpp"
#include "regraft/core/random.hpp"
#include "shield/collectives.hpp"
#include "shield/creation.hpp"

namespace regraft::shield {
namespace {

/// The ranks in the lane of those of a group; Lane::gone: of the dead.
std::vector<int> ranks_of(Lane const& lane, MPI_Group group) {
    int count = 0;
    PMPI_Group_size(group, &count);
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::vector<int> positions(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group living = MPI_GROUP_NULL;
    PMPI_Comm_group(lane.comm, &living);
    PMPI_Group_translate_ranks(group, count, ranks.data(), living, positions.data());
    PMPI_Group_free(&living);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[i] = positions[i] == MPI_UNDEFINED ? Lane::gone : lane.living[static_cast<std::size_t>(positions[i])];
    return ranks;
}

/// The lowest rank of those of a communicator that was made from the lane, which is then freed.
int lowest_rank(Lane const& lane, MPI_Comm part) {
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(part, &group);
    auto const ranks = ranks_of(lane, group);
    PMPI_Group_free(&group);
    PMPI_Comm_free(&part);
    return *std::min_element(ranks.begin(), ranks.end());
}

/// Of a communicator that only the members of its group make: the same for all of them, each time another.
LaneId id_of_group(Lane const& lane, std::vector<int> const& members, int tag) {
    static std::unordered_map<std::uint64_t, std::uint64_t> made;
    auto key = mix(static_cast<std::uint64_t>(lane.id) ^ mix(static_cast<std::uint64_t>(tag) + 1));
    for (auto const rank : members) key = mix(key ^ static_cast<std::uint64_t>(rank));
    return LaneId{mix(key + made[key]++)};
}

/// Whether a request succeeds, or, once a repair is called for, has.
bool succeeds(Shield& shield, MPI_Request request) {
    for (;;) {
        int done = 0;
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) return true;
        if (shield.repair_called()) {
            PMPI_Cancel(&request);
            PMPI_Request_free(&request);
            return false;
        }
    }
}

/// Whether all members have come, which the first of them finds out: who waits in the native call for one who is dead
/// waits for ever.
bool all_have_come(Shield& shield, Lane const& lane, std::vector<int> const& members) {
    constexpr int tag = 1717;  // no other message on a lane has it
    int const first = lane.position(members.front());
    MPI_Request request = MPI_REQUEST_NULL;
    int all = 1;
    if (members.front() != lane.self) {
        if (PMPI_Send(nullptr, 0, MPI_INT, first, tag, lane.comm) != MPI_SUCCESS) return false;
        return PMPI_Irecv(&all, 1, MPI_INT, first, tag, lane.comm, &request) == MPI_SUCCESS &&
               succeeds(shield, request) && all == 1;
    }
    for (auto const rank : members) {
        if (rank == lane.self) continue;
        bool const came =
            PMPI_Irecv(nullptr, 0, MPI_INT, lane.position(rank), tag, lane.comm, &request) == MPI_SUCCESS &&
            succeeds(shield, request);
        if (!came) all = 0;
    }
    for (auto const rank : members)
        if (rank != lane.self && PMPI_Send(&all, 1, MPI_INT, lane.position(rank), tag, lane.comm) != MPI_SUCCESS)
            all = 0;
    return all == 1;
}

/// Face and lane. What an interrupted call leaves behind is not used.
int make_of_group(Lane const& parent, MPI_Group group, int tag, Lane& child) {
    int code = PMPI_Comm_create_group(parent.comm, group, tag, &child.face);
    if (code == MPI_SUCCESS) code = PMPI_Comm_create_group(parent.comm, group, tag, &child.comm);
    if (code != MPI_SUCCESS) return code;
    PMPI_Comm_set_errhandler(child.comm, MPI_ERRORS_RETURN);
    code = PMPI_Barrier(child.comm);
    // Then somebody has left this barrier, so that all have left the calls before.
    return ft::backend::is_revoked(child.comm) ? MPI_SUCCESS : code;
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

/// What the native call shows is split by colours, so that the new communicator is like any other.
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_split_type(comm, type, key, info, made);
    int colour = MPI_UNDEFINED;
    auto const attempt = [&](MPI_Comm on) {
        MPI_Comm part = MPI_COMM_NULL;
        int code = PMPI_Comm_split_type(on, type, key, info, &part);
        if (code != MPI_SUCCESS) return code;
        code = PMPI_Barrier(on);  // nobody is in the call any more when it is freed
        if (part != MPI_COMM_NULL) colour = lowest_rank(*lane, part);
        return code;
    };
    *made = MPI_COMM_NULL;
    int const code = run_confirmed(*lane, true, no_root, attempt, nothing);
    return code == MPI_SUCCESS ? MPI_Comm_split(comm, colour, key, made) : code;
}

/// Others of the parent do not take part, so nobody could say that it is to be made again: a death in it ends the job.
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    constexpr auto call = "MPI_Comm_create_group";
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_create_group(comm, group, tag, made);
    auto& shield = *session().shield;
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    shield.help();
    *made = MPI_COMM_NULL;
    auto const members = ranks_of(*lane, group);
    if (std::find(members.begin(), members.end(), lane->self) == members.end()) return MPI_SUCCESS;
    auto const refused = [&](char const* why) {
        int const code = unsupported(
            call, lane, MPI_ERR_PROC_FAILED,
            std::string("somebody has died") + why + "; MPI_Comm_create makes a communicator of those who live");
        return code == MPI_SUCCESS ? complain(*lane, MPI_ERR_PROC_FAILED) : code;
    };
    if (std::find(members.begin(), members.end(), Lane::gone) != members.end()) return refused(", one of the group");
    if (!all_have_come(shield, *lane, members)) return refused(" in it, and it cannot be repeated");
    auto child = std::make_unique<Lane>();
    child->id = id_of_group(*lane, members, tag);
    for (std::size_t i = 0; i < members.size(); ++i) {
        child->founders.push_back(lane->founders[static_cast<std::size_t>(members[i])]);
        if (members[i] == lane->self) child->self = static_cast<int>(i);
    }
    child->set_all_living();
    int code = make_of_group(*lane, group, tag, *child);
    if (code != MPI_SUCCESS && !shield.is_death(code)) return complain(*lane, code);
    if (code != MPI_SUCCESS) {
        regraft::ft::backend::revoke(lane->comm);  // for those who wait in it still
        return refused(" in it, and it cannot be repeated");
    }
    code = share(child->face, lane->handler, &child->handler);
    if (code != MPI_SUCCESS) return complain(*lane, code);
    auto const id = child->id;
    shield.add_child(std::move(child));
    *made = shield.take_child(id)->face;
    return MPI_SUCCESS;
}
}
