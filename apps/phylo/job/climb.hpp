// The work of one group: the steps of a search, with commits between them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/context.hpp"
#include "job/dealt_sites.hpp"
#include "job/job_files.hpp"
#include "job/meeting.hpp"
#include "job/records.hpp"
#include "job/stop.hpp"
#include "profile/profile.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/search/search.hpp"

namespace regraft::phylo {

/// The items of a list that this PE's group works on one after the other.
struct Batch {
    std::size_t mine = 0;        // number of these items
    std::size_t done = 0;        // number of those that are done
    std::size_t num_groups = 1;  // that work on items side by side
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

    /// "7 of 100 done: ", or "7 of 50 done in one of 2 groups: "; empty for a single search.
    std::string share_done() const;
    /// ", about 3 min left"; empty as long as that is unknown.
    std::string time_left() const;
    /// What a log says of the present item while it does something, with its log-likelihood from when it is known.
    std::string progress(std::string const& doing, SearchState const& state) const;
};

/// An item that a group works on.
struct Task {
    Item item;
    std::vector<std::uint32_t> weights;  // weights of all patterns; empty: as in the alignment
    Samples samples;                     // of this PE's sites
    ft::Participants participants;       // the members of the group
};

/// Makes steps of searches together with the other members of this PE's group.
class Climber {
public:
    /// Keeps references to all of these.
    Climber(Context& context, Knowledge& known, Records& records, JobFiles& files, DealtSites const& sites);

    /// Makes steps until the search is done, and commits between them. A request to stop, and different states on
    /// members of the group, are noted in the knowledge and declared as failures. Throws ft::ProcessFailure. Collective
    /// over the participants.
    void finish(Task const& task, SearchState& state, Batch const& batch);
    /// A likelihood of the subject of the next step. weights: as Task::weights. gene: as Kind::gene. Not collective.
    DistributedLikelihood likelihood_of(SearchState const& state, ft::Participants participants,
                                        std::span<std::uint32_t const> weights,
                                        std::optional<std::uint32_t> gene = std::nullopt) const;
    /// What was measured for a profile; null if none is wanted.
    WorkLog const* work_log() const { return clock_ ? &clock_->log() : nullptr; }

private:
    /// How many subtrees the group looks ahead.
    std::size_t ahead() const;
    void climb(Task const& task, SearchState& state, Batch const& batch);
    void commit(Task const& task, SearchState const& state);

    Context& context_;
    Knowledge& known_;
    Records& records_;
    JobFiles& files_;
    DealtSites const& sites_;
    StopWatch stop_watch_;
    std::optional<WorkClock> clock_;  // only if a profile is wanted
};

}  // namespace regraft::phylo
