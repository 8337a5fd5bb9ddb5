// likelihood ALIGNMENT: the log-likelihood of a parsimony tree, and a step of Newton's method at one branch; without
// MPI.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/patterns.hpp"

using namespace regraft;

namespace {

likelihood::Sites sites_of(msa::Patterns const& patterns) {
    likelihood::Sites sites{patterns.weight, std::vector<std::string>(patterns.num_taxa)};
    for (std::size_t i = 0; i < patterns.num_patterns(); ++i) {
        for (std::size_t taxon = 0; taxon < patterns.num_taxa; ++taxon) {
            sites.rows[taxon].push_back(patterns.column(i)[taxon]);
        }
    }
    return sites;
}

void run(char const* file) {
    constexpr auto model_name = "GTR+FC+G4m";
    constexpr auto alphabet = msa::Alphabet::dna;
    auto const alignment = msa::read_alignment(file);
    auto const whole = msa::whole_alignment(model_name, alignment.num_sites());
    std::array const partitions{msa::PartitionSites{alphabet, msa::sites_of(whole)}};
    auto const patterns = msa::compress_patterns(alignment, partitions);
    auto tree = msa::stepwise_addition(patterns, 1);

    likelihood::Partition partition(tree, 0, 4, msa::state_masks(alphabet), sites_of(patterns),
                                    {.total_weight = alignment.num_sites()});
    auto const spec = likelihood::parse_model(model_name);
    auto const counted = msa::empirical_frequencies(msa::count_states(patterns, 0), 4);
    partition.set_model(likelihood::site_model(spec, likelihood::start_model(spec, {counted})));

    auto const loglh = [&] {
        FixedSum sum;
        partition.add_loglh(0, sum);
        return sum.value(partition.loglh_scale());
    };
    std::printf("log-likelihood %.10f\n", loglh());

    // One step of Newton's method at the branch of the first taxon.
    msa::HalfEdge const branch = 0;
    std::array<FixedSum, 3> sums;
    partition.focus(branch);
    partition.add_derivatives(tree.length(branch), sums);
    auto const scales = partition.derivative_scales();
    auto const slope = sums[1].value(scales[1]);
    auto const curvature = sums[2].value(scales[2]);
    std::printf("slope %.6f, curvature %.6f at length %.6f\n", slope, curvature, tree.length(branch));
    if (curvature >= 0) return;
    tree.set_length(branch, std::max(1e-6, tree.length(branch) - slope / curvature));
    partition.invalidate_matrix(branch);
    // CLVs that see the branch from the other side would be invalid, too; an evaluation at the branch uses none of
    // them.
    std::printf("log-likelihood %.10f at length %.6f\n", loglh(), tree.length(branch));
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    run(argv[1]);
    return 0;
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
