#include "search/tasks/climb/steps.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/search/optimise.hpp"
#include "search/tasks/rounds.hpp"

namespace regraft::search {
namespace {

constexpr std::uint32_t near_radius = 5;  // in edges, of near SPR
constexpr std::uint32_t wake_within = 2;  // subtrees so many edges from a change of the topology wait again

}  // namespace

/// Whether the present round has gained enough for another one; a gain of NaN never pays.
bool Steps::pays(double least_gain) const {
    return now_.loglh - climb_.round_start >= least_gain;
}

/// Goes on to the next stage that the options ask for.
void Steps::enter_following() {
    auto const next = static_cast<Stage>(static_cast<int>(climb_.stage) + 1);
    climb_.enter(options_.last && next > *options_.last ? Stage::done : next, now_.loglh);
}

/// Ends a round after its last step. Another round follows as long as rounds pay.
void Steps::end_round(double least_gain) {
    if (!pays(least_gain)) return enter_following();
    auto const next = climb_.round + 1;
    climb_.enter(climb_.stage, now_.loglh);
    climb_.round = next;
}

/// Keeps the tree as it is between two steps.
void Steps::keep_tree() {
    likelihood_.update(now_.tree);
}

/// The last model is optimised together with the scale of the tree: rounds of one after the other would creep. With
/// many tips they even end far below: each site is in one category of rates for sure, so there are many maxima.
Lengths Steps::lengths() const {
    if (options_.lengths != Lengths::change) return options_.lengths;
    bool const is_last = climb_.stage == Stage::final_model;
    return is_last || has_many_tips(now_.tree) ? Lengths::rescale : Lengths::change;
}

/// The same gain per tip is asked of all trees of many tips: what a round gains grows with the tree.
double Steps::for_tips(double epsilon) const {
    return epsilon * std::max(1.0, now_.tree.num_tips() / double{many_tips});
}

void Steps::advance_model(double epsilon) {
    bool const round_ended = optimise_next(climb_.position, likelihood_, epsilon, lengths(), options_.saves);
    if (round_ended) {
        now_.loglh = likelihood_.loglh();
        if (!pays(epsilon) && leave_maximum(likelihood_, epsilon, options_.lengths)) now_.loglh = likelihood_.loglh();
    }
    keep_tree();
    now_.models = likelihood_.models();
    if (round_ended) end_round(epsilon);
}

/// Appends to those that wait those of the subtrees that do not wait yet.
void Steps::wait_too(std::vector<msa::HalfEdge> const& subtrees) {
    std::vector<bool> waits(now_.tree.num_half_edges());
    for (auto h : climb_.waiting) waits[h] = true;
    std::copy_if(subtrees.begin(), subtrees.end(), std::back_inserter(climb_.waiting),
                 [&](auto h) { return !waits[h]; });
}

Reach Steps::reach(std::uint32_t radius, Care care) const {
    return {std::min(radius, options_.spr_radius), care, now_.loglh, options_.constraint};
}

/// Tries to move the first waiting subtree. If the topology changes, subtrees near the change wait again; on the way
/// out of a local maximum only the nearest, and only if least_gain was gained. Returns whether the topology has
/// changed.
bool Steps::move_next(Reach const& reach) {
    Lookahead none;
    auto& ahead = options_.lookahead != nullptr ? *options_.lookahead : none;
    auto const outcome = try_spr(likelihood_, climb_.waiting, reach, climb_.losses, ahead);
    climb_.waiting.pop_front();
    auto const gain = outcome.loglh - std::exchange(now_.loglh, outcome.loglh);
    if (outcome.places.empty()) return false;
    keep_tree();
    if (!climb_.home || gain >= options_.least_gain) {
        auto const within = climb_.home ? wake_on_way : wake_within;
        wait_too(subtrees_near(likelihood_.tree(), outcome.places, within));
    }
    return true;
}

/// The steps: all branches, then the subtrees one by one, until none can be moved.
void Steps::advance_spr(Reach const& reach) {
    if (climb_.position == 0) {
        bool const selects = saves_at(options_.saves, likelihood_.tree()) == Saves::reductions;
        auto const pass = selects ? Pass::promising : Pass::all;
        smooth_branches(likelihood_, for_tips(options_.least_gain), pass);
        now_.loglh = likelihood_.loglh();
        keep_tree();
        wait_too(all_subtrees(likelihood_.tree()));
    } else {
        move_next(reach);
    }
    ++climb_.position;
    if (climb_.waiting.empty()) enter_following();
}

void Steps::make() {
    switch (climb_.stage) {
        case Stage::rough_model:
            return advance_model(for_tips(options_.rough_epsilon));
        case Stage::near_spr:
            return advance_spr(reach(near_radius, little_care));
        case Stage::far_spr:
            return advance_spr(reach(options_.spr_radius, options_.far_care));
        case Stage::model:
            return advance_model(for_tips(options_.least_gain));
        case Stage::fusing:
            return advance_fusing();
        case Stage::escapes:
            return advance_escapes();
        case Stage::final_model:
            return advance_model(for_tips(options_.final_epsilon));
        case Stage::done:
            REGRAFT_EXPECTS(!"a step after the last one");
    }
}

}  // namespace regraft::search
