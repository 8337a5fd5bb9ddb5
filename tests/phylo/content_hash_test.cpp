#include <set>

#include <gtest/gtest.h>

#include "input/input.hpp"
#include "regraft/likelihood/model.hpp"

namespace regraft::phylo {
namespace {

TEST(ContentHash, DependsOnWhatSetsOfStatesStandFor) {
    Dataset dataset;
    dataset.taxa = {"a", "b", "c", "d"};
    dataset.specs = {likelihood::parse_model("MULTI10_MK")};
    dataset.partition_begin = {0, 1};
    dataset.weights = {1};
    Digest const column{};
    std::set<std::uint64_t> hashes;
    for (auto const& sets : {std::vector<msa::StateMask>{3}, {0x201}, {0x101}, {3, 0x101}}) {
        dataset.sets = msa::SetCharacters::of(sets).value();
        hashes.insert(content_hash(dataset, {&column, 1}));
    }
    EXPECT_EQ(hashes.size(), 4u);
}

}  // namespace
}  // namespace regraft::phylo
