// search ALIGNMENT: the best tree that a search by maximum likelihood finds. Rank 1 dies on the way; the tree is the
// same, bit for bit.
#include <mpi.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/patterns.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/search.hpp"

using namespace regraft;

namespace {

constexpr auto model_name = "GTR+FC+G4m";
constexpr auto alphabet = msa::Alphabet::dna;

/// One partition of all sites, as patterns. Every rank has all of them here; examples/survive.cpp shows how ranks keep
/// parts of a larger input for each other.
msa::Patterns read_patterns(char const* file, std::vector<std::string>& taxa) {
    auto const alignment = msa::read_alignment(file);
    taxa = alignment.names;
    auto const whole = msa::whole_alignment(model_name, alignment.num_sites());
    std::array const partitions{msa::PartitionSites{alphabet, msa::sites_of(whole)}};
    return msa::compress_patterns(alignment, partitions);
}

/// The patterns that a rank computes on.
likelihood::Sites sites_of(msa::Patterns const& patterns, std::span<assign::Work const> work) {
    likelihood::Sites sites{{}, std::vector<std::string>(patterns.num_taxa)};
    for (auto const& piece : work) {
        for (auto i = value(piece.sites.first); i < value(piece.sites.last); ++i) {
            sites.weights.push_back(patterns.weight[i]);
            for (std::size_t taxon = 0; taxon < patterns.num_taxa; ++taxon)
                sites.rows[taxon].push_back(patterns.column(i)[taxon]);
        }
    }
    return sites;
}

search::SearchState first_state(msa::Patterns const& patterns) {
    auto const spec = likelihood::parse_model(model_name);
    auto const frequencies = msa::empirical_frequencies(msa::count_states(patterns, 0), 4);
    return search::start_state(search::Goal::tree, msa::stepwise_addition(patterns, 1), {spec},
                               {likelihood::start_model(spec, {frequencies})});
}

void run(char const* file) {
    ft::Communicator comm(MPI_COMM_WORLD);
    std::vector<std::string> taxa;
    auto const patterns = read_patterns(file, taxa);
    auto work = assign::balance(patterns.partition_begin, comm.members(), comm.num_founders());
    checkpoint::MiniCheckpoint saved(comm);

    auto const climb = [&] {
        auto state =
            saved.generation() == 0 ? first_state(patterns) : search::SearchState::from_bytes(saved.latest().shares[0]);
        std::array const sites{sites_of(patterns, work[value(comm.self())])};
        search::DistributedLikelihood likelihood(comm, state.tree, state.specs, state.models,
                                                 search::BranchLinkage::linked, sites,
                                                 {.total_weight = patterns.num_sites()});
        search::SearchOptions options;
        options.sites_per_partition = {patterns.num_sites()};
        while (!state.is_done()) {
            search::advance(state, likelihood, options);
            saved.commit_identical(state.to_bytes());
            if (comm.self() == PeId{1} && comm.size() > 1 && state.steps == 100) raise(SIGKILL);
        }
        return state;
    };
    auto const recover = [&](ft::Failure const&) { work = assign::reassign(work, comm.members()).after; };
    auto const best = ft::resilient(comm, climb, recover);
    if (comm.leads()) {
        std::printf("%s\nlog-likelihood %.10f after %llu steps, on %zu of %u ranks\n",
                    msa::to_newick(best.tree, taxa).c_str(), best.loglh, static_cast<unsigned long long>(best.steps),
                    comm.size(), comm.num_founders());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    MPI_Init(&argc, &argv);
    int code = 0;
    try {
        run(argv[1]);
    } catch (InputError const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 2;
    }
    MPI_Finalize();
    return code;
}
