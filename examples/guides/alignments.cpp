// alignments data/primates.phy RESULT.rgm: reads an alignment, looks at its columns, compresses it, and reads parts of
// it again.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <regraft/codec/guide_tree.hpp>
#include <regraft/codec/pack.hpp>
#include <regraft/codec/rgm.hpp>
#include <regraft/core/errors.hpp>
#include <regraft/disk/new_file.hpp>
#include <regraft/msa/alignment.hpp>
#include <regraft/msa/partition.hpp>
#include <regraft/msa/patterns.hpp>

using namespace regraft;

namespace {

constexpr auto tree =
    "((Tarsius_syrichta,Lemur_catta),(Saimiri_sciureus,((Macaca_fuscata,M_mulatta,M_fascicularis,M_sylvanus),"
    "(Hylobates,(Pongo,(Gorilla,(Homo_sapiens,Pan)))))));";

unsigned count(std::uint64_t n) {
    return static_cast<unsigned>(n);
}

std::string read_text(char const* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) return 2;
    auto const alignment = msa::read_alignment(argv[1]);  // or msa::parse_alignment(text, name)
    std::printf("%u taxa, %u sites\n", count(alignment.num_taxa()), count(alignment.num_sites()));

    // Partitions, and the different columns of each.
    std::vector<msa::PartitionSites> partitions;
    auto const specs =
        msa::parse_partitions("GTR, front = 1-400\nGTR, back = 401-898\n", "<text>", alignment.num_sites());
    for (auto const& spec : specs) partitions.push_back({msa::Alphabet::dna, msa::sites_of(spec)});
    auto const patterns = msa::compress_patterns(alignment, partitions);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        auto const first = patterns.partition_begin[i];
        auto const weights = std::span(patterns.weight).subspan(first, patterns.partition_begin[i + 1] - first);
        std::printf("%s: %u sites, %u patterns, the most frequent at %u sites\n", specs[i].name.c_str(),
                    count(partitions[i].sites.size()), count(weights.size()), count(std::ranges::max(weights)));
    }

    // Compressed to a file that appears whole or not at all.
    auto const text = read_text(argv[1]);
    auto const packed = codec::pack(text, argv[1]);
    disk::NewFile target(argv[2]);
    target.write(packed.bytes);
    target.sync();
    target.appear();
    std::printf("%u bytes become %u\n", count(text.size()), count(packed.bytes.size()));

    // Parts of the file. Other blocks are neither read nor decoded.
    codec::RgmFile const file(codec::open_bytes(argv[2]));
    auto const part = file.read({SiteId{100}, SiteId{103}}).rows({SiteId{100}, SiteId{103}});
    for (auto const* name : {"Homo_sapiens", "Pan"}) {
        auto const taxon = std::ranges::find(file.names(), name) - file.names().begin();
        std::printf("sites 100 to 102 of %s: %s\n", name, std::string(part.row(count(taxon))).c_str());
    }
    std::printf("the whole text is %s\n", file.text() == text ? "the same" : "another one");

    // The tree along which it was compressed, and another one to compress along.
    std::printf("%s\n", file.newick().c_str());
    auto const given = [](msa::Alignment const& taxa) {
        return codec::guide_tree_from_newick(tree, "<tree>", taxa.names);
    };
    std::printf("along the given tree %u bytes\n", count(codec::pack(text, argv[1], {.tree = given}).bytes.size()));
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
