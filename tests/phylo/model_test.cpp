#include "model.hpp"

#include <string>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

TEST(ParseModel, ReadsWhatTheNameSays) {
    auto const gtr = parse_model("GTR+FC+G4m");
    EXPECT_EQ(gtr.alphabet, msa::Alphabet::dna);
    EXPECT_EQ(gtr.num_free_rates(), 5u);
    EXPECT_EQ(gtr.frequencies, Frequencies::counted);
    EXPECT_EQ(gtr.categories, 4u);
    EXPECT_EQ(gtr.gamma, GammaRates::mean);

    auto const jc = parse_model("JC");
    EXPECT_EQ(jc.num_free_rates(), 0u);
    EXPECT_EQ(jc.frequencies, Frequencies::equal);
    EXPECT_FALSE(jc.has_alpha());

    auto const hky = parse_model("HKY+G8a");
    EXPECT_EQ(hky.num_free_rates(), 1u);
    EXPECT_EQ(hky.frequencies, Frequencies::optimised);
    EXPECT_EQ(hky.categories, 8u);
    EXPECT_EQ(hky.gamma, GammaRates::median);

    auto const lg = parse_model("LG+G");
    EXPECT_EQ(lg.alphabet, msa::Alphabet::amino_acid);
    EXPECT_EQ(lg.frequencies, Frequencies::of_matrix);
    EXPECT_EQ(lg.matrix_rates.size(), 190u);
    EXPECT_EQ(lg.categories, 4u);
}

TEST(ParseModel, RefusesWhatItDoesNotKnow) {
    for (auto const* text : {"", "+G", "gtr", "GTRR", "GTR+", "GTR+X", "GTR+G1", "GTR+G65", "GTR+G4x", "GTR+G4m+G4m",
                             "GTR+FC+FE", "GTR++G", "GTR+G-4", "GTR+I", "LG4X", "GTR+G99999999999999999999"}) {
        EXPECT_THROW(parse_model(text), InputError) << text;
    }
    try {
        parse_model("GTR+FC+I");
        FAIL();
    } catch (InputError const& error) {
        EXPECT_NE(std::string(error.what()).find("model 'GTR+FC+I': '+I' is unknown, expected"), std::string::npos)
            << error.what();
    }
}

TEST(Exchangeabilities, ShareClasses) {
    auto const hky = parse_model("HKY+FE");
    auto model = start_model(hky, {});
    model.rates[0] = 3;  // transitions
    EXPECT_EQ(exchangeabilities(hky, model), (std::vector<double>{1, 3, 1, 1, 3, 1}));
    auto const tn93 = parse_model("TN93+FE");
    model = start_model(tn93, {});
    model.rates = {5, 7, 1};
    EXPECT_EQ(exchangeabilities(tn93, model), (std::vector<double>{1, 5, 1, 1, 7, 1}));
}

TEST(Model, ComesBackFromItsBytes) {
    Model model{{1.5, 1}, {0.1, 0.2, 0.3, 0.4}, 0.7, 1.25};
    ByteWriter out;
    model.write(out);
    ByteReader in(out.bytes());
    auto const back = Model::read(in);
    EXPECT_TRUE(in.empty());
    EXPECT_EQ(back.rates, model.rates);
    EXPECT_EQ(back.frequencies, model.frequencies);
    EXPECT_EQ(back.alpha, 0.7);
    EXPECT_EQ(back.scaler, 1.25);
}

}  // namespace
}  // namespace regraft::phylo
