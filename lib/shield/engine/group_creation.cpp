// Communicators that only their members make. Other processes cannot be asked to take part, so MPI's own call cannot
// run on a communicator where a repair could interrupt it. It runs on the living world, and before that the members
// decide that none of them is missing.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ft/backend.hpp"
#include "regraft/core/random.hpp"
#include "shield/engine/creation.hpp"
#include "shield/lanes/fail_points.hpp"

namespace regraft::shield {
namespace {

constexpr int meeting_tag = 0xc03;   // tag of messages on lanes
constexpr int creation_tag = 0xc04;  // tag of MPI's own messages on the living world

/// An id that is the same on all members and different each time.
LaneId id_of_group(Lane const& lane, std::vector<int> const& members, int tag) {
    static auto& made = *new std::unordered_map<std::uint64_t, std::uint64_t>;  // never destroyed
    auto key = mix(static_cast<std::uint64_t>(lane.id) ^ mix(static_cast<std::uint64_t>(tag) + 1));
    for (auto const rank : members) key = mix(key ^ static_cast<std::uint64_t>(rank));
    return LaneId{mix(key + made[key]++)};
}

/// The ranks on the living world of ranks of the lane.
std::vector<int> places_of(std::vector<int> const& ranks, Lane const& lane, LivingWorld const& world) {
    std::vector<int> places;
    for (auto const rank : ranks) places.push_back(world.rank_of(lane.member(rank)));
    return places;
}

// --- before MPI's call

/// The messages of one attempt on the living world. If the attempt fails, a repair follows, so the next one has other
/// tags.
class Conversation {
public:
    enum Word { here, ready, yes, verdict, words };

    explicit Conversation(Shield& shield) : shield_(shield), repairs_(shield.repairs().size()) {}

    void say(int to, Word word, char value = 0) {
        static_cast<void>(PMPI_Send(&value, 1, MPI_CHAR, to, tag(word), shield_.living_world().comm));
    }
    /// Whether the word comes from that rank before it dies. goes_on() is called between two looks; false ends the
    /// wait.
    template <class GoesOn>
    bool hears(int from, Word word, char& value, GoesOn const& goes_on) {
        MPI_Request coming = MPI_REQUEST_NULL;
        if (PMPI_Irecv(&value, 1, MPI_CHAR, from, tag(word), shield_.living_world().comm, &coming) != MPI_SUCCESS)
            return false;
        for (int done = 0;;) {
            if (PMPI_Test(&coming, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
            if (done != 0) return true;
            if (goes_on()) continue;
            PMPI_Cancel(&coming);
            PMPI_Request_free(&coming);
            return false;
        }
    }
    /// The same, but takes part in repairs. After a repair it is useless to wait for earlier words, so it returns
    /// false.
    bool hears_freely(int from, Word word) {
        char value = 0;
        return hears(from, word, value, [&] {
            shield_.help();
            return shield_.repairs().size() == repairs_;
        });
    }

private:
    int tag(Word word) const { return static_cast<int>(repairs_ % most_attempts * words + word); }

    static constexpr std::size_t most_attempts = 4000;  // number of attempts whose messages are distinguished; tags
                                                        // stay below 2^15

    Shield& shield_;
    std::size_t repairs_;
};

/// Tells the first member that this one is ready and waits for its verdict. A process that has said yes takes part in
/// no repair before the verdict: if all begin, they wait for it in a call where no repair can reach them. The first
/// member, which waits for that word, always sends the verdict soon.
bool await_verdict(Shield& shield, int first) {
    Conversation with(shield);
    char begins = 0;
    with.say(first, Conversation::here);
    if (!with.hears_freely(first, Conversation::ready)) return false;
    with.say(first, Conversation::yes);
    auto const goes_on = [&] {
        shield.go_on();
        return true;
    };
    return with.hears(first, Conversation::verdict, begins, goes_on) && begins != 0;
}

/// Decides whether all begin: they do not if a process has died or calls for a repair.
bool decide(Shield& shield, std::vector<int> const& others) {
    Conversation with(shield);
    auto const is_here = [&](int other) { return with.hears_freely(other, Conversation::here); };
    if (!std::all_of(others.begin(), others.end(), is_here)) return false;
    for (auto const other : others) with.say(other, Conversation::ready);
    auto const goes_on = [&] {
        shield.go_on();
        return !shield.repair_called() && !shield.has_due();
    };
    char nothing_else = 0;
    bool const begins = std::all_of(others.begin(), others.end(), [&](int other) {
        return with.hears(other, Conversation::yes, nothing_else, goes_on);
    });
    for (auto const other : others) with.say(other, Conversation::verdict, begins ? 1 : 0);
    return begins;
}

/// Returns whether all of these ranks, including this one, begin. If not, a repair has taken place or must follow.
bool begin(Shield& shield, Lane const& lane, std::vector<int> const& ranks) {
    auto const places = places_of(ranks, lane, shield.living_world());
    if (lane.self != ranks.front()) return await_verdict(shield, places.front());
    return decide(shield, {places.begin() + 1, places.end()});
}

// --- MPI's call

/// Waits, in a call of MPI, for processes that are still in the call that others have left.
void wait_for_stragglers() {
    constexpr std::chrono::milliseconds time{30};
    constexpr std::chrono::milliseconds pause{1};
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        int found = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        std::this_thread::sleep_for(pause);
    }
}

/// Makes the child from these ranks, in their order. If one of them dies in MPI's call, others may wait there for it,
/// or for those that have noticed the death and left. The same can happen if another process on the living world dies
/// and some members notice before they begin, because MPI turns these away. Leaving the living world ends most of these
/// waits, but not those that begin afterwards. The second communicator is made from the first, where deaths of others
/// do not matter and a revocation ends all waits.
int make_natively(Shield& shield, Lane const& parent, std::vector<int> const& ranks, Lane& child) {
    auto const& world = shield.living_world();
    auto const places = places_of(ranks, parent, world);
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(world.comm, &all);
    PMPI_Group_incl(all, static_cast<int>(places.size()), places.data(), &group);
    auto const make = [&](MPI_Comm on, MPI_Comm* made) {
        if (child.face == MPI_COMM_NULL) return PMPI_Comm_create_group(on, group, creation_tag, made);
        int const code = PMPI_Comm_dup(child.face, made);
        if (code != MPI_SUCCESS) ft::backend::revoke(child.face);
        return code;
    };
    auto* const note = shield.options().on_uninterruptible;
    if (note != nullptr) note(true);
    int const code = make_both(shield, world.comm, make, child);
    if (note != nullptr) note(false);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    if (code == MPI_SUCCESS || !shield.is_death(code)) return code;
    wait_for_stragglers();
    shield.living_world().leave();
    return code;
}

// --- after it

bool tell(Lane const& lane, int rank) {
    return PMPI_Send(nullptr, 0, MPI_BYTE, lane.position(rank), meeting_tag, lane.comm) == MPI_SUCCESS;
}

/// Whether that rank sends its word before a death on this lane or a repair.
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

/// A barrier among these ranks in which every wait can be reached by a repair: the first rank hears from all, and tells
/// all. If it fails, others may have returned from it.
bool meet(Shield& shield, Lane const& lane, std::vector<int> const& ranks) {
    int const first = ranks.front();
    if (lane.self != first) return tell(lane, first) && is_told(shield, lane, first);
    auto const others = std::span(ranks).subspan(1);
    return std::all_of(others.begin(), others.end(), [&](int rank) { return is_told(shield, lane, rank); }) &&
           std::all_of(others.begin(), others.end(), [&](int rank) { return tell(lane, rank); });
}

/// One attempt of the members. As in an attempt of all members of the parent, they meet when all have left MPI's calls,
/// and again to confirm.
int attempt_of_group(Shield& shield, Lane const& parent, LaneId id, std::vector<int> const& members) {
    std::vector<int> living;
    std::copy_if(members.begin(), members.end(), std::back_inserter(living),
                 [&](int rank) { return parent.lives(rank); });
    if (!begin(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    auto owned = std::make_unique<Lane>();
    auto& child = *owned;
    child.id = id;
    child.parent = id;
    child.made_by = 1;
    child.set_members(parent, members);
    if (int const code = make_natively(shield, parent, living, child); code != MPI_SUCCESS) return code;
    share(child.face, parent.handler, &child.handler);
    shield.lanes().add_child(std::move(owned));
    reach(call_points.meet, shield.self());
    if (!meet(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    child.safe = true;
    child.ledger.hold_tentatively();
    reach(call_points.confirm, shield.self());
    if (!meet(shield, parent, living)) return MPI_ERR_PROC_FAILED;
    child.ledger.commit();
    return MPI_SUCCESS;
}

}  // namespace

/// Other members of the parent do not take part and do not count the operation, so it is the first operation of the
/// child itself: a repair keeps the child if a member knows that this operation is confirmed.
int create_group(Shield& shield, Lane& lane, std::vector<int> const& members, int tag, MPI_Comm* face) {
    *face = MPI_COMM_NULL;
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    auto const id = id_of_group(lane, members, tag);
    Lane* child = nullptr;
    while (child == nullptr) {
        do shield.help();
        while (shield.has_due());
        if (ft::backend::knows_of_deaths(shield.living_world().comm)) shield.repair();
        auto const repairs = shield.repairs().size();
        int const code = attempt_of_group(shield, lane, id, members);
        if (code != MPI_SUCCESS && !shield.is_death(code)) return code;
        if (code != MPI_SUCCESS) shield.statistics().count(&Statistics::repeated);
        if (code != MPI_SUCCESS && shield.repairs().size() == repairs) shield.repair();
        child = shield.lanes().take_child(id);
    }
    child->ledger.finish(/*synchronised=*/true);
    *face = child->face;
    return MPI_SUCCESS;
}

}  // namespace regraft::shield
