#include "shield/waits/strangers.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "ft/backend.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

/// Ranks in MPI_COMM_WORLD; MPI_UNDEFINED for processes outside of it.
std::vector<int> world_ranks(MPI_Group members) {
    MPI_Group world = MPI_GROUP_NULL;
    int size = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(members, &size);
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::vector<int> ranks(numbers.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    PMPI_Group_translate_ranks(members, size, numbers.data(), world, ranks.data());
    PMPI_Group_free(&world);
    return ranks;
}

template <class Get>
std::vector<int> world_ranks(MPI_Comm comm, Get const& get) {
    MPI_Group members = MPI_GROUP_NULL;
    get(comm, &members);
    auto ranks = world_ranks(members);
    PMPI_Group_free(&members);
    return ranks;
}

bool has_two_groups(MPI_Comm comm) {
    int has_two = 0;
    PMPI_Comm_test_inter(comm, &has_two);
    return has_two != 0;
}

/// The members by their rank there.
std::vector<int> partners(MPI_Comm comm) {
    return has_two_groups(comm) ? world_ranks(comm, PMPI_Comm_remote_group) : world_ranks(comm, PMPI_Comm_group);
}

std::vector<int> members(MPI_Comm comm) {
    auto all = world_ranks(comm, PMPI_Comm_group);
    if (!has_two_groups(comm)) return all;
    auto const others = partners(comm);
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

bool is_dead(int world_rank) {
    return world_rank >= 0 && ft::backend::is_dead(MPI_COMM_WORLD, world_rank);
}

std::unordered_map<MPI_Request, MPI_Comm>& places() {
    static auto& of_requests = *new std::unordered_map<MPI_Request, MPI_Comm>;  // never destroyed
    return of_requests;
}

}  // namespace

std::optional<std::size_t> awaited_there(MPI_Comm comm) {
    auto const all = members(comm);
    bool const has_others = std::find(all.begin(), all.end(), MPI_UNDEFINED) != all.end();
    return has_others ? std::nullopt : std::optional(std::size_t{0});
}

void end_if_in_vain(MPI_Comm comm) {
    constexpr unsigned looks_between_questions = 16;
    static unsigned looks = 0;
    bool const asks = ++looks % looks_between_questions == 0 && session().policy.unsupported != Unsupported::pass_on;
    if (!asks || !ft::backend::knows_of_deaths(MPI_COMM_WORLD)) return;
    auto const all = members(comm);
    auto const dead = std::find_if(all.begin(), all.end(), is_dead);
    auto const* const entry = Entry::current();
    if (dead == all.end() || entry == nullptr || !Waiting::is_in_vain()) return;
    refuse(entry->family().name, "rank " + std::to_string(*dead) +
                                     ", a member of this intercommunicator, is dead, and all living ranks only wait; "
                                     "the shield does not complete messages there");
}

bool is_dead_there(MPI_Comm comm, int rank) {
    auto const all = partners(comm);
    return 0 <= rank && rank < static_cast<int>(all.size()) && is_dead(all[static_cast<std::size_t>(rank)]);
}

void note_started(MPI_Request request, MPI_Comm comm) {
    if (session().shield != nullptr && comm != MPI_COMM_SELF) places()[request] = comm;
}

void note_ended(MPI_Request request) {
    if (!places().empty()) places().erase(request);
}

bool has_started_any() {
    return !places().empty();
}

MPI_Comm place_of_request(MPI_Request request) {
    if (places().empty()) return MPI_COMM_NULL;
    auto const found = places().find(request);
    return found == places().end() ? MPI_COMM_NULL : found->second;
}

}  // namespace regraft::shield
