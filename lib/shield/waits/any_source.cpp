#include "shield/waits/any_source.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ft/backend.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

constexpr double patience = 10;  // seconds before the first line that a receive waits among the dead
constexpr double pause = 0.01;   // seconds between two looks for deaths that MPI does not report
constexpr int few_looks = 100;   // for messages that came before a death but were not seen yet

/// The dead of one lane.
struct Mourning {
    enum class Obituary : std::uint8_t { none, due, probed, delivered };

    std::vector<Obituary> obituaries;  // by rank
    bool nobody_lives = false;
    int looks = 0;            // looks in vain since the last death or message
    int granted = 0;          // obituaries that starvation has earned and that were not delivered yet
    double waits_since = -1;  // negative: no receive waits
    double is_said_after = patience;

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

/// The time when a lane was last asked for deaths that MPI does not report.
auto& last_looks = *new std::map<LaneId, double>;

/// Adds the members that were dead when the face was made, and those that have died since.
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

/// nullptr: all members live, as far as is known.
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

/// Reports each wait that lasts; the next one on this communicator is reported after twice the time.
void say_that_it_waits(Mourning& mourning) {
    auto const* const entry = Entry::current();
    if (entry == nullptr) return;
    bool const waits = session().policy.any_source == AnySource::wait;
    char const* const advice = waits ? "REGRAFT_SHIELD_ANY_SOURCE=obituary gives an empty message of each dead member"
                                     : "the program was told of each of them once, as REGRAFT_SHIELD_ANY_SOURCE says";
    say(entry->family().name, "a message from any source has not come for " +
                                  std::to_string(static_cast<int>(mourning.is_said_after)) +
                                  " s; dead members: " + the_dead(mourning) + "; " + advice);
    mourning.is_said_after *= 2;
}

void say_that_all_wait(Mourning const& mourning) {
    static bool has_spoken = false;
    auto const* const entry = Entry::current();
    if (entry == nullptr || std::exchange(has_spoken, true)) return;
    say(located(entry->family().name),
        "all living ranks only wait, and have for " + std::to_string(session().policy.starvation) +
            " s: the program gets an empty message of a dead rank in place of one from any source; dead members: " +
            the_dead(mourning) + " (said once); REGRAFT_SHIELD_STARVATION=N sets the seconds, and 0 waits for ever");
}

/// Whether obituaries are given without a proof of starvation: one for each dead member.
bool are_given_at_once(Mourning const& mourning) {
    return mourning.nobody_lives || session().policy.any_source != AnySource::wait;
}

bool is_due(Mourning const& mourning, Look look) {
    if (mourning.granted > 0 || mourning.find(Mourning::Obituary::probed)) return true;
    if (!are_given_at_once(mourning)) return false;
    // A call that blocks could never go on. A program that looks may go on as long as there is an obituary.
    return mourning.find(Mourning::Obituary::due) || (mourning.nobody_lives && look == Look::waits);
}

/// The obituary that a probe has found, or the next one that is due. After each dead member has had one, it begins
/// again with the first.
std::optional<int> next(Mourning& mourning) {
    if (auto const probed = mourning.find(Mourning::Obituary::probed)) return probed;
    if (auto const due = mourning.find(Mourning::Obituary::due)) return due;
    for (auto& obituary : mourning.obituaries)
        if (obituary == Mourning::Obituary::delivered) obituary = Mourning::Obituary::due;
    return mourning.find(Mourning::Obituary::due);
}

/// If no obituary is due: whether one is granted now.
bool grant(Mourning& mourning) {
    auto const now = PMPI_Wtime();
    if (mourning.waits_since < 0) mourning.waits_since = now;
    if (now - mourning.waits_since >= mourning.is_said_after) say_that_it_waits(mourning);
    if (!Waiting::is_in_vain()) return false;
    say_that_all_wait(mourning);
    ++mourning.granted;
    mourning.looks = few_looks;
    return true;
}

}  // namespace

bool may_mourn() {
    return !mournings().empty() || !session().shield->repairs().empty();
}

std::optional<int> find_obituary(Lane const& lane, Look look, bool suspended) {
    // Receives from any source go on among the living.
    if (suspended) ft::backend::acknowledge(lane.face);
    auto* const mourning = suspended ? &update(lane) : find_mourning(lane);
    if (mourning == nullptr) return {};
    if (!is_due(*mourning, look) && !grant(*mourning)) return {};
    if (++mourning->looks < few_looks) return {};
    return next(*mourning);
}

std::optional<int> look_for_obituary(Lane const& lane, Look look) {
    constexpr unsigned looks_between_questions = 64;  // number of looks between two readings of the clock
    static unsigned all_looks = 0;
    if (++all_looks % looks_between_questions != 0)
        return may_mourn() ? find_obituary(lane, look, false) : std::nullopt;
    auto const now = PMPI_Wtime();
    auto& last = last_looks.try_emplace(lane.id, 0).first->second;
    bool const looks = now - last >= pause;
    if (looks) last = now;
    return find_obituary(lane, look, looks && ft::backend::knows_of_deaths(lane.face));
}

std::optional<int> find_dead(Lane const& lane, Look look, int from) {
    if (from == MPI_ANY_SOURCE) return look_for_obituary(lane, look);
    if (look == Look::waits || !Looking::is_in_row() || !can_not_send(lane, from) || !Waiting::is_in_vain()) return {};
    say_once("all living ranks only wait, and have for " + std::to_string(session().policy.starvation) +
             " s: the program finds an empty message of rank " + std::to_string(from) +
             ", which is dead; REGRAFT_SHIELD_STARVATION=N sets the seconds, and 0 waits for ever");
    return from;
}

bool has_obituaries(Lane const& lane, int wanted) {
    if (!look_for_obituary(lane, Look::polls)) return false;
    auto& mourning = *find_mourning(lane);
    if (mourning.nobody_lives) return true;  // the first is due, and a call that then waits for the others gets them
    bool const counts_due = are_given_at_once(mourning);
    auto const due = std::count_if(mourning.obituaries.begin(), mourning.obituaries.end(), [&](auto it) {
        return it == Mourning::Obituary::probed || (counts_due && it == Mourning::Obituary::due);
    });
    if (wanted <= std::max(static_cast<int>(due), mourning.granted)) return true;
    return grant(mourning) && wanted <= mourning.granted;
}

void deliver_obituary(Lane const& lane, int dead) {
    auto& mourning = *find_mourning(lane);
    mourning.of(dead) = Mourning::Obituary::delivered;
    mourning.granted = std::max(0, mourning.granted - 1);
    mourning.looks = 0;
    mourning.waits_since = -1;
}

void probe_obituary(Lane const& lane, int dead) {
    auto& obituary = find_mourning(lane)->of(dead);
    if (std::exchange(obituary, Mourning::Obituary::probed) != Mourning::Obituary::probed)
        note_hole(lane, MPI_ANY_SOURCE);
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
    mourning->granted = 0;
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
