#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/likelihood/model.hpp"
#include "support/likelihood/model_complaint.hpp"

namespace regraft::likelihood {
namespace {

using Classes = std::vector<std::uint32_t>;

constexpr std::array counted_dna{0.4, 0.3, 0.2, 0.1};

Model start_dna(std::string_view text) {
    return start_model(parse_model(text), {.frequencies = counted_dna});
}

using test::complaint;

TEST(ParseModel, KnowsTheDnaModelsOfTheTextbook) {
    struct Known {
        char const* name;
        Classes classes;
        std::uint32_t free_rates;
        bool equal_frequencies;
    };
    for (auto const& [name, classes, free_rates, equal] : {
             Known{"JC", {0, 0, 0, 0, 0, 0}, 0, true},     Known{"F81", {0, 0, 0, 0, 0, 0}, 0, false},
             Known{"K80", {0, 1, 0, 0, 1, 0}, 1, true},    Known{"HKY", {0, 1, 0, 0, 1, 0}, 1, false},
             Known{"TN93ef", {0, 1, 0, 0, 2, 0}, 2, true}, Known{"TN93", {0, 1, 0, 0, 2, 0}, 2, false},
             Known{"K81", {0, 1, 2, 2, 1, 0}, 2, true},    Known{"K81uf", {0, 1, 2, 2, 1, 0}, 2, false},
             Known{"TPM2", {0, 1, 0, 2, 1, 2}, 2, true},   Known{"TPM2uf", {0, 1, 0, 2, 1, 2}, 2, false},
             Known{"TPM3", {0, 1, 2, 0, 1, 2}, 2, true},   Known{"TPM3uf", {0, 1, 2, 0, 1, 2}, 2, false},
             Known{"TIM1", {0, 1, 2, 2, 3, 0}, 3, true},   Known{"TIM1uf", {0, 1, 2, 2, 3, 0}, 3, false},
             Known{"TIM2", {0, 1, 0, 2, 3, 2}, 3, true},   Known{"TIM2uf", {0, 1, 0, 2, 3, 2}, 3, false},
             Known{"TIM3", {0, 1, 2, 0, 3, 2}, 3, true},   Known{"TIM3uf", {0, 1, 2, 0, 3, 2}, 3, false},
             Known{"TVMef", {0, 1, 2, 3, 1, 4}, 4, true},  Known{"TVM", {0, 1, 2, 3, 1, 4}, 4, false},
             Known{"SYM", {0, 1, 2, 3, 4, 5}, 5, true},    Known{"GTR", {0, 1, 2, 3, 4, 5}, 5, false},
         }) {
        auto const spec = parse_model(name);
        EXPECT_EQ(spec.name, name);
        EXPECT_TRUE(spec.alphabet == msa::Alphabet::dna) << name;
        EXPECT_EQ(spec.rate_classes, classes) << name;
        EXPECT_EQ(spec.frequencies, equal ? Frequencies::equal : Frequencies::optimised) << name;
        EXPECT_EQ(free_parameters(spec), free_rates + (equal ? 0 : 3)) << name;
    }
}

TEST(ParseModel, KnowsOtherNamesOfTheSameModel) {
    for (auto const& [alias, name] : std::vector<std::array<char const*, 2>>{{"JC69", "JC"},
                                                                             {"K2P", "K80"},
                                                                             {"HKY85", "HKY"},
                                                                             {"TrN", "TN93"},
                                                                             {"TrNef", "TN93ef"},
                                                                             {"TPM1", "K81"},
                                                                             {"TPM1uf", "K81uf"},
                                                                             {"TPM2ef", "TPM2"},
                                                                             {"TIM1ef", "TIM1"},
                                                                             {"gtr", "GTR"},
                                                                             {"tn93EF", "TN93ef"},
                                                                             {"lg", "LG"},
                                                                             {"CPREV", "cpREV"},
                                                                             {"JTTDCMUT", "JTT-DCMut"}}) {
        EXPECT_EQ(parse_model(alias).name, name) << alias;
    }
    EXPECT_EQ(parse_model("gtr+fc+g4M+asc_lewis+bo").categories, 4u);
}

TEST(ParseModel, ReadsClassesOfRatesFromSixCharacters) {
    EXPECT_EQ(parse_model("DNA010020").rate_classes, parse_model("TN93").rate_classes);
    EXPECT_EQ(parse_model("DNAabaaca").rate_classes, parse_model("TN93").rate_classes);
    EXPECT_EQ(parse_model("DNA121141").rate_classes, parse_model("TN93").rate_classes);  // no class without pairs
    EXPECT_EQ(parse_model("dnaaAaabA").num_rate_classes(), 3u);                          // a and A differ
    EXPECT_EQ(parse_model("DNA999999").rates_from, Origin::fixed);
    EXPECT_EQ(parse_model("DNA010020").frequencies, Frequencies::optimised);
}

TEST(ParseModel, KnowsTheMatricesOfAminoAcids) {
    for (auto const* name : {"Blosum62", "cpREV", "Dayhoff",   "DCMut",   "DEN",       "FLU",     "HIVb",
                             "HIVw",     "JTT",   "JTT-DCMut", "LG",      "mtART",     "mtMAM",   "mtREV",
                             "mtZOA",    "PMB",   "rtREV",     "stmtREV", "VT",        "WAG",     "Q.bird",
                             "Q.insect", "Q.LG",  "Q.mammal",  "Q.pfam",  "Q.pfam_gb", "Q.plant", "Q.yeast"}) {
        auto const spec = parse_model(name);
        EXPECT_EQ(spec.name, name);
        EXPECT_TRUE(spec.alphabet == msa::Alphabet::amino_acid);
        EXPECT_EQ(free_parameters(spec), 0u) << name;
        ASSERT_EQ(spec.matrices.size(), 1u) << name;
        auto const& matrix = spec.matrices.front();
        EXPECT_NEAR(std::accumulate(matrix.frequencies.begin(), matrix.frequencies.end(), 0.0), 1, 4e-6) << name;
        EXPECT_GT(*std::min_element(matrix.frequencies.begin(), matrix.frequencies.end()), 0) << name;
        EXPECT_GE(*std::min_element(matrix.exchangeabilities.begin(), matrix.exchangeabilities.end()), 0) << name;
    }
    auto const protgtr = parse_model("PROTGTR");
    EXPECT_EQ(protgtr.num_rate_classes(), 190u);
    EXPECT_EQ(free_parameters(protgtr), 189u + 19u);
}

TEST(ParseModel, GivesMixturesAMatrixPerCategory) {
    auto const lg4m = parse_model("LG4M");
    ASSERT_EQ(lg4m.matrices.size(), 4u);
    EXPECT_EQ(lg4m.matrices[3].name, "LG4M4");
    EXPECT_EQ(lg4m.heterogeneity, Heterogeneity::gamma_mean);
    EXPECT_EQ(free_parameters(lg4m), 1u);

    auto const lg4x = parse_model("LG4X");
    ASSERT_EQ(lg4x.matrices.size(), 4u);
    EXPECT_EQ(lg4x.matrices[0].name, "LG4X1");
    EXPECT_EQ(lg4x.heterogeneity, Heterogeneity::free);
    EXPECT_EQ(free_parameters(lg4x), 6u);

    auto const with_gamma = parse_model("LG4X+G4{0.5}+FC");
    EXPECT_EQ(with_gamma.heterogeneity, Heterogeneity::gamma_mean);
    EXPECT_EQ(free_parameters(with_gamma), 19u);
}

TEST(ParseModel, KnowsBinaryAndMultistateData) {
    auto const bin = parse_model("BIN");
    EXPECT_TRUE(bin.alphabet == msa::Alphabet::binary);
    EXPECT_EQ(free_parameters(bin), 1u);

    auto const mk = parse_model("MULTI5_MK");
    EXPECT_TRUE(mk.alphabet == msa::Alphabet::multistate(5));
    EXPECT_EQ(mk.rate_classes, Classes(10));
    EXPECT_EQ(mk.frequencies, Frequencies::equal);
    EXPECT_EQ(free_parameters(mk), 0u);

    EXPECT_EQ(free_parameters(parse_model("MULTI2_GTR")), 1u);
    EXPECT_EQ(free_parameters(parse_model("MULTI64_GTR")), 2015u + 63u);
}

TEST(ParseModel, ReadsFrequencies) {
    EXPECT_EQ(parse_model("GTR+F").frequencies, Frequencies::counted);
    EXPECT_EQ(parse_model("GTR+FC").frequencies, Frequencies::counted);
    EXPECT_EQ(free_parameters(parse_model("GTR+FC")), 8u);
    EXPECT_EQ(parse_model("GTR+FE").frequencies, Frequencies::equal);
    EXPECT_EQ(free_parameters(parse_model("GTR+FE")), 5u);
    EXPECT_EQ(parse_model("LG+FO").frequencies, Frequencies::optimised);
    auto const given = parse_model("GTR+FU{0.1/0.2/0.3/0.4}");
    EXPECT_EQ(given.frequencies, Frequencies::given);
    EXPECT_EQ(given.given.frequencies, (std::vector{0.1, 0.2, 0.3, 0.4}));
    EXPECT_EQ(free_parameters(given), 5u);
}

TEST(ParseModel, ReadsInvariantSites) {
    EXPECT_EQ(parse_model("JC").invariant_from, Origin::fixed);
    EXPECT_EQ(parse_model("JC+I").invariant_from, Origin::optimised);
    EXPECT_EQ(parse_model("JC+IO").invariant_from, Origin::optimised);
    EXPECT_EQ(parse_model("JC+IC").invariant_from, Origin::counted);
    EXPECT_EQ(free_parameters(parse_model("JC+IC")), 1u);
    for (auto const* text : {"JC+I{0.25}", "JC+IU{0.25}"}) {
        EXPECT_EQ(parse_model(text).invariant_from, Origin::fixed);
        EXPECT_EQ(parse_model(text).given.invariant, 0.25);
    }
}

TEST(ParseModel, ReadsCategories) {
    EXPECT_EQ(parse_model("JC+G").categories, 4u);
    EXPECT_EQ(parse_model("JC+G").heterogeneity, Heterogeneity::gamma_mean);
    EXPECT_EQ(parse_model("JC+G64a").categories, 64u);
    EXPECT_EQ(parse_model("JC+G64a").heterogeneity, Heterogeneity::gamma_median);
    EXPECT_EQ(parse_model("JC+G2m").alpha_from, Origin::optimised);
    EXPECT_EQ(free_parameters(parse_model("JC+G2m")), 1u);
    auto const given = parse_model("JC+Ga{0.5}");
    EXPECT_EQ(given.categories, 4u);
    EXPECT_EQ(given.heterogeneity, Heterogeneity::gamma_median);
    EXPECT_EQ(given.alpha_from, Origin::fixed);
    EXPECT_EQ(given.given.alpha, 0.5);

    EXPECT_EQ(parse_model("JC+R").categories, 4u);
    EXPECT_EQ(free_parameters(parse_model("JC+R16")), 30u);
    auto const rates = parse_model("JC+R2{0.5/3}");
    EXPECT_EQ(rates.free_rates_from, Origin::fixed);
    EXPECT_EQ(rates.given.category_rates, (std::vector{0.5, 3.0}));
    EXPECT_EQ(rates.given.category_weights, (std::vector{1.0, 1.0}));
    EXPECT_EQ(parse_model("JC+R2{0.5/3}{0.9/0.1}").given.category_weights, (std::vector{0.9, 0.1}));
}

TEST(ParseModel, ReadsAscertainmentAndScaler) {
    EXPECT_EQ(parse_model("JC").ascertainment, Ascertainment::none);
    EXPECT_EQ(parse_model("JC+ASC_LEWIS").ascertainment, Ascertainment::lewis);
    auto const felsenstein = parse_model("JC+ASC_FELS{12}");
    EXPECT_EQ(felsenstein.ascertainment, Ascertainment::felsenstein);
    EXPECT_EQ(felsenstein.left_out, (std::vector{12U}));
    EXPECT_EQ(parse_model("JC+ASC_STAM{1/2/0/1e9}").left_out, (std::vector{1U, 2U, 0U, 1'000'000'000U}));
    EXPECT_FALSE(parse_model("JC").scaler_from);
    EXPECT_EQ(parse_model("JC+B").scaler_from, Origin::optimised);
    EXPECT_EQ(parse_model("JC+BO").scaler_from, Origin::optimised);
    EXPECT_EQ(parse_model("JC+B{2}").scaler_from, Origin::fixed);
    EXPECT_EQ(parse_model("JC+BU{2}").given.scaler, 2.0);
}

TEST(ParseModel, ReadsNamesOfOtherPrograms) {
    for (auto const& [theirs, ours] : std::vector<std::array<char const*, 2>>{{"TNe", "TN93ef"},
                                                                              {"TN+FQ", "TN93ef"},
                                                                              {"TIM", "TIM1uf"},
                                                                              {"TIM2e", "TIM2"},
                                                                              {"TIM3e", "TIM3"},
                                                                              {"TVMe", "TVMef"},
                                                                              {"K3Pu", "K81uf"},
                                                                              {"TPM2u", "TPM2uf"},
                                                                              {"TPM3u", "TPM3uf"},
                                                                              {"GTR20", "PROTGTR"},
                                                                              {"010020", "TN93"},
                                                                              {"012345+F+I+G4", "GTR+F+I+G4"},
                                                                              {"GTRGAMMA", "GTR+G"},
                                                                              {"GTRGAMMAI", "GTR+G+I"},
                                                                              {"GTRCAT", "GTR+G"},
                                                                              {"PROTGAMMALG", "LG+G"},
                                                                              {"PROTGAMMAIWAGF", "WAG+F+G+I"},
                                                                              {"PROTCATLGX", "LG+FO+G"},
                                                                              {"PROTGAMMADAYHOFF", "Dayhoff+G"},
                                                                              {"BINGAMMA", "BIN+G"},
                                                                              {"protgammaGTR", "PROTGTR+G"}}) {
        SCOPED_TRACE(theirs);
        auto their_spec = parse_model(theirs);
        auto const our_spec = parse_model(ours);
        EXPECT_EQ(their_spec.rate_classes, our_spec.rate_classes);
        EXPECT_EQ(their_spec.matrices.size(), our_spec.matrices.size());
        EXPECT_EQ(their_spec.frequencies, our_spec.frequencies);
        EXPECT_EQ(their_spec.heterogeneity, our_spec.heterogeneity);
        EXPECT_EQ(their_spec.categories, our_spec.categories);
        EXPECT_EQ(their_spec.invariant_from, our_spec.invariant_from);
        EXPECT_EQ(free_parameters(their_spec), free_parameters(our_spec));
    }
}

TEST(ParseModel, TakesGivenRatesAsFixed) {
    auto const gtr = parse_model("GTR{1/2/3/4/5/6}");
    EXPECT_EQ(gtr.rates_from, Origin::fixed);
    EXPECT_EQ(gtr.given.rates, (std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
    EXPECT_EQ(free_parameters(gtr), 3u);
    EXPECT_EQ(parse_model("HKY{1/4.5}").given.rates, (std::vector{1.0, 4.5}));
    EXPECT_EQ(parse_model("HKY{1e+01/4.5}+FE").given.rates, (std::vector{10.0, 4.5}));  // a plus sign within a number
}

TEST(ParseModel, ReadsValuesAsIqTreeWritesThem) {
    using Rates = std::vector<double>;
    for (auto const& [text, rates] :
         std::vector<std::pair<char const*, Rates>>{{"GTR{2,3,4,5,6}", {2, 3, 4, 5, 6, 1}},
                                                    {"GTR{2,3,4,5,6,7}", {2, 3, 4, 5, 6, 7}},
                                                    {"HKY{2.5}", {1, 2.5}},
                                                    {"K2P{2}", {1, 2}},
                                                    {"TN{2,3}", {1, 2, 3}},
                                                    {"K3P{2,3}", {1, 2, 3}},
                                                    {"TIM2{2,3,4}", {2, 3, 1, 4}},
                                                    {"TVM{2,3,4,5}", {2, 3, 4, 5, 1}},
                                                    {"DNA210020{5,6}", {1, 6, 5}}}) {
        EXPECT_EQ(parse_model(text).given.rates, rates) << text;
        EXPECT_EQ(parse_model(text).rates_from, Origin::fixed) << text;
    }
    EXPECT_EQ(parse_model("HKY+FO{0.1,0.2,0.3,0.4}").frequencies, Frequencies::given);
    auto const free = parse_model("HKY{2}+F{0.1,0.2,0.3,0.4}+R2{0.6,0.5,0.4,1.75}").given;
    EXPECT_EQ(free.frequencies, (Rates{0.1, 0.2, 0.3, 0.4}));
    EXPECT_EQ(free.category_weights, (Rates{0.6, 0.4}));
    EXPECT_EQ(free.category_rates, (Rates{0.5, 1.75}));
    EXPECT_EQ(parse_model("MULTI4_MK+ASC").ascertainment, Ascertainment::lewis);
    EXPECT_EQ(parse_model("JC2").frequencies, Frequencies::equal);
    EXPECT_EQ(parse_model("GTR2").name, "BIN");
}

TEST(ParseModel, KnowsOrderedStates) {
    auto const ordered = parse_model("MULTI4_ORDERED");
    EXPECT_EQ(ordered.rate_classes, (std::vector<std::uint32_t>{0, 1, 1, 0, 1, 0}));
    EXPECT_EQ(ordered.given.rates, (std::vector<double>{1, 0}));
    EXPECT_EQ(free_parameters(ordered), 0u);
    EXPECT_EQ(free_parameters(parse_model("MULTI2_ORDERED")), 0u);
}

TEST(ParseModel, SaysWhatIsWrong) {
    for (
        auto const& [text, expected] : std::vector<std::array<char const*, 2>>{
            {"", "model '': '' is unknown, expected a name such as GTR, LG, BIN or MULTI3_MK (docs/"},
            {"GTRR",
             "model 'GTRR': 'GTRR' is unknown, expected a name such as GTR, LG, BIN or MULTI3_MK; the nearest is GTR (docs/"},
            {"grt+G",
             "model 'grt+G': 'grt' is unknown, expected a name such as GTR, LG, BIN or MULTI3_MK; the nearest is GTR ("},
            {"Q.mamal", "the nearest is Q.mammal"},
            {"0123456", "'0123456' is unknown"},
            {"PROTGAMMA", "'' is unknown"},
            {"GTRGAMMAX", "'GTRGAMMAX' is unknown"},
            {"GTR+FC+Z", "model 'GTR+FC+Z': '+Z' is unknown, expected one of each of +F +FC"},
            {"GTR+", "model 'GTR+': '+' is unknown"},
            {"+G", "'' is unknown"},
            {"GTR++G", "'+' is unknown"},
            {"DNA01020", "is unknown"},
            {"MULTI1_MK", "is unknown"},
            {"MULTI65_GTR", "is unknown"},
            {"MULTI5", "is unknown"},
            {"MULTI5_HKY", "is unknown"},
            {"MULTIx_MK", "is unknown"},
            {"GTR+FC+FE", "'+FE' is the second of its kind"},
            {"GTR+G+R4", "'+R4' is the second of its kind"},
            {"GTR+I+IC", "'+IC' is the second of its kind"},
            {"GTR+G1", "'+G1' is unknown, expected 2 to 64 categories"},
            {"GTR+G65", "expected 2 to 64 categories"},
            {"GTR+G-4", "expected 2 to 64 categories"},
            {"GTR+G99999999999999999999", "expected 2 to 64 categories"},
            {"GTR+G4x", "expected 2 to 64 categories"},
            {"GTR+R17", "expected 2 to 16 categories"},
            {"LG4M+G8", "'+G8' does not fit 4 matrices, one per category"},
            {"LG4X+R2", "does not fit 4 matrices"},
            {"LG4X+FO", "'+FO' cannot be optimised for several matrices at once"},
            {"LG{1/2}", "'LG{1/2}' gives rates, but the matrix has its own"},
            {"GTR{1/2/3}", "gives 3 values, expected 6"},
            {"GTR{1/2/3/4/5/-6}", "gives -6, expected a number from 0 to 1e+09"},
            {"GTR{0/0/0/0/0/0}", "gives only rates of 0"},
            {"GTR{1/2/3/4/5/6}{1}", "more than one list"},
            {"GTR{1/2/3/4/5/six}", "holds 'six', expected a number"},
            {"GTR{1//3/4/5/6}", "holds '', expected a number"},
            {"GTR{1/2/3/4/5/nan}", "holds 'nan', expected a number"},
            {"GTR{1/2/3/4/5/1e999}", "holds '1e999', expected a number"},
            {"GTR{1e-310/0/0/0/0/0}", "holds '1e-310', a number too small"},
            {"GTR{1/2", "has braces that do not match"},
            {"GTR{1/2/3/4/5/6}x", "has braces that do not match"},
            {"GTR+FU", "needs one list of frequencies"},
            {"GTR+FU{0.5/0.5}", "gives 2 values, expected 4"},
            {"GTR+FU{0.5/0.5/0.5/0.5}", "gives frequencies whose sum is 2, not 1"},
            {"GTR+FU{1.5/-0.5/0/0}", "gives 1.5, expected a number from 0 to 1"},
            {"GTR+FE{1}", "'+FE{1}' takes no values"},
            {"GTR+I{1}", "gives 1, expected a number from 0 to 0.99"},
            {"GTR+I{0.1/0.2}", "gives 2 values, expected 1"},
            {"GTR+I{0.1}{0.2}", "has 2 lists of values, expected one"},
            {"GTR+IU", "has 0 lists of values, expected one"},
            {"GTR+G4{0}", "gives 0, expected a number from 0.02 to 1000"},
            {"GTR+R4{1/2/3}", "gives 3 values, expected 4"},
            {"GTR+R2{1/2}{1/2}{1/2}", "more than two lists"},
            {"GTR+R2{0/1}{1/0}", "gives weight only to rates of 0"},
            {"GTR+ASCX", "'+ASCX' is unknown"},
            {"mtVer+G4", "'mtVer' is a matrix that is not there; the nearest one is mtMAM"},
            {"FLAVI", "the nearest one is DEN"},
            {"MULTI1_ORDERED", "is unknown"},
            {"GTR+R3{1,2,3,4}", "gives 4 values, expected 3"},
            {"GTR+ASC_FELS", "needs one list of numbers of sites"},
            {"GTR+ASC_FELS{7.5}", "gives 7.5, expected a number of sites"},
            {"GTR+ASC_FELS{-1}", "gives -1, expected a number from 0 to 1e+09"},
            {"GTR+ASC_LEWIS+I", "has +I and +ASC_, expected one"},
            {"GTR+IC+ASC_LEWIS", "has +I and +ASC_, expected one"},
            {"GTR+I{0.1}+ASC_FELS{3}", "has +I and +ASC_, expected one"},
            {"GTR+ASC_STAM{1/2}", "gives 2 values, expected 4"},
            {"GTR+ASC_LEWIS{1}", "takes no values"},
            {"GTR+B{0}", "gives 0, expected a number from 1e-06 to 1e+06"},
        }) {
        EXPECT_NE(complaint(text).find(expected), std::string::npos) << text << " -> " << complaint(text);
    }
}

TEST(StartModel, BeginsWhereTheSpecSays) {
    auto const model = start_dna("GTR+FO+I+G4m");
    EXPECT_EQ(model.rates, std::vector<double>(6, 1.0));
    EXPECT_EQ(model.frequencies, (std::vector<double>(counted_dna.begin(), counted_dna.end())));
    EXPECT_EQ(model.alpha, 1);
    EXPECT_EQ(model.scaler, 1);
    EXPECT_EQ(start_dna("GTR+FC").frequencies, model.frequencies);
    EXPECT_EQ(start_dna("GTR+FE").frequencies, std::vector<double>(4, 0.25));
    EXPECT_TRUE(start_model(parse_model("LG"), {}).frequencies.empty());
    EXPECT_TRUE(start_model(parse_model("LG"), {}).rates.empty());

    auto const free = start_model(parse_model("JC+R4"), {});
    EXPECT_EQ(free.category_weights, std::vector<double>(4, 0.25));
    EXPECT_TRUE(std::is_sorted(free.category_rates.begin(), free.category_rates.end()));
    EXPECT_LT(free.category_rates.front(), 0.2);
}

TEST(StartModel, TakesInvariantSitesFromTheCount) {
    auto const start = [](std::string_view text, double counted) {
        return start_model(parse_model(text), {.frequencies = {}, .invariant = counted}).invariant;
    };
    EXPECT_EQ(start("JC+IC", 0.5), 0.5);
    EXPECT_EQ(start("JC+I", 0.5), 0.25);
    EXPECT_EQ(start("JC+I{0.125}", 0.5), 0.125);
    EXPECT_EQ(start("JC", 0.5), 0);
    EXPECT_EQ(start("JC+IC", 1), max_invariant);
}

TEST(StartModelDeathTest, WantsTheCountsItNeeds) {
    EXPECT_DEATH(start_model(parse_model("GTR+FC"), {}), "precondition");
}

TEST(ToString, WritesWhatParseModelReadsBitForBit) {
    for (auto const* text :
         {"JC", "K80+FO+G4a+I", "GTR+FC+IC+G4m+B", "DNA010020+R4", "LG", "LG+FC+R16", "LG4M", "LG4X+I", "PROTGTR+G",
          "BIN+FO", "MULTI7_MK+ASC_LEWIS", "MULTI5_GTR+ASC_STAM{1/2/3/4/5}", "GTR+ASC_FELS{7}+G2a+B{1}", "JTT-DCMut+FE",
          "GTR{1/2/3/4/5/6}+FU{0.1/0.2/0.3/0.4}+IU{0.3}+R2{1/2}{3/4}+BU{0.1}"}) {
        auto const spec = parse_model(text);
        std::vector<double> const counted(spec.num_states(), 1.0 / spec.num_states());
        auto model = start_model(spec, {.frequencies = counted, .invariant = 1.0 / 3});
        for (double& rate : model.rates) rate /= 3;  // no short decimal fraction
        if (spec.has_gamma()) model.alpha = 0.1 + 0.2;
        if (spec.scaler_from == Origin::optimised) model.scaler = 1e5 / 3;
        auto const written = to_string(spec, model);
        auto const again = parse_model(written);
        EXPECT_EQ(start_model(again, {}), model) << written;
        EXPECT_EQ(free_parameters(again), 0u) << written;
        EXPECT_EQ(again.ascertainment, spec.ascertainment);
        EXPECT_EQ(again.left_out, spec.left_out);
        EXPECT_EQ(to_string(again, model), written);
    }
    auto const read = parse_model("HKY{0.3/1e-05}+FE+G{0.1}");
    EXPECT_EQ(to_string(read, start_model(read, {})), "HKY{0.3/1e-05}+FE+G4m{0.1}");
    EXPECT_EQ(to_string(parse_model("HKY+FE+G"), start_model(parse_model("HKY+FE+G"), {})), "HKY{1/1}+FE+G4m{1}");
}

TEST(Model, ComesBackFromItsBytes) {
    Model const model{{1.5, 1}, {0.1, 0.2, 0.3, 0.4}, 0.7, 0.25, {0.5, 2}, {0.75, 0.25}, {0.2, 0.8}, 1.25};
    ByteWriter out;
    model.write(out);
    ByteReader in(out.bytes());
    EXPECT_EQ(Model::read(in), model);
    EXPECT_TRUE(in.empty());
}

}  // namespace
}  // namespace regraft::likelihood
