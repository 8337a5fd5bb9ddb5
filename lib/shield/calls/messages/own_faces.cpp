#include "shield/calls/messages/own_faces.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shield/engine/creation.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

struct Own {
    MPI_Comm face = MPI_COMM_NULL;
    std::shared_ptr<bool> is_used;  // on this process
};

/// Own faces by the communicator of the program; all members have as many, in the same order.
std::unordered_map<MPI_Comm, std::vector<Own>>& own_faces() {
    static auto& all = *new std::unordered_map<MPI_Comm, std::vector<Own>>;  // never destroyed
    return all;
}

/// For each of them, whether a living member uses it.
std::vector<int> used_anywhere(Lane& lane, std::vector<Own> const& faces) {
    std::vector<int> used;
    for (auto const& own : faces) used.push_back(*own.is_used ? 1 : 0);
    if (!used.empty())
        MPI_Allreduce(MPI_IN_PLACE, used.data(), static_cast<int>(used.size()), MPI_INT, MPI_MAX, lane.face);
    return used;
}

}  // namespace

OwnFace::OwnFace(MPI_Comm comm) : comm_(comm), face_(comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return;
    auto& faces = own_faces()[comm];
    auto const used = used_anywhere(*lane, faces);
    auto const free = static_cast<std::size_t>(std::find(used.begin(), used.end(), 0) - used.begin());
    if (free == faces.size()) {
        Own made{MPI_COMM_NULL, std::make_shared<bool>(false)};
        if (wait_in(*lane, [&] { return duplicate(*session().shield, *lane, &made.face); }) != MPI_SUCCESS) return;
        faces.push_back(std::move(made));
    }
    face_ = faces[free].face;
    is_used_ = faces[free].is_used;
    *is_used_ = true;
}

OwnFace::~OwnFace() {
    if (is_used_ != nullptr) *is_used_ = false;
}

MPI_Comm OwnFace::face() const {
    auto const* const lane = lane_of(comm_);
    auto const* const own = lane_of(face_);
    if (lane != nullptr && own != nullptr && own->handler != lane->handler)
        MPI_Comm_set_errhandler(face_, lane->handler);
    return face_;
}

void release_own_faces(Lane& lane) {
    auto const all = own_faces().extract(lane.face);
    if (!all) return;
    auto const& faces = all.mapped();
    auto const used = used_anywhere(lane, faces);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        auto* const own = used[i] != 0 ? nullptr : lane_of(faces[i].face);
        if (own != nullptr) release(*session().shield, *own);
    }
}

}  // namespace regraft::shield
