// What all tasks of a search have in common. A task is one kind of work, such as the climb or the choice of models:
// its room has its progress, its steps, and all that is known of it. HACKING.md says how to add one.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "regraft/core/bytes.hpp"
#include "regraft/search/check.hpp"
#include "regraft/search/search_options.hpp"
#include "regraft/search/subject.hpp"

namespace regraft::search {

/// The members of a task, which is the progress of one kind of work.
template <class T>
concept IsTask = requires(T& task, T const& known, Estimate& now, DistributedLikelihood& likelihood,
                          SearchOptions const& options, Expected const& expected, ByteWriter& out, ByteReader& in) {
    // Whether a step may change the subject, so that the next one needs a new DistributedLikelihood.
    { T::changes_subject } -> std::convertible_to<bool>;
    // Whether the last step was made.
    { known.is_done() } -> std::same_as<bool>;
    // The number of the next step, for people.
    { known.shown_step() } -> std::same_as<std::uint64_t>;
    // The progress, for people. It changes whenever a phase ends; then a checkpoint pays.
    { known.describe() } -> std::same_as<std::string>;
    // What the next step computes on.
    { known.subject(now, BranchLinkage{}) } -> std::same_as<Subject>;
    // Makes the next step, and updates the estimate. Collective.
    task.step(now, likelihood, options);
    // Throws InputError unless a search can go on from it.
    known.check(now, expected);
    // Writes everything, for checkpoints.
    known.write(out);
    // Reads what write wrote. Throws InputError if the bytes are not that.
    { T::read(in) } -> std::same_as<T>;
};

}  // namespace regraft::search
