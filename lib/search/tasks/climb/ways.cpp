// Ways out of a local maximum: by parts of other trees, or by random changes.
#include <algorithm>
#include <utility>

#include "regraft/search/optimise.hpp"
#include "search/tasks/climb/steps.hpp"

namespace regraft::search {
namespace {

constexpr std::uint32_t way_radius = 3;  // in edges, of moves on the way out of a local maximum

/// The number of consecutive escapes that may fail.
std::uint64_t most_failures(SearchOptions const& options, std::uint32_t num_tips) {
    if (num_tips < 5) return 0;  // the climb has seen all topologies
    return static_cast<std::uint64_t>(options.patience * num_tips);
}

/// The subtrees near these places that are moved on a way out of a local maximum, the farthest first: the surroundings
/// adapt to the change before a move can take it back. Those with more than half of the tips are left out: to move one
/// is much like moving what is beside it.
std::vector<msa::HalfEdge> subtrees_on_way(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places) {
    auto result = subtrees_near(tree, places, wake_on_way);
    auto const tips = msa::tips_behind(tree);
    std::erase_if(result, [&](auto h) { return tips[tree.back(h)] > tree.num_tips() / 2; });
    return result;
}

/// Where the topology of a tree differs from that of another one.
std::vector<msa::HalfEdge> differing(msa::Tree const& tree, msa::Tree const& other) {
    std::vector<msa::HalfEdge> places;
    for (msa::HalfEdge h = 0; h < tree.num_half_edges(); ++h) {
        if (tree.back(h) != other.back(h)) places.push_back(h);
    }
    return places;
}

/// Whether the constraint allows the tree after the exchange.
bool allows(Constraint const* constraint, msa::Tree tree, SubtreeExchange const& exchange) {
    if (constraint == nullptr) return true;
    tree.undo(exchange.move);
    return constraint->allows(tree);
}

}  // namespace

/// The first step of a way out of a local maximum, which becomes Climb::home. change() changes the tree and returns an
/// Outcome.
template <class Change>
void Steps::leave_home(Change change) {
    auto const& tree = likelihood_.tree();
    climb_.home = Home{tree, now_.loglh, fingerprint(tree)};
    auto const outcome = change();
    now_.loglh = outcome.loglh;
    keep_tree();
    wait_too(subtrees_on_way(tree, outcome.places));
    ++climb_.position;
}

/// Ends the way: keeps the tree if it is better than that of Climb::home by least_gain, or goes back to that.
Steps::Outcome Steps::end_way() {
    auto const home = *std::exchange(climb_.home, std::nullopt);
    climb_.waiting.clear();
    climb_.position = 0;
    ++climb_.round;
    bool const is_higher = now_.loglh - home.loglh >= options_.least_gain;
    if (is_higher) {
        ++climb_.successes;
    } else {
        likelihood_.set_tree(home.tree);
        now_.loglh = home.loglh;
    }
    keep_tree();
    return is_higher ? Outcome::to_higher_ground : Outcome::back_home;
}

/// Optimises the branches around the changes on a way, and all others if the tree is likelier than that of Climb::home.
void Steps::smooth_way() {
    constexpr std::uint32_t around = 2;  // in edges; branches farther away hardly gain from the changes
    auto const& tree = likelihood_.tree();
    auto const places = differing(tree, climb_.home->tree);
    fit_lengths(likelihood_, edges_near(tree, places, around));
    now_.loglh = likelihood_.loglh(places.empty() ? 0 : places.front());
    if (now_.loglh <= climb_.home->loglh) return;
    smooth_branches(likelihood_, options_.least_gain);
    now_.loglh = likelihood_.loglh();
}

/// A later step on the way: tries the next waiting subtree, or, if none waits, optimises branches. Most ways lead
/// straight back to the topology of Climb::home, and end there.
Steps::Outcome Steps::go_on() {
    constexpr double close = 2;  // to the old value: better branches may make up for this difference
    if (!climb_.waiting.empty()) {
        ++climb_.position;
        bool const moved = move_next(reach(way_radius, least_care));
        if (!moved || fingerprint(likelihood_.tree()) != climb_.home->fingerprint) return Outcome::onward;
    } else if (now_.loglh > climb_.home->loglh - close) {
        smooth_way();
    }
    return end_way();
}

/// The first exchange with one of the donors (SearchOptions::others) that has not been tried, if any.
std::optional<SubtreeExchange> Steps::next_exchange() const {
    auto const& tree = likelihood_.tree();
    for (auto const& donor : options_.others) {
        for (auto& exchange : exchanges(tree, donor)) {
            bool const is_new = std::ranges::find(climb_.tried, exchange.change) == climb_.tried.end();
            if (is_new && allows(options_.constraint, tree, exchange)) return std::move(exchange);
        }
    }
    return std::nullopt;
}

/// Leaves the maximum by exchanges with the donors, until all have been tried. If they have raised the likelihood,
/// subtrees are moved far once more, and then new exchanges are tried.
void Steps::advance_fusing() {
    if (climb_.position > 0) return static_cast<void>(go_on());
    auto const exchange = next_exchange();
    if (!exchange) {
        if (pays(options_.least_gain)) return climb_.enter(Stage::far_spr, now_.loglh);
        climb_.tried.clear();
        return enter_following();
    }
    climb_.tried.push_back(exchange->change);
    leave_home([&] { return search::make(likelihood_, *exchange); });
}

/// Comes to the end of a way that was gone ahead.
void Steps::take(Way way) {
    climb_ = std::move(way.climb);
    now_.loglh = way.loglh;
    if (way.tree == likelihood_.tree()) return;
    likelihood_.set_tree(way.tree);
    keep_tree();
}

/// Leaves the maximum by random changes, until too many in a row have failed.
void Steps::advance_escapes() {
    if (climb_.position > 0) {
        auto const outcome = go_on();
        if (outcome == Outcome::back_home) ++climb_.failures;
        if (outcome == Outcome::to_higher_ground) climb_.failures = 0;
        return;
    }
    auto const most = most_failures(options_, likelihood_.tree().num_tips());
    if (climb_.failures >= most) {
        enter_following();
    } else if (options_.ways != nullptr) {
        take(options_.ways->next(climb_, now_, likelihood_, options_, most - climb_.failures));
    } else {
        leave_home([&] { return perturb(likelihood_, options_.seed, climb_.round, options_.constraint); });
    }
}

}  // namespace regraft::search
