#include "options/parts.hpp"

namespace regraft::phylo {
namespace {

constexpr char const* what_genes_does =
    "Searches a tree for each partition: the tree of a gene. It has the taxa with data in that partition, of which there\n"
    "must be at least four. Each search starts from a parsimony tree of its own. Ranks work on different genes.\n"
    "\n"
    "With auto, the models are chosen first, on a parsimony tree of all partitions.\n"
    "\n"
    "Output: PREFIX.geneTrees (a line per partition, in their order, for concordance), PREFIX.bestModel (for\n"
    "--partitions), PREFIX.json, .log; log-likelihoods are sums over the genes. With --bs-trees N also\n"
    "PREFIX.geneBootstraps: the trees of the first replicate in the order of the partitions, then those of the second,\n"
    "and so on. Exit codes as for search.";

}  // namespace

CommandHelp const genes_help{Command::genes, "genes", "find a tree for each partition, as concordance takes them",
                             "  regraft-phylo genes --msa genes.phy --partitions genes.part --prefix genes\n"
                             "  regraft-phylo search --msa genes.phy --partitions genes.part --prefix all\n"
                             "  regraft-phylo genes --msa genes.phy --partitions genes.part --bs-trees 100\n"
                             "  regraft-phylo concordance --tree all.bestTree --gene-trees genes.geneTrees\n",
                             what_genes_does};

}  // namespace regraft::phylo
