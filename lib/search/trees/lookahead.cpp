#include "regraft/search/lookahead.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace regraft::search {

using msa::HalfEdge;

namespace {

constexpr double enough_gain = 1e-2;         // ends the optimisation of a branch while topologies are compared
constexpr std::uint64_t enough_losses = 20;  // number of losses of which the mean is used
constexpr std::size_t sides = 3;             // number of branches at the node of an inserted subtree
constexpr std::size_t most_optimised = much_care.candidates + 1;  // of a subtree
static_assert(most_optimised <= likelihood::PartitionOptions().most_in_focus);

/// The likeliest first.
void sort(std::vector<Scored>& insertions) {
    std::stable_sort(insertions.begin(), insertions.end(),
                     [](auto const& x, auto const& y) { return x.loglh > y.loglh; });
}

/// A subtree whose move is being forecast.
struct Trial {
    Trial(msa::Tree const& tree, HalfEdge h)
        : a(tree.back(tree.next(h))), b(tree.back(tree.next(tree.next(h)))), front{a, b}, forecast{.h = h} {}

    HalfEdge a, b;                      // the ends of the edge that the subtree leaves behind
    std::vector<HalfEdge> front;        // the next insertions are into the edges beyond the nodes of these
    std::vector<Insertion> insertions;  // those that are scored now
    std::vector<HalfEdge> beyond;       // per insertion: the far end of its edge
    double mean_loss = 0;               // that counts for the trial (Losses)
    Forecast forecast;                  // the result so far
};

/// Makes the forecasts for several subtrees of a tree. The trials share reductions: each step asks the questions of all
/// of them, then makes one reduction.
class Trials {
public:
    Trials(DistributedLikelihood& likelihood, std::span<HalfEdge const> subtrees, Reach const& reach)
        : likelihood_(likelihood), reach_(reach), fences_(reach.constraint, likelihood.tree()) {
        for (auto h : subtrees) trials_.emplace_back(likelihood.tree(), h);
    }
    Trials(Trials const&) = delete;
    Trials& operator=(Trials const&) = delete;

    std::deque<Forecast> run(Losses const& losses) {
        for (std::uint32_t step = 0; step < reach_.radius; ++step) {
            auto const scores = score_next();
            if (scores.empty()) break;
            if (step == 0) learn(losses, scores);
            for_each_score(scores, [&](Trial& trial, std::size_t i, double score) { judge(trial, i, score); });
        }
        for (auto& trial : trials_) {
            auto& found = trial.forecast.found;
            sort(found);
            auto const most = std::min(found.size(), reach_.care.candidates);
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
        }
        for (std::size_t which = 0; which < sides; ++which) fit(which);
        score_again();
        if (pruned_) likelihood_.undo(pruned_->second);
        std::deque<Forecast> result;
        for (auto& trial : trials_) result.push_back(std::move(trial.forecast));
        return result;
    }

private:
    /// Cuts off the trial's subtree, after putting back the one that is cut off now if it is another one.
    void prune(Trial const& trial) {
        auto const h = trial.forecast.h;
        if (pruned_ && pruned_->first == h) return;
        if (pruned_) likelihood_.undo(pruned_->second);
        pruned_.emplace(h, likelihood_.prune(h));
    }

    /// The log-likelihoods after the insertions of all trials. Counts an evaluation for each trial that has insertions.
    std::vector<double> score() {
        std::vector<FixedSum> sums;
        for (auto& trial : trials_) {
            if (trial.insertions.empty()) continue;
            prune(trial);
            sums.resize(sums.size() + trial.insertions.size());
            auto const own = std::span(sums).last(trial.insertions.size());
            likelihood_.add_insertion_scores(trial.forecast.h, trial.insertions, own);
            ++trial.forecast.evaluations;
        }
        return sums.empty() ? std::vector<double>() : likelihood_.sum_over_ranks(sums);
    }

    /// Calls take(trial, i, score) for insertion i of each trial.
    template <class Take>
    void for_each_score(std::span<double const> scores, Take take) {
        auto next = scores.begin();
        for (auto& trial : trials_) {
            for (std::size_t i = 0; i < trial.insertions.size(); ++i) take(trial, i, *next++);
        }
    }

    /// Moves the fronts of all trials one edge on. Returns the scores of the insertions into the edges passed.
    std::vector<double> score_next() {
        for (auto& trial : trials_) {
            trial.insertions.clear();
            trial.beyond.clear();
            if (trial.front.empty()) continue;
            prune(trial);
            extend(trial);
        }
        return score();
    }

    /// Adds the insertions into the edges beyond the trial's front. Precondition: its subtree is cut off.
    void extend(Trial& trial) {
        auto const& tree = likelihood_.tree();
        auto const h = trial.forecast.h;
        for (auto x : std::exchange(trial.front, {})) {
            if (fences_.hinder(h, x)) continue;
            for (auto g = tree.next(x); g != x; g = tree.next(g)) {
                trial.insertions.push_back(likelihood_.insertion(h, g));
                trial.beyond.push_back(tree.back(g));
            }
        }
    }

    double loss(double score) const { return reach_.loglh - score; }

    /// Keeps what the trials' insertions next to the old place lose. Each trial goes on as far as the losses before it
    /// say, those of the trials in front of it included, so that it does what it would do alone.
    void learn(Losses losses, std::span<double const> scores) {
        auto next = scores.begin();
        for (auto& trial : trials_) {
            trial.mean_loss = losses.mean();
            for (std::size_t i = 0; i < trial.insertions.size(); ++i) {
                auto const lost = loss(*next++);
                if (!reach_.care.learns || !std::isfinite(lost) || lost <= 0) continue;
                losses.add(lost);
                trial.forecast.losses.push_back(lost);
            }
        }
    }

    /// Decides whether an insertion is worth optimising, and whether others beyond it are tried.
    void judge(Trial& trial, std::size_t i, double score) {
        auto const lost = loss(score);
        if (!std::isfinite(lost)) return;
        if (lost < reach_.care.beyond_share * trial.mean_loss) trial.front.push_back(trial.beyond[i]);
        if (lost < reach_.care.hopeless_share * trial.mean_loss)
            trial.forecast.found.push_back({std::move(trial.insertions[i]), score});
    }

    /// Optimises one of the three branches of each insertion found: the subtree's (which = 0), or one of those beside
    /// it (1, 2). With the subtree's also the branch at the old place.
    void fit(std::size_t which) {
        auto const sets = likelihood_.tree().num_length_sets();
        std::size_t place = 0;
        std::vector<double> starts;
        for (auto& trial : trials_) {
            if (trial.forecast.found.empty()) continue;
            prune(trial);
            for (auto const& [insertion, score] : trial.forecast.found) {
                likelihood_.focus(trial.forecast.h, insertion, which, place++);
                auto const lengths = std::span(insertion.lengths).subspan(which * sets, sets);
                starts.insert(starts.end(), lengths.begin(), lengths.end());
            }
            if (which > 0) continue;
            likelihood_.focus(trial.a, place++);
            auto const lengths = lengths_of(likelihood_.tree(), std::span(&trial.a, 1));
            starts.insert(starts.end(), lengths.begin(), lengths.end());
        }
        if (place == 0) return;
        auto const best = best_lengths(likelihood_, starts, enough_gain);
        auto next = best.begin();
        for (auto& trial : trials_) {
            auto& forecast = trial.forecast;
            if (forecast.found.empty()) continue;
            std::uint32_t most = 0;
            for (auto& [insertion, score] : forecast.found) {
                most = std::max(most, next->evaluations);
                std::ranges::copy(next++->lengths, &insertion.lengths[which * sets]);
            }
            if (which == 0) {
                most = std::max(most, next->evaluations);
                forecast.old_place = *next++;
            }
            forecast.evaluations += most;
        }
    }

    /// Scores the insertions with their best lengths.
    void score_again() {
        for (auto& trial : trials_) {
            trial.insertions.clear();
            for (auto const& scored : trial.forecast.found) trial.insertions.push_back(scored.insertion);
        }
        for_each_score(score(),
                       [](Trial& trial, std::size_t i, double score) { trial.forecast.found[i].loglh = score; });
        for (auto& trial : trials_) sort(trial.forecast.found);
    }

    DistributedLikelihood& likelihood_;
    Reach const& reach_;
    Fences fences_;
    std::vector<Trial> trials_;
    std::optional<std::pair<HalfEdge, msa::TreeUndo>> pruned_;  // the subtree that is cut off now
};

}  // namespace

double Losses::mean() const {
    if (count < enough_losses) return std::numeric_limits<double>::infinity();
    return sum / static_cast<double>(count);
}

std::size_t Lookahead::most_in_focus(std::size_t most) {
    return most * most_optimised;
}

Forecast Lookahead::next(DistributedLikelihood& likelihood, std::deque<HalfEdge> const& waiting, Reach const& reach,
                         Losses const& losses) {
    if (!holds(likelihood, waiting.front(), reach)) {
        if (changes_ != likelihood.changes())
            mean_run_ += (static_cast<double>(std::exchange(run_, 0)) - mean_run_) / 4;
        auto const before = likelihood.evaluations();
        forecasts_ = Trials(likelihood, std::vector(waiting.begin(), waiting.begin() + width(waiting.size())), reach)
                         .run(losses);
        evaluations_ahead_ += likelihood.evaluations() - before;
        changes_ = likelihood.changes();
        reach_ = reach;
    }
    ++run_;
    auto result = std::move(forecasts_.front());
    forecasts_.pop_front();
    evaluations_ahead_ -= result.evaluations;
    return result;
}

/// The number of subtrees to look at now. Forecasts beyond the next change of the tree would be in vain, so this is the
/// number of subtrees that are expected to be tried until then.
std::ptrdiff_t Lookahead::width(std::size_t num_waiting) const {
    auto const expected = static_cast<std::size_t>(std::max(mean_run_, static_cast<double>(run_))) + 1;
    return static_cast<std::ptrdiff_t>(std::min({expected, most_, num_waiting}));
}

/// Whether the first forecast that is kept is for h, the present tree and this reach.
bool Lookahead::holds(DistributedLikelihood const& likelihood, HalfEdge h, Reach const& reach) const {
    return !forecasts_.empty() && forecasts_.front().h == h && changes_ == likelihood.changes() && reach_ == reach;
}

}  // namespace regraft::search
