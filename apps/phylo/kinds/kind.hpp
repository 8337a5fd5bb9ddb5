// What all kinds of work of a job have in common. A kind is a list of searches that a job makes for one purpose, such
// as the starts or the replicates: its file has all that the job knows of it. HACKING.md says how to add one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinds/plan.hpp"
#include "progress/progress.hpp"
#include "regraft/search/check.hpp"
#include "report/report.hpp"

namespace regraft::phylo {

/// What the steps of an item need of this PE's sites, as SearchOptions says; it must live as long as the search.
struct Samples {
    std::optional<RellSamples> rell{};
    std::optional<Replicates> replicates{};
    TestedTrees const* trees = nullptr;
};

/// A kind of work. Its items are numbered from 0. All that it says follows from the plan and the progress, so that all
/// PEs know it without communication. Not collective, except for first_state.
class Kind {
public:
    /// Keeps a reference to the plan.
    explicit Kind(Plan const& plan) : plan_(plan) {}
    virtual ~Kind() = default;

    /// The number of items that are wanted now. Precondition: the kinds before it are done.
    virtual std::uint32_t wanted(Progress const& progress) = 0;
    /// The largest number of items that a job may have.
    virtual std::uint32_t most() const = 0;
    /// The name of an item for people; empty: it needs none.
    virtual std::string name(std::uint32_t number) const = 0;

    /// Changes the options of an item's search, which are those of any search of the job.
    virtual void change(SearchOptions& /*options*/, std::uint32_t /*number*/, Progress const& /*progress*/) const {}
    /// Whether parsimony trees are made before the first step, for which the sites of the group are needed.
    virtual bool needs_sites(std::uint32_t /*number*/, Progress const& /*progress*/) const { return false; }
    /// The state before the first step. sites: those of this PE; may be null if none are needed. Collective over the
    /// group if they are needed.
    virtual SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const = 0;
    /// The partition that an item is about, without the taxa that have no data in it; none: it is about all data.
    virtual std::optional<std::uint32_t> gene(std::uint32_t /*number*/) const { return std::nullopt; }
    /// The weight of each pattern for an item; empty: as in the alignment.
    virtual std::vector<std::uint32_t> weights(std::uint32_t /*number*/) const { return {}; }

    /// Whether sample() does anything, and whether it needs the starts' trees, compared on all sites.
    virtual bool needs_samples() const { return false; }
    virtual bool needs_trees() const { return false; }
    /// Adds what the steps of an item need. sites: live as long as the samples. mine: the numbers of this PE's
    /// patterns, [partition][local pattern].
    virtual void sample(Samples& /*samples*/, SiteSampler const& /*sites*/,
                        std::vector<std::vector<std::uint64_t>> /*mine*/) const {}

    /// Whether the search of a state does the work of this kind.
    virtual bool does(SearchState const& state) const { return std::holds_alternative<Climb>(state.task); }
    /// Adds what a state must fit, for search::check.
    virtual void expect(Expected& /*expected*/, std::uint32_t /*number*/) const {}

    /// Whether the log has lines about the stages of an item, not only about its list.
    virtual bool tells_stages() const { return true; }
    /// Whether a step is so much work that a commit follows each.
    virtual bool commits_each_step() const { return false; }
    /// Lines for the log about the results of a list of items. Precondition: the items are done.
    virtual std::vector<std::string> lines(std::span<Item const> /*items*/, Progress const& /*progress*/) { return {}; }
    /// Adds to the result of the job, also what the files and the log say of this kind. The result may keep references
    /// to the plan and the progress. Precondition: all kinds are done.
    virtual void add_to(Result& /*result*/, Progress const& /*progress*/) {}

protected:
    Plan const& plan_;
};

/// A kind of one item, or of none.
class SingleKind : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const& /*progress*/) final { return most(); }
    std::uint32_t most() const final { return is_wanted() ? 1 : 0; }
    /// Whether the job wants it.
    virtual bool is_wanted() const = 0;
};

/// The kinds of a job in their order, each with its purpose. The items of one are done before those of the next begin.
struct KindOf {
    Purpose purpose;
    int place;  // where the end of the log, and PREFIX.json, have what it says; the lowest comes first
    std::unique_ptr<Kind> kind;
};
std::vector<KindOf> all_kinds(Plan const& plan);

}  // namespace regraft::phylo
