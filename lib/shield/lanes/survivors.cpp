#include "shield/lanes/survivors.hpp"

#include <utility>

#include "ft/backend.hpp"
#include "regraft/core/checked_cast.hpp"
#include "shield/lanes/hidden.hpp"

namespace regraft::shield {

namespace backend = ft::backend;

Survivors Survivors::of_world() {
    int rank = 0;
    int size = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    Survivors all;
    all.self_ = PeId{checked_cast<std::uint32_t>(rank)};
    for (int i = 0; i < size; ++i) all.founders_.push_back(PeId{static_cast<std::uint32_t>(i)});
    all.living_ = all.founders_;
    all.control_ = duplicate_hidden(MPI_COMM_WORLD);
    return all;
}

bool Survivors::repair_called() const {
    return backend::is_revoked(control_);
}

void Survivors::call_repair() const {
    backend::revoke(control_);
}

bool Survivors::agree(bool says) const {
    return shield::agree(control_, says);
}

/// MPI_COMM_WORLD never changes its members and is never revoked.
MPI_Comm Survivors::renew() {
    auto [comm, members] = renewed(MPI_COMM_WORLD, self_, founders_);
    living_ = std::move(members);
    return std::exchange(control_, comm);
}

bool Survivors::confirm(bool so) {
    bool const all_do = agree(so && !backend::knows_of_deaths(control_));
    if (!all_do) static_cast<void>(renew());  // the old one is not freed: the process ends soon
    return all_do;
}

void Survivors::let_one_act(std::function<void()> const& act) const {
    for (auto const pe : living_) {
        if (pe == self_) act();
        if (!agree(pe != self_)) return;  // a process that has died agrees to whatever the others say
    }
}

}  // namespace regraft::shield
