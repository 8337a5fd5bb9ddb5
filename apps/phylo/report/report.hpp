// What a job has found and gone through, as text and JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "input/input.hpp"
#include "options/options.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/search/search.hpp"
#include "trees/support_labels.hpp"

namespace regraft::phylo {

using Json = nlohmann::ordered_json;

/// One recovery, timed by the PE that reports it. Bytes and blocks are sums over all PEs.
struct Recovery {
    std::vector<PeId> lost;
    std::size_t survivors = 0;
    std::string during;       // what the search was doing
    std::string noticed_in;   // the call that failed
    double silence_ms = 0;    // time since the last call that succeeded: an upper bound for the time to notice the
                              // failure
    double shrink_ms = 0;     // time until there was a communicator of the survivors
    double reassign_ms = 0;   // time to decide which PE takes over what
    double load_ms = 0;       // time to load that from the store
    double repair_ms = 0;     // time to make lost replicas of the store again
    double reread_ms = 0;     // time to read what no survivor holds from the file
    double restore_ms = 0;    // time to return to the state of the last checkpoint
    double work_lost_ms = 0;  // time between the last checkpoint and the failure
    std::uint64_t work_lost_evaluations = 0;
    std::uint64_t new_pairs = 0;  // new (PE, partition) pairs
    std::uint32_t b = 0;          // number of blocks that the busiest sender sent
    std::uint32_t rounds = 0;
    std::uint64_t blocks_taken_over = 0;
    std::uint64_t blocks_reread = 0;  // blocks without a living holder
    std::uint64_t bytes_loaded = 0;   // bytes from the store
    std::uint64_t bytes_repaired = 0;
};

/// What the job kept in case ranks die: in memory, and on disk in case all die.
struct Checkpoints {
    std::uint64_t count = 0;  // number of checkpoints in memory
    double ms = 0;            // time for all of them, including those on disk
    std::uint64_t on_disk = 0;
    std::uint64_t bytes_on_disk = 0;  // of the last one
    double disk_ms = 0;
    struct Resumed {
        std::string search;  // empty: the only search
        std::string during;
        double loglh;
    };
    std::vector<Resumed> resumed_from;  // searches that were under way
    bool resumed = false;
};

/// Supports of the inner edges of the best tree.
struct Support {
    char const* name;            // in PREFIX.json
    char const* extension;       // of the file with the tree that has only these
    SupportForm form;            // in that file
    std::string meaning;         // of the number in the picture and in PREFIX.bestTree; empty: it is not there
    std::vector<double> values;  // per edge, in the order of Tree::edges(), NaN at tips
};

struct Result;

/// An output file: PREFIX + extension, and its contents.
struct OutputFile {
    char const* extension;
    std::function<std::string(Result const&)> text;
};

/// The rates of all patterns: posterior means, and the most probable category of each, a position in the order of
/// likelihood::Partition::category_posteriors.
struct PatternRates {
    std::vector<double> mean;
    std::vector<double> category;
};

/// Everything that the output files contain.
struct Result {
    explicit Result(SearchState final_state) : state(std::move(final_state)) {}

    SearchState state;                    // the best one, a climb
    bool has_tree = true;                 // whether its tree is a result
    std::vector<double> partition_loglh;  // may come from a kind of work
    // What kinds of work add (kinds/kind.hpp), each its part. What is called is called on the PE that writes files.
    std::vector<Support> supports;
    std::vector<std::string> lines;      // for the end of the log
    std::vector<std::string> citations;  // for the same
    std::vector<OutputFile> files;
    std::vector<std::function<void(Json& json, Result const&)>> json;  // adds to PREFIX.json
    std::vector<std::vector<double>> site_loglh;  // of the trees that were evaluated, on the leading PE, if requested
    PatternRates pattern_rates;                   // of the best tree, likewise
    std::vector<double> site_frequencies;         // [pattern][state]: posterior means with the best tree, likewise
    std::uint32_t ranks_started = 0;
    std::vector<PeId> ranks_lost;
    std::string failure_plan;
    std::vector<Recovery> recoveries;
    std::uint64_t evaluations = 0;
    Checkpoints checkpoints;
    double seconds = 0;
};

std::vector<std::uint32_t> numbers(std::vector<PeId> const& pes);

/// The log's line about a recovery.
std::string to_string(Recovery const& recovery);

/// The begin of the log: the command line, the seed and the model.
std::string title(Options const& options, Dataset const& dataset);

/// The end of the log: the result, the costs of failures, and where the files are.
std::string closing_lines(Options const& options, Result const& result);

/// The models with the values of their parameters, as a partition file.
std::string best_models(Dataset const& dataset, SearchState const& state);

/// How to find out whether output files can be written: one PE tries, and the others look.
enum class Trial : std::uint8_t { look, write };

/// Throws InputError if an output file exists and must not be overwritten, unless it belongs to a job that was ended
/// early. If all files are there that belong to a job, returns the identity of that job instead. Throws OutputError if
/// files could not be written at the end. With Trial::write, also removes what a job has left that was ended early.
std::optional<std::uint64_t> prepare_output(Options const& options, std::span<std::string const> own_files,
                                            Trial trial);

/// Says of an output file that it exists, and what to do; empty if there is none.
std::string existing_output(Options const& options);
/// Throws InputError with this text if there is one.
void refuse_existing(Options const& options);

/// Removes output files that an earlier job with the same prefix left and this one has not written: they would not
/// belong to this job.
void remove_outputs_but(std::set<std::string> const& extensions, Options const& options);

/// A job, and the extensions of all files that it has written.
struct FinishedJob {
    std::uint64_t identity;
    std::set<std::string> files;
};

/// The text of PREFIX.json.
std::string to_json(Options const& options, Dataset const& dataset, Result const& result, FinishedJob const& job);
/// The job that has written a file with such a text; none if the file is not there, or is another.
std::optional<FinishedJob> finished_job(std::filesystem::path const& json);

}  // namespace regraft::phylo
