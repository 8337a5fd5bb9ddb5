#include "report/agreement.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::phylo {
namespace {

msa::Tree parse(char const* text) {
    std::vector<std::string> const names{"a", "b", "c", "d", "e"};
    return msa::parse_newick(text, "test", names);
}

TEST(Agreement, OfEqualTreesIsOne) {
    std::vector<msa::Tree> const trees(5, msa::random_tree(9, 1));
    EXPECT_EQ(agreement_of_halves(trees), 1);
    EXPECT_EQ(agreement_of_halves(std::vector<msa::Tree>(2, msa::random_tree(3, 1))), 1);
}

TEST(Agreement, IsTheCorrelationOfShares) {
    // The splits ab, de, ac and ce have the shares 1/2, 1, 1/2, 0 in the even half and 1, 1/2, 0, 1/2 in the odd one.
    auto const one = parse("((a,b),c,(d,e));");
    auto const other = parse("((a,c),b,(d,e));");
    auto const third = parse("((a,b),d,(c,e));");
    std::vector<msa::Tree> const trees{one, one, other, third};
    double const even[] = {0.5, 1, 0.5, 0};
    double const odd[] = {1, 0.5, 0, 0.5};
    double product = 0;
    double squares[] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        product += (even[i] - 0.5) * (odd[i] - 0.5);
        squares[0] += (even[i] - 0.5) * (even[i] - 0.5);
        squares[1] += (odd[i] - 0.5) * (odd[i] - 0.5);
    }
    EXPECT_NEAR(agreement_of_halves(trees), product / std::sqrt(squares[0] * squares[1]), 1e-12);
}

}  // namespace
}  // namespace regraft::phylo
