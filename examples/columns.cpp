// columns ALIGNMENT: an alignment, compressed in memory, of which four ranks decode a quarter each.
#include <cstdio>
#include <vector>

#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/msa/alignment.hpp"

using namespace regraft;

namespace {

/// The cells of some sites, [site][taxon], in the layout of a likelihood kernel.
std::vector<char> columns(codec::CompressedAlignment const& compressed, SiteRange sites) {
    std::vector<char> cells(sites.size() * compressed.num_taxa());
    compressed.decode(sites, {.begin = cells.data(), .row_stride = 1, .site_stride = compressed.num_taxa()});
    return cells;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    auto const alignment = msa::read_alignment(argv[1]);
    auto const compressed = codec::CompressedAlignment::encode(alignment, codec::guide_tree(alignment));

    constexpr std::uint64_t num_ranks = 4;
    std::uint64_t equal = 0;
    for (std::uint64_t rank = 0; rank < num_ranks; ++rank) {
        auto const mine = even_part<SiteId>(alignment.num_sites(), rank, num_ranks);
        auto const cells = columns(compressed, mine);
        auto const blocks = compressed.bytes(mine);  // what the rank would store, or send to others
        std::printf("rank %d: %zu cells from %zu blocks\n", static_cast<int>(rank), cells.size(), blocks.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            auto const site = value(mine.first) + i / alignment.num_taxa();
            equal += cells[i] == alignment.cell(i % alignment.num_taxa(), site) ? 1 : 0;
        }
    }
    std::printf("%llu of %zu cells came back\n", static_cast<unsigned long long>(equal), alignment.cells.size());
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
