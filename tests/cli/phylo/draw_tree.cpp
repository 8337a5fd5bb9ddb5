// draw_tree TREE TAXA SUPPORTS TITLE [OUTGROUP...]: draws a Newick tree whose taxa are the lines of a file. SUPPORTS is
// a seed, or 0 for none.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/newick.hpp"
#include "trees/tree_picture.hpp"

int main(int argc, char** argv) {
    using namespace regraft;
    if (argc < 5) return 2;
    std::vector<std::string> taxa;
    std::ifstream file(argv[2]);
    for (std::string line; std::getline(file, line);) taxa.push_back(line);
    auto const tree = msa::read_newick(argv[1], taxa);
    auto const seed = std::strtoull(argv[3], nullptr, 10);
    std::vector<std::string> supports;
    if (seed != 0) {
        Random random(seed);
        for (std::uint32_t i = 0; i < tree.num_edges(); ++i) supports.push_back(std::to_string(random.below(101)));
    }
    phylo::PictureOptions options{.title = argv[4], .outgroup = {}, .numbers = "percentage of trees"};
    for (int i = 5; i < argc; ++i)
        options.outgroup.push_back(static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)));
    std::cout << phylo::tree_svg(tree, taxa, supports, options);
    return 0;
}
