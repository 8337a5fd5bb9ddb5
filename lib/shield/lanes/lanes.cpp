#include "shield/lanes/lanes.hpp"

#include <utility>

#include "ft/backend.hpp"

namespace regraft::shield {

Lane* Lanes::look_up(MPI_Comm face) {
    auto const found = faces_.find(face);
    last_asked_ = face;
    last_found_ = found == faces_.end() ? nullptr : found->second.get();
    return last_found_;
}

/// The handle of a freed communicator may be used again for another.
void Lanes::forget_last() {
    last_asked_ = MPI_COMM_NULL;
    last_found_ = nullptr;
}

std::vector<Lane*> Lanes::open() const {
    std::vector<Lane*> lanes;
    for (auto const& [id, lane] : lanes_)
        if (!lane->closed) lanes.push_back(lane);
    return lanes;
}

void Lanes::add(std::unique_ptr<Lane> lane) {
    forget_last();
    lanes_[lane->id] = lane.get();
    auto const face = lane->face;
    faces_[face] = std::move(lane);
}

void Lanes::forget(Lane const& lane) {
    forget_last();
    lanes_.erase(lane.id);
    faces_.erase(lane.face);
}

void Lanes::add_child(std::unique_ptr<Lane> child) {
    auto const id = child->id;
    children_[id] = std::move(child);
}

Lane* Lanes::find_child(LaneId id) {
    auto const found = children_.find(id);
    return found == children_.end() ? nullptr : found->second.get();
}

Lane* Lanes::take_child(LaneId id) {
    if (auto node = children_.extract(id)) add(std::move(node.mapped()));
    auto const found = lanes_.find(id);
    return found == lanes_.end() ? nullptr : found->second;
}

void Lanes::revoke() const {
    for (auto const* const lane : open()) ft::backend::revoke(lane->comm);
    for (auto const& [id, child] : children_)
        if (child->safe) ft::backend::revoke(child->comm);
}

std::vector<LaneReport> Lanes::reports() const {
    std::vector<LaneReport> all;
    for (auto const* const lane : open()) all.push_back(report(lane->id, lane->ledger, lane->pending.counts()));
    for (auto const& [id, child] : children_) all.push_back(report(id, child->ledger));
    return all;
}

void Lanes::sort_out(Census const& census) {
    for (auto& [id, child] : std::exchange(children_, {})) {
        if (census.is_known(child->parent, child->made_by)) {
            add(std::move(child));
        } else {
            PMPI_Errhandler_free(&child->handler);
            PMPI_Comm_free(&child->comm);
            PMPI_Comm_free(&child->face);
        }
    }
    for (auto* const lane : open()) lane->closed = census.is_closed(lane->id, lane->founders);
}

void Lanes::give_handlers_back() const {
    for (auto const& [face, lane] : faces_) PMPI_Comm_set_errhandler(face, lane->handler);
}

}  // namespace regraft::shield
