#include "shield/any_source.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ft/backend.hpp"
#include "shield/messages.hpp"
#include "shield/waiting.hpp"

namespace regraft::shield {
namespace {

constexpr double patience = 10;  // seconds, until it is said that a receive waits among the dead
constexpr double pause = 0.01;   // seconds between two looks for deaths of which MPI does not tell
constexpr int few_looks = 100;   // for what had come before a death, but was not seen yet

/// The dead of one lane.
struct Mourning {
    enum class Obituary : std::uint8_t { none, due, probed, delivered };

    std::vector<Obituary> obituaries;  // by rank
    bool nobody_lives = false;
    int looks = 0;            // in vain, since somebody has died or a message has come
    double waits_since = -1;  // negative: does not wait

    std::optional<int> find(Obituary wanted) const {
        auto const found = std::find(obituaries.begin(), obituaries.end(), wanted);
        return found == obituaries.end() ? std::nullopt : std::optional(static_cast<int>(found - obituaries.begin()));
    }
    Obituary& of(int rank) { return obituaries[static_cast<std::size_t>(rank)]; }
};

auto& all_mournings = *new std::map<LaneId, Mourning>;  // never destroyed
std::map<LaneId, Mourning>& mournings() {
    return all_mournings;
}

/// When a lane was last asked for deaths of which MPI does not tell.
auto& last_looks = *new std::map<LaneId, double>;

/// Who was dead when the face was made, and who has died since.
Mourning& update(Lane const& lane) {
    auto& mourning = mournings()[lane.id];
    mourning.obituaries.resize(lane.size());
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank) {
        if (mourning.of(rank) != Mourning::Obituary::none || rank == lane.self) continue;
        bool const is_dead = is_not_on_face(lane, rank) || ft::backend::is_dead(lane.face, lane.on_face(rank));
        if (!is_dead) continue;
        mourning.of(rank) = Mourning::Obituary::due;
        mourning.looks = 0;
    }
    mourning.nobody_lives = all_others_dead(lane);
    return mourning;
}

/// nullptr: everybody lives, as far as is known.
Mourning* find_mourning(Lane const& lane) {
    if (mournings().empty() && lane.native.empty()) return nullptr;
    auto const found = mournings().find(lane.id);
    if (found != mournings().end()) return &found->second;
    return lane.native.empty() ? nullptr : &update(lane);
}

std::string the_dead(Mourning const& mourning) {
    std::string dead;
    for (std::size_t rank = 0; rank < mourning.obituaries.size(); ++rank)
        if (mourning.obituaries[rank] != Mourning::Obituary::none)
            dead += (dead.empty() ? "" : ", ") + std::to_string(rank);
    return dead;
}

void say_that_it_waits(Mourning const& mourning) {
    say_once("a message from any source has not come for 10 s; dead there: " + the_dead(mourning) +
             "; REGRAFT_SHIELD_ANY_SOURCE=obituary gives an empty message of each");
}

void say_that_all_wait(Mourning const& mourning) {
    static bool has_spoken = false;
    auto const* const entry = Entry::current();
    if (entry == nullptr || std::exchange(has_spoken, true)) return;
    say(located(entry->family().name),
        "all who live only wait, and have for " + std::to_string(session().policy.starvation) +
            " s: instead of a message from any source comes an empty one of the dead; dead there: " +
            the_dead(mourning) + " (said once); REGRAFT_SHIELD_STARVATION=N sets the seconds, 0: for ever");
}

/// Whether obituaries are given at all, so that nothing is said of waiting.
bool are_due(Mourning const& mourning) {
    return mourning.nobody_lives || session().policy.any_source != AnySource::wait;
}

/// Of which there is to be one though each has had one: better another than to wait for ever.
std::optional<int> find_again(Mourning& mourning) {
    for (auto& obituary : mourning.obituaries)
        if (obituary == Mourning::Obituary::delivered) obituary = Mourning::Obituary::due;
    return mourning.find(Mourning::Obituary::due);
}

}  // namespace

bool may_mourn() {
    return !mournings().empty() || !session().shield->repairs().empty();
}

std::optional<int> find_obituary(Lane const& lane, bool suspended) {
    // Receives from any source go on among the living.
    if (suspended) ft::backend::acknowledge(lane.face);
    auto* const mourning = suspended ? &update(lane) : find_mourning(lane);
    if (mourning == nullptr) return {};
    auto const probed = mourning->find(Mourning::Obituary::probed);
    bool const in_vain = !probed && !are_due(*mourning) && Waiting::is_in_vain();
    if (in_vain) say_that_all_wait(*mourning);
    if (!probed && !in_vain && !are_due(*mourning)) {
        auto const now = PMPI_Wtime();
        if (mourning->waits_since < 0) mourning->waits_since = now;
        if (now - mourning->waits_since >= patience) say_that_it_waits(*mourning);
        return {};
    }
    if (!in_vain && ++mourning->looks < few_looks) return {};
    if (probed) return probed;
    if (auto const due = mourning->find(Mourning::Obituary::due)) return due;
    return in_vain || mourning->nobody_lives ? find_again(*mourning) : std::nullopt;
}

std::optional<int> look_for_obituary(Lane const& lane) {
    constexpr unsigned looks_between_questions = 64;  // of what time it is
    static unsigned all_looks = 0;
    if (++all_looks % looks_between_questions != 0) return may_mourn() ? find_obituary(lane, false) : std::nullopt;
    auto const now = PMPI_Wtime();
    auto& last = last_looks.try_emplace(lane.id, 0).first->second;
    bool const looks = now - last >= pause;
    if (looks) last = now;
    return find_obituary(lane, looks && ft::backend::knows_of_deaths(lane.face));
}

int count_obituaries(Lane const& lane) {
    if (!look_for_obituary(lane)) return 0;
    auto const& mourning = *find_mourning(lane);
    if (mourning.nobody_lives) return std::numeric_limits<int>::max();
    bool const counts_due = are_due(mourning);
    return static_cast<int>(std::count_if(mourning.obituaries.begin(), mourning.obituaries.end(), [&](auto it) {
        return it == Mourning::Obituary::probed || (counts_due && it == Mourning::Obituary::due);
    }));
}

void deliver_obituary(Lane const& lane, int dead) {
    find_mourning(lane)->of(dead) = Mourning::Obituary::delivered;
}

void probe_obituary(Lane const& lane, int dead) {
    find_mourning(lane)->of(dead) = Mourning::Obituary::probed;
}

void receive_probed(Lane const& lane, int from) {
    auto* const mourning = from < 0 || !may_mourn() ? nullptr : find_mourning(lane);
    if (mourning != nullptr && mourning->of(from) == Mourning::Obituary::probed) deliver_obituary(lane, from);
}

void forget_the_dead(LaneId lane) {
    mournings().erase(lane);
    last_looks.erase(lane);
}

void end_wait(Lane const& lane) {
    auto* const mourning = find_mourning(lane);
    if (mourning == nullptr) return;
    mourning->waits_since = -1;
    mourning->looks = 0;
}

std::optional<int> withdraw(MPI_Request* request, MPI_Status* status) {
    MPI_Status ending{};
    int code = MPI_SUCCESS;
    int was_cancelled = 0;
    PMPI_Cancel(request);
    for (int done = 0; done == 0;) {
        code = PMPI_Test(request, &done, &ending);
        if (is_of_the_dead(code)) return {};
        if (code != MPI_SUCCESS && !is_suspended(code)) break;
    }
    PMPI_Test_cancelled(&ending, &was_cancelled);
    if (was_cancelled != 0) return {};
    if (status != MPI_STATUS_IGNORE) *status = ending;
    return code;
}

}  // namespace regraft::shield
