#include "regraft/search/ways_ahead.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "regraft/search/search_options.hpp"
#include "search/likelihood/shared_reductions.hpp"
#include "search/tasks/climb/steps.hpp"

namespace regraft::search {

/// Goes ways, one after the other, with a likelihood of its own.
class WaysAhead::Traveller {
public:
    Traveller(std::unique_ptr<DistributedLikelihood> likelihood, std::size_t subtrees)
        : likelihood_(std::move(likelihood)), ahead_(subtrees) {}

    /// Takes the tree and the models of another likelihood, and reduces by this object from now on.
    void prepare(DistributedLikelihood const& like, Reducer& reducer) {
        likelihood_->set_tree(like.tree());
        for (std::size_t q = 0; q < like.num_partitions(); ++q) {
            if (!(likelihood_->model(q) == like.model(q))) likelihood_->set_model(q, like.model(q));
        }
        likelihood_->reduce_by(&reducer);
    }

    /// Goes a way to its end, or until is_wanted() is false: then it returns none.
    template <class IsWanted>
    std::optional<Way> go(Climb climb, Estimate now, SearchOptions options, IsWanted is_wanted) {
        options.lookahead = &ahead_;
        options.ways = nullptr;
        auto const evaluations = [&] { return likelihood_->evaluations() - ahead_.evaluations_ahead(); };
        auto const before = evaluations();
        std::uint64_t steps = 0;
        do {
            if (!is_wanted()) return std::nullopt;
            Steps(climb, now, *likelihood_, options).make();
            ++steps;
        } while (climb.position > 0);
        return Way{std::move(climb), std::move(now.tree), now.loglh, steps, evaluations() - before};
    }

private:
    std::unique_ptr<DistributedLikelihood> likelihood_;
    Lookahead ahead_;
};

WaysAhead::WaysAhead(std::size_t most, std::size_t subtrees, MakeLikelihood make)
    : most_(most), subtrees_(subtrees), make_(std::move(make)) {}

WaysAhead::~WaysAhead() = default;

Way WaysAhead::next(Climb const& climb, Estimate const& now, DistributedLikelihood& likelihood,
                    SearchOptions const& options, std::uint64_t left) {
    if (!holds(likelihood, climb)) {
        auto const before = likelihood.evaluations();
        go(climb, now, likelihood, options, left);
        evaluations_ahead_ += likelihood.evaluations() - before;
        changes_ = likelihood.changes();
    }
    auto way = std::move(ways_.front());
    ways_.pop_front();
    evaluations_ahead_ -= way.evaluations;
    further_steps_ += way.steps - 1;
    return way;
}

/// Goes the next ways, up to the first one that leads to higher ground. Travellers start the next way when they have
/// ended one.
void WaysAhead::go(Climb const& climb, Estimate const& now, DistributedLikelihood& likelihood,
                   SearchOptions const& options, std::uint64_t left) {
    constexpr std::uint64_t ways_each = 2;  // of each traveller: more would put more work at stake if a rank dies
    auto const num_travellers = std::min<std::uint64_t>(most_, left);
    while (travellers_.size() < num_travellers) travellers_.push_back(std::make_unique<Traveller>(make_(), subtrees_));
    std::vector<std::optional<Way>> found(std::min(left, ways_each * num_travellers));
    std::size_t next = 0;
    auto end = found.size();  // ways from here on are not needed
    SharedReductions shared(likelihood);
    std::vector<std::function<void()>> journeys;
    for (std::size_t t = 0; t < num_travellers; ++t) {
        travellers_[t]->prepare(likelihood, shared);
        journeys.push_back([&, t] {
            while (next < end) {
                auto const number = next++;
                auto start = climb;
                start.round += static_cast<std::uint32_t>(number);
                start.failures += number;
                auto way = travellers_[t]->go(std::move(start), now, options, [&] { return number < end; });
                if (way && way->climb.successes > climb.successes) end = std::min(end, number + 1);
                found[number] = std::move(way);
            }
        });
    }
    shared.run(journeys);
    ways_.clear();
    for (std::size_t number = 0; number < end; ++number) ways_.push_back(std::move(*found[number]));
}

/// Whether the first way that is kept follows this progress in the present tree.
bool WaysAhead::holds(DistributedLikelihood const& likelihood, Climb const& climb) const {
    return !ways_.empty() && changes_ == likelihood.changes() && ways_.front().climb.round == climb.round + 1;
}

}  // namespace regraft::search
