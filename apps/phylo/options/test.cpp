#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_test_does =
    "Tests which of the given trees the data reject. Branch lengths and models are optimised for each tree, as evaluate\n"
    "does; --model PREFIX.bestModel keeps one model for all. Then sites are resampled, and the log-likelihoods of the\n"
    "resampled sites, without optimising again (RELL), tell how much of a difference is chance:\n"
    "\n"
    "  bp    share of the samples in which the tree is the best (Kishino et al. 1990)\n"
    "  kh    p-value against the best other tree, for two trees chosen before the data were seen (Kishino, Hasegawa 1989)\n"
    "  sh    p-value against all trees, conservative, more so the more trees there are (Shimodaira, Hasegawa 1999)\n"
    "  wkh, wsh  the same two with differences in standard deviations\n"
    "  elw   expected likelihood weight (Strimmer, Rambaut 2002)\n"
    "  au    p-value of the approximately unbiased test, from samples of ten sizes: recommended (Shimodaira 2002)\n"
    "\n"
    "A tree is rejected if its p-value is below 0.05, or if it is outside of the smallest set of trees whose bp or elw\n"
    "add up to 0.95. All trees should be there that are plausible, the best one included, and none should be chosen by\n"
    "these data, except by sh and au.\n"
    "\n"
    "Output: PREFIX.test (a table), PREFIX.mlTrees (all trees with their branch lengths), PREFIX.siteLH with --sitelh,\n"
    "PREFIX.bestTree, .svg, .bestModel (of the likeliest tree), .json, .log. Exit codes as for search.";

void add_test(CLI::App& app, Options& options, Command command) {
    if (command != Command::test) return;
    add_number(app, "--samples", options.test.samples, 1U, 10'000'000U,
               "samples of the sites, of each of ten sizes (default 10000)");
}

}  // namespace

Part const test_part{"Support", add_test};

CommandHelp const test_help{
    Command::test, "test", "test which of given trees the data reject: AU, SH, KH, bootstrap proportions",
    "  regraft-phylo test --msa a.phy --model GTR+G --trees hypotheses.nwk\n"
    "  regraft-phylo test --msa a.phy --model a.phy.regraft.bestModel --trees hypotheses.nwk --sitelh\n",
    what_test_does};

}  // namespace regraft::phylo
