// What the user asks for on the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/alignment_input.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/search.hpp"
#include "trees/tree_options.hpp"

namespace regraft::phylo {

using namespace search;

/// What is resampled for the replicates of gene trees: sites in each gene, or genes and then sites in them.
enum class Sampling : std::uint8_t { sites, genesites };

enum class Command : std::uint8_t { check, loglh, evaluate, test, search, merge, genes };
/// The word that selects it.
char const* name(Command command);

/// The options of a job. Each part has a file beside this one that reads, explains and checks it.
struct Options {
    std::string command_line;  // as the user gave it
    Command command = Command::search;

    struct Input {
        std::filesystem::path msa;
        common::Names names = common::Names::first;  // what the names of taxa in FASTA are
        std::string model;                           // empty: those of the partitions; `auto` if there are none
        std::string models;                          // names of those among which is chosen; empty: all
        std::string rates;                           // heterogeneities among which is chosen; empty: all
        Criterion criterion = Criterion::bic;        // criterion for the choice of models, and for merging partitions
        std::filesystem::path partitions;            // empty: all sites share the model
        std::filesystem::path site_weights;          // file with the weight of each site; empty: all 1
        msa::NotSnp not_snps = msa::NotSnp::refuse;  // what is done with records of VCF that are no SNPs
        std::vector<std::uint32_t> constant_sites;   // numbers of those with A, C, G, T, not in the alignment; or empty
        std::filesystem::path site_frequencies;  // file with the frequencies of each site; empty: those of the model
        std::filesystem::path reduced;           // file for the alignment without duplicates and gaps; empty: none
        BranchLinkage linkage = BranchLinkage::scaled;
        std::filesystem::path tree;        // file with the user's trees; empty: see starts
        bool fix_lengths = false;          // whether their lengths stay
        std::filesystem::path constraint;  // file with a tree that all trees must agree with; empty: none

        common::Reading reading() const { return {names, not_snps}; }
        /// The file that stands for the alignment in messages: that of the partitions, if these name alignments and
        /// there is no --msa.
        std::filesystem::path const& source() const { return msa.empty() ? partitions : msa; }
        /// The files that are read; names that are empty, or a model that is none, may be among them.
        std::vector<std::string> files() const;
    } input{};

    struct Search {
        std::string starts;  // further start trees, by rule (parse_starts), or "tree": none; empty: as many as pay
        Effort effort = Effort::automatic;
        std::uint32_t spr_radius = 20;
        std::uint64_t seed = 1;
    } search{};

    struct Supports {
        bool all = false;                        // supports for the best tree as well
        std::uint32_t replicates = 0;            // largest number of bootstrap replicates
        Sampling sampling = Sampling::sites;     // for gene trees
        bool until_convergence = false;          // fewer replicates if they suffice
        std::uint32_t ultrafast_replicates = 0;  // replicates of the ultrafast bootstrap; 0: none
        std::uint32_t alrt_replicates = 0;       // replicates of SH-aLRT; 0: none
    } supports{};

    struct Test {
        std::uint32_t samples = 10'000;  // samples of each size, for tests of trees
    } test{};

    struct Merge {
        double share = 100;  // percentage of the pairs of partitions that are tried
    } merge{};

    struct Output {
        std::string prefix;                      // prefix of the output files
        bool redo = false;                       // overwrite the output files
        bool is_restart = false;                 // regraft-run has started this job before
        std::filesystem::path json;              // check: file for the findings; empty: none
        std::vector<std::string> outgroup;       // taxa at which trees are rooted when they are written
        TreeFormat format = TreeFormat::newick;  // nexus: write the best tree in this format, too
        std::optional<double> collapse;          // inner branches up to this length are not written; none: all are
        bool site_loglh = false;                 // write the log-likelihoods of single sites
        bool site_rates = false;                 // write the rates of single sites
        bool ancestral = false;                  // write the states of ancestors
        bool pmsf = false;                       // write the posterior mean frequencies of single sites
        bool profile = false;                    // report where ranks lose time

        std::filesystem::path path(std::string const& extension) const { return prefix + extension; }
        /// Whether results of single sites are written.
        bool writes_sites() const { return site_loglh || site_rates || ancestral || pmsf; }
        /// Whether what an earlier run has left is not gone on from.
        bool begins_anew() const { return redo && !is_restart; }
    } output{};

    struct Resources {
        std::uint32_t replicas = 3;
        std::uint32_t groups = 0;                  // groups of ranks that search side by side; 0: as many as pay
        double checkpoint_seconds = 60;            // between checkpoints on disk
        std::filesystem::path keep;                // folder of each node for what the next start goes on from; or none
        std::optional<double> time_limit_seconds;  // none: no limit
        std::uint32_t threads = 0;                 // per rank; 0: as many as pay
        std::uint64_t memory_mib = 0;              // per rank, for likelihoods; 0: as much as makes them faster
    } resources{};

    struct ForTests {
        std::uint32_t lookahead = 0;  // most subtrees whose moves share reductions; 0: as many as pay
        likelihood::Repeats repeats = likelihood::Repeats::automatic;
        std::string instructions;  // instructions of the kernels; empty: the best
        std::string fail;          // failure plan, or random:SEED:COUNT
    } for_tests{};

    /// Whether each rank must know which sites have which pattern.
    bool needs_sites() const {
        return output.writes_sites() || !input.site_weights.empty() || !input.constant_sites.empty() ||
               !input.site_frequencies.empty();
    }
    /// Whether the effort depends on how hard the data are.
    bool asks_for_difficulty() const { return command == Command::search && search.effort == Effort::automatic; }
};

/// The extensions of all files that a job may write. Files that it does not write must not remain from an earlier job.
std::vector<char const*> output_extensions();

/// The result of parsing the command line.
struct Parsed {
    std::optional<Options> options;  // none: no job is to be run
    std::string message;             // for the user: help, the list of points, or an error
    int exit_code = 0;
    std::optional<TreeOptions> trees = std::nullopt;  // a command on files of trees
};

/// Reads the command line. Never prints, never throws.
Parsed parse_command_line(int argc, char const* const* argv);

}  // namespace regraft::phylo
