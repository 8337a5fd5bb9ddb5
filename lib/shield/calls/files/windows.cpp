#include "shield/calls/files/windows.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ft/backend.hpp"
#include "shield/engine/creation.hpp"
#include "shield/waits/guard.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

std::unordered_map<MPI_Win, MPI_Comm>& faces() {
    static auto& of_windows = *new std::unordered_map<MPI_Win, MPI_Comm>;  // some may be left when the program ends
    return of_windows;
}

void release_face(MPI_Comm face) {
    if (auto* const lane = lane_of(face)) release(*session().shield, *lane);
}

/// Whether a process whose memory a window shows is known to be dead.
bool has_lost_members(MPI_Win window) {
    auto const* const world = lane_of(MPI_COMM_WORLD);
    if (world->is_whole() && !ft::backend::knows_of_deaths(MPI_COMM_WORLD)) return false;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    int size = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Win_get_group(window, &members);
    PMPI_Group_size(members, &size);
    std::vector<int> numbers(static_cast<std::size_t>(size)), ranks(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    PMPI_Group_translate_ranks(members, size, numbers.data(), all, ranks.data());
    PMPI_Group_free(&members);
    PMPI_Group_free(&all);
    return std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return rank >= 0 && can_not_send(*world, rank); });
}

}  // namespace

WindowFace::WindowFace(MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane != nullptr) wait_in(*lane, [&] { return duplicate(*session().shield, *lane, &face_); });
}

WindowFace::~WindowFace() {
    release_face(face_);
}

int WindowFace::give(MPI_Win const* window, int code) {
    if (code == MPI_SUCCESS) faces()[*window] = std::exchange(face_, MPI_COMM_NULL);
    return code;
}

void meet(MPI_Win window) {
    auto const found = faces().find(window);
    if (found != faces().end()) meet(found->second);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

/// MPI waits there for all members. If one of them is missing, the window is given up together with its memory.
int MPI_Win_free(MPI_Win* window) {
    if (session().shield == nullptr || *window == MPI_WIN_NULL) return PMPI_Win_free(window);
    meet(*window);
    session().shield->help();
    int code = MPI_SUCCESS;
    auto const face = faces().extract(*window);
    bool lost = has_lost_members(*window);
    if (!lost) {
        Passing const passing;
        code = PMPI_Win_free(window);
        lost = is_of_the_dead(code);
    }
    if (lost) *window = MPI_WIN_NULL;
    if (face) release_face(face.mapped());
    return lost ? MPI_SUCCESS : code;
}
}
