// Communicators of a part of another one: of processes on the same hardware, or of a group that makes it alone.
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/engine/creation.hpp"

namespace regraft::shield {
namespace {

/// The ranks in the lane of the members of a group; MPI_UNDEFINED for processes that are not in the lane.
std::vector<int> ranks_of(Lane const& lane, MPI_Group group) {
    int count = 0;
    PMPI_Group_size(group, &count);
    std::vector<int> places(static_cast<std::size_t>(count));
    std::vector<int> founders(places.size());
    std::iota(places.begin(), places.end(), 0);
    MPI_Group world = MPI_GROUP_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, count, places.data(), world, founders.data());
    PMPI_Group_free(&world);
    std::unordered_map<int, int> rank_of;
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank)
        rank_of[static_cast<int>(value(lane.member(rank)))] = rank;
    std::vector<int> ranks;
    for (auto const founder : founders) {
        auto const found = rank_of.find(founder);
        ranks.push_back(found == rank_of.end() ? MPI_UNDEFINED : found->second);
    }
    return ranks;
}

bool has_strangers(std::vector<int> const& ranks) {
    return std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end();
}

/// The lowest lane rank in a communicator that was made from the lane, which is then freed.
int lowest_rank(Lane const& lane, MPI_Comm part) {
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(part, &group);
    auto const ranks = ranks_of(lane, group);
    PMPI_Group_free(&group);
    PMPI_Comm_free(&part);
    return *std::min_element(ranks.begin(), ranks.end());
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

/// The result of the native call is used as colours for a split, so that the new communicator is like any other.
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_split_type(comm, type, key, info, made);
    int colour = MPI_UNDEFINED;
    auto const attempt = [&](MPI_Comm on) {
        MPI_Comm part = MPI_COMM_NULL;
        int code = PMPI_Comm_split_type(on, type, key, info, &part);
        if (code != MPI_SUCCESS) return code;
        code = PMPI_Barrier(on);  // all members have left the call when it is freed
        if (part != MPI_COMM_NULL) colour = lowest_rank(*lane, part);
        return code;
    };
    *made = MPI_COMM_NULL;
    int const code = run_confirmed(*lane, true, no_root, attempt, nothing);
    return code == MPI_SUCCESS ? MPI_Comm_split(comm, colour, key, made) : code;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_create(comm, group, made);
    if (group == MPI_GROUP_NULL) return complain(*lane, MPI_ERR_GROUP);
    auto const members = ranks_of(*lane, group);
    if (has_strangers(members)) return complain(*lane, MPI_ERR_GROUP);
    return complain(*lane, wait_in(*lane, [&] { return create(*session().shield, *lane, members, made); }));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Comm_create_group(comm, group, tag, made);
    *made = MPI_COMM_NULL;
    if (group == MPI_GROUP_NULL) return complain(*lane, MPI_ERR_GROUP);
    auto const members = ranks_of(*lane, group);
    if (has_strangers(members)) return complain(*lane, MPI_ERR_GROUP);
    if (std::find(members.begin(), members.end(), lane->self) == members.end()) return MPI_SUCCESS;
    return complain(*lane, create_group(*session().shield, *lane, members, tag, made));
}
}
