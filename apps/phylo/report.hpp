// What the user sees: a log while the search runs, and files at its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input.hpp"
#include "options.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/msa/convergence.hpp"
#include "search.hpp"

namespace regraft::phylo {

/// One recovery, timed by the PE that tells of it. Bytes and blocks are sums over all PEs.
struct Recovery {
    std::vector<PeId> lost;
    std::size_t survivors = 0;
    std::string during;       // what the search was doing
    std::string noticed_in;   // the call that failed
    double silence_ms = 0;    // since the last call that succeeded: the failure was noticed within this time
    double shrink_ms = 0;     // to a communicator of the survivors
    double reassign_ms = 0;   // to decide who takes over what
    double load_ms = 0;       // to load it from the store
    double repair_ms = 0;     // to make the replicas again that the store had lost
    double reread_ms = 0;     // to read what no survivor holds from the file
    double restore_ms = 0;    // to be where the last checkpoint was
    double work_lost_ms = 0;  // between the last checkpoint and the failure
    std::uint64_t work_lost_evaluations = 0;
    std::uint64_t new_pairs = 0;  // (PE, partition) pairs that came up
    std::uint32_t b = 0;          // blocks that the busiest sender sent
    std::uint32_t rounds = 0;
    std::uint64_t blocks_taken_over = 0;
    std::uint64_t blocks_reread = 0;  // had no living holder
    std::uint64_t bytes_loaded = 0;   // from the store
    std::uint64_t bytes_repaired = 0;
};

/// What the job kept for the case that ranks die: in memory, and on disk for the death of all.
struct Checkpoints {
    std::uint64_t count = 0;  // in memory
    double ms = 0;            // for all of them, those on disk included
    std::uint64_t on_disk = 0;
    std::uint64_t bytes_on_disk = 0;  // of the last one
    double disk_ms = 0;
    struct Resumed {
        std::string search;  // empty: the only one
        std::string during;
        double loglh;
    };
    std::vector<Resumed> resumed_from;  // searches that were under way
    bool resumed = false;
};

/// What became of a start tree.
struct StartResult {
    std::string start;
    SearchState state;
};

/// How well the inner edges of the best tree are supported: per edge, in the order of Tree::edges(), NaN at tips; or
/// none.
struct Supports {
    std::vector<double> felsenstein;  // and the next: of the bootstrap, see msa::SupportMetric
    std::vector<double> transfer;
    std::vector<double> alrt;  // SH-like approximate likelihood ratio test
};

/// All that the output files contain.
struct Result {
    explicit Result(SearchState final_state) : state(std::move(final_state)) {}

    SearchState state;  // the best
    std::vector<double> partition_loglh;
    std::vector<StartResult> starts;
    std::vector<msa::Tree> replicates;
    std::optional<msa::Convergence> convergence;  // of the replicates, if they were to converge
    Supports supports;
    std::uint32_t ranks_started = 0;
    std::vector<PeId> ranks_lost;
    std::string failure_plan;
    std::vector<Recovery> recoveries;
    std::uint64_t evaluations = 0;
    Checkpoints checkpoints;
    double seconds = 0;
};

/// Every PE keeps the log; the leading one also prints it, and on a terminal shows progress between the lines.
class Log {
public:
    /// Where lines go: nowhere while a run is only rehearsed.
    enum class Voice : std::uint8_t { silent, lines, lines_and_progress };
    explicit Log(Voice voice) : voice_(voice) {}

    void line(std::string const& text, bool leads);
    /// What an earlier job has left in the file.
    enum class Earlier : std::uint8_t { goes, stays };
    /// From now on the PE that leads writes the lines to a file as well, those that were said before first. If it
    /// cannot, it says so, and the search goes on.
    void keep_in(std::filesystem::path path, Earlier earlier, bool leads);
    /// No more lines go to the file.
    void close_file() { file_.reset(); }
    /// All that is in the file, or was said, with this as the last line.
    std::string with(std::string const& text) const;
    /// Why standard output has not got all lines; empty if it has.
    std::string const& problem() const { return problem_; }
    /// Replaces the last progress line, at most ten times a second.
    void progress(std::string const& text, bool leads);
    /// Seconds since the log was started.
    double seconds() const;

private:
    using Clock = std::chrono::steady_clock;
    void clear_progress();
    std::string stamped(std::string const& text) const;
    void print(std::string_view text);
    void append(std::string_view text);
    void give_up(std::string const& why);
    Voice voice_;
    std::string text_;
    std::string problem_;
    std::optional<std::filesystem::path> file_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_progress_{};
    std::size_t progress_width_ = 0;
};

/// A line for the log.
std::string to_string(Recovery const& recovery);

/// The begin of the log: the command line, the seed and the model.
std::string title(Options const& options);

/// The end of the log: what came out, what failures cost, where the files are.
std::string closing_lines(Options const& options, Result const& result);

/// How the choice of models came out: per partition the best ten of those tried, and how many those were.
std::vector<std::string> choice_lines(Dataset const& dataset, SearchState const& state, Criterion criterion);

/// The models with the values of their parameters, as a partition file.
std::string best_models(Dataset const& dataset, SearchState const& state);

/// How to find out whether output files can be written: by one PE by trying, by the others by looking.
enum class Trial : std::uint8_t { look, write };

/// Throws InputError if an output file exists and must not be overwritten, unless it is that of a job that was ended
/// before it could be, and OutputError if none could be written at the end. By trying also removes what such a job
/// left.
void prepare_output(Options const& options, Trial trial);

/// Removes what an earlier job of the same prefix has left, and this one has not written: it would not belong to it.
void remove_outputs_but(std::set<std::string> const& extensions, Options const& options);

/// Texts by the files that they are to be in.
using FileTexts = std::vector<std::pair<std::filesystem::path, std::string>>;

/// Writes all files completely or, if one cannot be written, none: see disk::appear. Throws OutputError.
void write_files(FileTexts const& texts);

/// PREFIX.json as text.
std::string to_json(Options const& options, Dataset const& dataset, Result const& result);

}  // namespace regraft::phylo
