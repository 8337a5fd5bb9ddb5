// The steps of a climb.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/climb.hpp"
#include "regraft/search/topology.hpp"
#include "search/trees/fuse.hpp"

namespace regraft::search {

/// Makes one step of a climb. Collective, as are all its members that change the likelihood.
class Steps {
public:
    /// Keeps references to all.
    Steps(Climb& climb, Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options)
        : climb_(climb), now_(now), likelihood_(likelihood), options_(options) {}

    /// Precondition: the climb is not done.
    void make();

private:
    /// What a step on a way out of a local maximum has led to: another step, a better tree, or the tree of Climb::home.
    enum class Outcome : std::uint8_t { onward, to_higher_ground, back_home };

    // steps.cpp: stages that climb
    bool pays(double least_gain) const;
    void end_round(double least_gain);
    void enter_following();
    void keep_tree();
    Lengths lengths() const;
    double for_tips(double epsilon) const;
    void advance_model(double epsilon);
    void wait_too(std::vector<msa::HalfEdge> const& subtrees);
    Reach reach(std::uint32_t radius, Care care) const;
    bool move_next(Reach const& reach);
    void advance_spr(Reach const& reach);

    // ways.cpp: stages that leave a local maximum
    template <class Change>
    void leave_home(Change change);
    Outcome end_way();
    void smooth_way();
    Outcome go_on();
    std::optional<SubtreeExchange> next_exchange() const;
    void take(Way way);
    void advance_fusing();
    void advance_escapes();

    Climb& climb_;
    Estimate& now_;
    DistributedLikelihood& likelihood_;
    SearchOptions const& options_;
};

inline constexpr std::uint32_t wake_on_way = 1;  // subtrees so many edges from a change wait again on a way out

}  // namespace regraft::search
