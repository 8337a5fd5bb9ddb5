// thesis_coding ALIGNMENT: the coding of Huebner 2020. The tree takes two bits per inner node (binary Newick). A site
// is the state of the root, a bit per base, and an XOR mask for each edge whose ends differ; without MPI.
#include <cstdio>
#include <vector>

#include "regraft/codec/binary_newick.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/thesis.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"

using namespace regraft;

namespace {

void run(char const* name) {
    auto const alignment = msa::read_alignment(name);
    auto const num_taxa = alignment.num_taxa();
    auto const tree = codec::guide_tree(alignment);

    auto const topology = codec::encode_topology(tree);
    bool const is_same = codec::decode_topology(topology, tree.row_of_tip) == tree;
    std::printf("the tree of %zu taxa takes %zu bytes, as Newick %zu, and comes back %s\n", num_taxa, topology.size(),
                codec::to_newick(tree, alignment.names).size(), is_same ? "equal" : "changed");

    // A block for each site, so that the number of records of each block follows from its layers.
    auto const columns = codec::encode_columns(alignment, tree, {.kind = codec::Kind::thesis, .sites_per_block = 1});
    codec::ColumnDecoder const decoder(columns.kind, columns.model, codec::decode_topology(topology, tree.row_of_tip));
    constexpr std::uint32_t state_bits = 4;  // A, C, G and T have one bit each
    std::size_t records = 0;
    std::size_t as_predicted = 0;
    std::size_t equal_cells = 0;
    std::vector<char> column(num_taxa);
    for (std::size_t site = 0; site < columns.blocks.size(); ++site) {
        auto const block = columns.blocks[site];
        std::uint32_t here = 0;
        for (auto const& [layer, bits] : decoder.layers(block, 1))
            if (layer == "masks") here = static_cast<std::uint32_t>(bits) / state_bits;
        records += here;
        codec::ThesisBlockShape const shape{tree.num_tips(), state_bits, 1, here, here};
        as_predicted += block.size() == codec::thesis_block_bytes(shape) ? 1 : 0;
        decoder.decode(block, 1, {0, 1}, {.begin = column.data()});
        for (std::size_t taxon = 0; taxon < num_taxa; ++taxon)
            equal_cells += column[taxon] == alignment.cell(taxon, site) ? 1 : 0;
    }
    std::printf("%zu of %zu blocks have the size of the formula; a record takes %u bits\n", as_predicted,
                columns.blocks.size(), state_bits + codec::thesis_edge_bits(tree.num_tips()));
    std::printf("%zu of %zu cells came back from %zu records\n", equal_cells, alignment.cells.size(), records);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    run(argv[1]);
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
