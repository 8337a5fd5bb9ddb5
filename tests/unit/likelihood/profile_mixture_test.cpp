// Profile mixtures: their names, and their likelihoods as IQ-TREE computes them.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/patterns.hpp"
#include "support/likelihood/model_complaint.hpp"
#include "unit/data_path.hpp"

namespace regraft::likelihood {
namespace {

using test::complaint;

TEST(ProfileMixture, HasAsManyClassesAsItsNameSays) {
    for (std::size_t const size : {10, 20, 30, 40, 50, 60}) {
        auto const name = "C" + std::to_string(size);
        auto const spec = parse_model("LG+" + name + "+G4");
        ASSERT_EQ(spec.profiles.size(), size);
        EXPECT_EQ(spec.num_site_categories(), 4 * size);
        EXPECT_EQ(free_parameters(spec), 1u) << "alpha";
        double weight = 0;
        for (auto const& [share, frequencies] : spec.profiles) {
            weight += share;
            EXPECT_NEAR(std::accumulate(frequencies.begin(), frequencies.end(), 0.0), 1, 1e-9) << name;
        }
        EXPECT_NEAR(weight, 1, 2e-9) << name;
        EXPECT_EQ(parse_model(name).name, "Poisson");
    }
}

TEST(ProfileMixture, HasOneClassMoreForFrequenciesInTheName) {
    for (auto const* text : {"LG+C20+F", "LG+FC+C20", "LG+C20+FO", "LG+C20+FE", "Poisson+c20+F"}) {
        auto const spec = parse_model(text);
        EXPECT_EQ(spec.num_classes(), 21u) << text;
        EXPECT_EQ(spec.class_weights_from, Origin::optimised) << text;
    }
    EXPECT_EQ(parse_model("PROTGTR+C20").num_classes(), 20u);
    EXPECT_EQ(free_parameters(parse_model("LG+C20+F")), 19u + 20u);
    EXPECT_EQ(free_parameters(parse_model("LG+C20Opt")), 19u);
}

TEST(ProfileMixture, TakesWeights) {
    auto const spec = parse_model("C10{1/2/3/4/5/6/7/8/9/10}");
    EXPECT_EQ(spec.given.class_weights.back(), 10);
    EXPECT_EQ(spec.class_weights_from, Origin::fixed);
    EXPECT_NE(complaint("C10{1/2}").find("gives 2 values, expected 10"), std::string::npos);
    EXPECT_NE(complaint("LG+C10{1/2/3/4/5/6/7/8/9/10}+F").find("expected 11"), std::string::npos);
    EXPECT_NE(complaint("C10{0/0/0/0/0/0/0/0/0/0}").find("only weights of 0"), std::string::npos);
}

TEST(ProfileMixture, IsRefusedWhereItHasNoMeaning) {
    EXPECT_NE(complaint("GTR+C10").find("of amino acids"), std::string::npos);
    EXPECT_NE(complaint("LG4X+C10").find("several matrices"), std::string::npos);
    EXPECT_NE(complaint("LG+C10+C20").find("second of its kind"), std::string::npos);
    EXPECT_NE(complaint("LG+C15").find("unknown"), std::string::npos);
    EXPECT_NE(complaint("LG+C10Opt{1}").find("takes no values"), std::string::npos);
}

struct Globins {
    msa::Alignment alignment = msa::read_alignment(std::string(REGRAFT_DATA) + "/globins.phy");
    msa::Tree tree = msa::parse_newick(
        "(HBB_HUMAN:0.0216607012,HBB_HORSE:0.1501065338,((HBA_HUMAN:0.0395168990,HBA_HORSE:0.0843801865):0.2381567128,"
        "((MYG_PHYCA:1.2121288480,LGB2_LUPLU:1.5868454554):0.1196922498,GLB5_PETMA:0.6627367829):0.4598718458):"
        "0.6354961980);",
        "globins.nwk", alignment.names);
    Sites sites;

    Globins() : sites{std::vector<std::uint32_t>(alignment.num_sites(), 1), {}} {
        for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon)
            sites.rows.emplace_back(alignment.row(taxon));
    }

    Partition partition(ModelSpec const& spec) const {
        Partition result(tree, 0, 20, msa::state_masks(spec.alphabet), sites, {.total_weight = alignment.num_sites()});
        result.set_model(site_model(spec, start_model(spec, {})));
        return result;
    }
};

double loglh(Partition& partition) {
    FixedSum sum;
    partition.add_loglh(0, sum);
    return sum.value(partition.loglh_scale());
}

// iqtree2 2.0.7: -s globins.phy -m MODEL -a 0.8 -te TREE -blfix -wsl, summed over the sites. Its C10 to C60 imply +G4.
TEST(ProfileMixture, HasTheLikelihoodsOfIqTree) {
    struct Known {
        char const* model;
        double loglh;
    };
    Globins const globins;
    for (auto const& [model, expected] : {
             Known{"C10+G4{0.8}", -1765.54929},
             Known{"LG+C20+G4{0.8}", -1797.58799},
             Known{"LG+C20+I{0.1}+G4{0.8}", -1802.76171},
             Known{"C30+G4{0.8}", -1768.89454},
             Known{"C40+G4{0.8}", -1771.61894},
             Known{"C50+G4{0.8}", -1773.54934},
         }) {
        auto partition = globins.partition(parse_model(model));
        EXPECT_NEAR(loglh(partition), expected, 1e-3) << model;
    }
}

TEST(ProfileMixture, HasTheLikelihoodOfIqTreeWithItsLeastWeight) {
    Globins const globins;
    auto const spec = parse_model("C60+G4{0.8}");
    auto model = start_model(spec, {});
    for (auto const& profile : spec.profiles) model.class_weights.push_back(std::max(profile.weight, 0.001));
    auto partition = globins.partition(spec);
    partition.set_model(site_model(spec, model));
    EXPECT_NEAR(loglh(partition), -1774.99457, 1e-3);
}

TEST(ProfileMixture, KeepsLikelihoodsOfNodesWhileOnlyWeightsChange) {
    Globins const globins;
    auto const spec = parse_model("LG+C20Opt+R2{1/3}{1/1}");
    auto model = start_model(spec, {});
    auto partition = globins.partition(spec);
    auto const before = loglh(partition);
    auto const updates = partition.num_updates();
    model.class_weights[3] *= 2;
    partition.set_model(site_model(spec, model));
    auto const changed = loglh(partition);
    EXPECT_NE(changed, before);
    EXPECT_EQ(partition.num_updates(), updates);

    auto anew = globins.partition(spec);
    anew.set_model(site_model(spec, start_model(parse_model("LG+C20+R2{1/30}{1/1}"), {})));
    anew.set_model(site_model(spec, model));
    EXPECT_EQ(loglh(anew), changed);
    EXPECT_GT(anew.num_updates(), updates / 2);
}

TEST(ProfileMixture, SharesOfCategoriesAreSumsOfTheirPosteriors) {
    Globins const globins;
    auto partition = globins.partition(parse_model("LG+C10+I{0.1}+G4{0.8}"));
    auto const posteriors = partition.category_posteriors(0);
    std::vector<FixedSum> sums(41);
    partition.add_category_shares(0, sums);
    double total = 0;
    for (std::size_t c = 0; c < sums.size(); ++c) {
        double expected = 0;
        for (auto i = c; i < posteriors.size(); i += sums.size()) expected += posteriors[i];
        EXPECT_NEAR(sums[c].value(partition.share_scale()), expected, 1e-9);
        total += sums[c].value(partition.share_scale());
    }
    EXPECT_NEAR(total, 128, 1e-9);
}

}  // namespace
}  // namespace regraft::likelihood
