#include "regraft/search/tasks/climb.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/errors.hpp"
#include "search/tasks/checks.hpp"
#include "search/tasks/climb/steps.hpp"

namespace regraft::search {

Stage first_stage(Goal goal) {
    switch (goal) {
        case Goal::tree:
            return Stage::rough_model;
        case Goal::evaluation:
            return Stage::final_model;
        case Goal::likelihood:
            break;
    }
    return Stage::done;
}

std::string to_string(Stage stage) {
    switch (stage) {
        case Stage::rough_model:
            return "rough model";
        case Stage::near_spr:
            return "near SPR";
        case Stage::far_spr:
            return "far SPR";
        case Stage::model:
            return "model";
        case Stage::fusing:
            return "fusing";
        case Stage::escapes:
            return "escapes";
        case Stage::final_model:
            return "final model";
        case Stage::done:
            return "done";
    }
    return "";
}

void Climb::enter(Stage next, double loglh) {
    stage = next;
    round = 0;
    position = 0;
    waiting.clear();
    round_start = loglh;
}

void Climb::begin_fusing(double loglh) {
    successes = failures = 0;
    enter(Stage::fusing, loglh);
}

void Climb::step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options) {
    Steps(*this, now, likelihood, options).make();
}

std::string Climb::describe() const {
    switch (stage) {
        case Stage::near_spr:
        case Stage::far_spr:
        case Stage::done:
            return to_string(stage);
        case Stage::fusing:
        case Stage::escapes:
            return to_string(stage) + ", " + std::to_string(successes) + " successful";
        case Stage::rough_model:
        case Stage::model:
        case Stage::final_model:
            break;
    }
    return to_string(stage) + " round " + std::to_string(round + 1);
}

void Climb::check(Estimate const& now, Expected const& expected) const {
    if (home) check_tree(home->tree, expected);
    bool const moves = (stage == Stage::near_spr || stage == Stage::far_spr) && position > 0;
    require(!moves || !waiting.empty(), "without subtrees that could be moved");
    bool const leaves = (stage == Stage::fusing || stage == Stage::escapes) && position > 0;
    require(leaves == home.has_value(), "that left a local maximum, or has not");
    auto const is_subtree = [&](auto h) { return h < now.tree.num_half_edges() && !now.tree.is_tip(h); };
    require(std::ranges::all_of(waiting, is_subtree), "with a subtree that is not in the tree");
    require(0 <= difficulty && difficulty <= 1, "for data of an impossible difficulty");
}

void Climb::write(ByteWriter& out) const {
    out.put(stage);
    out.put(round);
    out.put(position);
    out.put(round_start);
    out.put_all(std::span<msa::HalfEdge const>(std::vector(waiting.begin(), waiting.end())));
    out.put(difficulty);
    out.put(losses);
    out.put(home.has_value());
    if (home) {
        home->tree.write(out);
        out.put(home->loglh);
        out.put(home->fingerprint);
    }
    out.put_all(std::span(tried));
    out.put(successes);
    out.put(failures);
}

Climb Climb::read(ByteReader& in) {
    Climb climb;
    climb.stage = in.get<Stage>();
    if (climb.stage > Stage::done) throw InputError("there is no stage of a climb with this number");
    climb.round = in.get<std::uint32_t>();
    climb.position = in.get<std::uint64_t>();
    climb.round_start = in.get<double>();
    for (auto h : in.get_all<msa::HalfEdge>()) climb.waiting.push_back(h);
    climb.difficulty = in.get<double>();
    climb.losses = in.get<Losses>();
    if (in.get_flag()) {
        auto tree = msa::Tree::read(in);
        auto const loglh = in.get<double>();
        climb.home = Home{std::move(tree), loglh, in.get<std::uint64_t>()};
    }
    climb.tried = in.get_all<std::uint64_t>();
    climb.successes = in.get<std::uint64_t>();
    climb.failures = in.get<std::uint64_t>();
    return climb;
}

}  // namespace regraft::search
