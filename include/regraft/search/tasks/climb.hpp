// The task of a search: from a tree to a local maximum of the likelihood, and on to higher ones.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/lookahead.hpp"
#include "regraft/search/subject.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

struct SearchOptions;
struct Expected;

/// What is looked for: the likelihood as it is, the best branch lengths and models for a tree, or the best tree.
enum class Goal : std::uint8_t { likelihood, evaluation, tree };

/// The stages of a climb. A search for a tree passes through all stages in this order, an evaluation through the last
/// ones. Near and far: how far subtrees are moved. Fusing leaves a local maximum by parts of other good trees; if that
/// pays, far moves follow again. Escapes leave a local maximum by random changes at one place.
enum class Stage : std::uint8_t { rough_model, near_spr, far_spr, model, fusing, escapes, final_model, done };
std::string to_string(Stage stage);  // for people, such as "near SPR"
/// The stage with which a climb begins.
Stage first_stage(Goal goal);

/// The local maximum that a change leaves. The climb returns to it unless it finds a higher one.
struct Home {
    msa::Tree tree;             // with its branch lengths
    double loglh;               // its log-likelihood
    std::uint64_t fingerprint;  // fingerprint of the tree
};

/// The progress of a climb.
struct Climb {
    Stage stage = Stage::final_model;     // of the next step
    std::uint32_t round = 0;              // number of the round within the stage
    std::uint64_t position = 0;           // number of the step within the round
    double round_start = 0;               // log-likelihood when the round began
    std::deque<msa::HalfEdge> waiting{};  // subtrees to be moved in this round, in their order
    double difficulty = 1;                // of the data (msa::difficulty); only an automatic effort asks for it
    Losses losses{};                      // of insertions so far; decides how far subtrees are tried
    std::optional<Home> home{};           // the maximum to return to; none between two escapes or exchanges
    std::vector<std::uint64_t> tried{};   // SubtreeExchange::change of those tried while trees are fused
    std::uint64_t successes = 0;          // number of exchanges and escapes that improved the tree
    std::uint64_t failures = 0;           // number of consecutive escapes that did not improve the tree much

    /// Begins a stage, or another round of it. loglh: of the tree now.
    void enter(Stage next, double loglh);
    /// Begins to fuse the tree with others, after a climb that is done.
    void begin_fusing(double loglh);

    /// The contract of all tasks (search.hpp).
    static constexpr bool changes_subject = false;
    bool is_done() const { return stage == Stage::done; }
    std::uint64_t shown_step() const { return position + 1; }
    std::string describe() const;
    Subject subject(Estimate const& now, BranchLinkage linkage) const { return whole_subject(now, linkage); }
    void step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options);
    void check(Estimate const& now, Expected const& expected) const;
    void write(ByteWriter& out) const;
    static Climb read(ByteReader& in);
};

}  // namespace regraft::search
#pragma GCC visibility pop
