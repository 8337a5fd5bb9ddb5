#include "shield/any_source.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ft/backend.hpp"
#include "shield/messages.hpp"

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

void say_that_it_waits(Mourning const& mourning) {
    std::string dead;
    for (std::size_t rank = 0; rank < mourning.obituaries.size(); ++rank)
        if (mourning.obituaries[rank] != Mourning::Obituary::none)
            dead += (dead.empty() ? "" : ", ") + std::to_string(rank);
    say_once("a message from any source has not come for 10 s; dead there: " + dead +
             "; REGRAFT_SHIELD_ANY_SOURCE=obituary gives an empty message of each");
}

/// Whether obituaries are given at all, so that nothing is said of waiting.
bool are_due(Mourning const& mourning) {
    return mourning.nobody_lives || session().policy.any_source != AnySource::wait;
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
    if (!are_due(*mourning)) {
        auto const now = PMPI_Wtime();
        if (mourning->waits_since < 0) mourning->waits_since = now;
        if (now - mourning->waits_since >= patience) say_that_it_waits(*mourning);
        return {};
    }
    if (++mourning->looks < few_looks) return {};
    if (auto const probed = mourning->find(Mourning::Obituary::probed)) return probed;
    if (auto const due = mourning->find(Mourning::Obituary::due)) return due;
    // Nobody is left, and each has had one: better another than to wait for ever.
    return mourning->nobody_lives ? mourning->find(Mourning::Obituary::delivered) : std::nullopt;
}

std::optional<int> look_for_obituary(Lane const& lane) {
    constexpr unsigned looks_between_questions = 64;  // of what time it is
    static unsigned all_looks = 0;
    static std::map<LaneId, double> last_looks;
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
    return static_cast<int>(std::count_if(mourning.obituaries.begin(), mourning.obituaries.end(), [](auto it) {
        return it == Mourning::Obituary::due || it == Mourning::Obituary::probed;
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

void end_wait(Lane const& lane) {
    auto* const mourning = find_mourning(lane);
    if (mourning == nullptr) return;
    mourning->waits_since = -1;
    mourning->looks = 0;
}

bool withdraw(MPI_Request* request, MPI_Status* status) {
    MPI_Status ending;
    int done = 0;
    int was_cancelled = 0;
    PMPI_Cancel(request);
    for (;;) {
        int const code = PMPI_Test(request, &done, &ending);
        if (code != MPI_SUCCESS && !is_suspended(code)) return true;
        if (done != 0) break;
    }
    PMPI_Test_cancelled(&ending, &was_cancelled);
    if (was_cancelled == 0 && status != MPI_STATUS_IGNORE) *status = ending;
    return was_cancelled != 0;
}

}  // namespace regraft::shield
