#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/partition.hpp"
#include "unit/data_path.hpp"

namespace regraft::msa {
namespace {

using Sites = std::vector<std::uint64_t>;

std::vector<PartitionSpec> parse(std::string const& text, std::uint64_t num_sites) {
    return parse_partitions(text, "f", num_sites);
}

std::string error_of(std::string const& text, std::uint64_t num_sites, std::string const& model = "") {
    try {
        parse_partitions(text, "f", num_sites, model);
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

TEST(PartitionFile, ReadsModelsNamesAndRanges) {
    auto const partitions = parse("GTR+FC+G4m, ndhf1st = 1-5, 8\n\n# comment\n LG ,b=6-7,9-10 # more\r\n", 10);
    ASSERT_EQ(partitions.size(), 2u);
    EXPECT_EQ(partitions[0], (PartitionSpec{"GTR+FC+G4m", "ndhf1st", {{0, 5, 1}, {7, 8, 1}}}));
    EXPECT_EQ(partitions[1], (PartitionSpec{"LG", "b", {{5, 7, 1}, {8, 10, 1}}}));
    EXPECT_EQ(sites_of(partitions[1]), (Sites{5, 6, 8, 9}));
}

TEST(PartitionFile, ReadsStrides) {
    auto const partitions = parse("A, codon12 = 1-8\\3, 2-8 \\ 3\nB, codon3 = 3-8\\3\n", 8);
    EXPECT_EQ(sites_of(partitions[0]), (Sites{0, 1, 3, 4, 6, 7}));
    EXPECT_EQ(sites_of(partitions[1]), (Sites{2, 5}));
    EXPECT_EQ(sites_of(parse("A, a = 1-2\\18446744073709551615, 2\n", 2)[0]), (Sites{0, 1}));
}

TEST(PartitionFile, AllowsCommasWithinAModel) {
    EXPECT_EQ(parse("GTR{1,2}+F{(3,4)}, a = 1\n", 1)[0].model, "GTR{1,2}+F{(3,4)}");
}

TEST(PartitionFile, SkipsBlanksEverywhere) {
    std::vector<PartitionSpec> const expected{{"A", "a", {{0, 9, 2}}}, {"B", "b", {{1, 9, 2}}}};
    EXPECT_EQ(parse("A,a=1-9\\2\nB,b=2-9\\2", 9), expected);
    EXPECT_EQ(parse("\xef\xbb\xbf\tA\t,\ta\t=\t1\t-\t9\t\\\t2\t\r\n \r\n B , b = 2 - 9 \\ 2 \r\n", 9), expected);
    EXPECT_EQ(parse("A, a = 1-9\\2\rB, b = 2-9\\2\r", 9), expected);  // old Mac
}

TEST(PartitionFile, HasPrintableModelsAndNames) {
    EXPECT_EQ(parse("A, \xc3\xa9 = 1\n", 1)[0].name, "\xc3\xa9");
    EXPECT_EQ(error_of("A, \xe9 = 1\n", 1),
              "f:1:4: '\\xe9' cannot be part of a partition's name; expected printable UTF-8");
    EXPECT_EQ(error_of("A, a\tb = 1\n", 1),
              "f:1:5: '\\x09' cannot be part of a partition's name; expected printable UTF-8");
    EXPECT_EQ(error_of(std::string("A\0, a = 1\n", 10), 1),
              "f:1:2: '\\x00' cannot be part of a model; expected printable UTF-8");
}

TEST(PartitionFile, SaysWhereTheSyntaxIsWrong) {
    EXPECT_EQ(error_of("GTR a = 1-9\n", 9), "f:1:1: expected a model, found no ',' on this line");
    EXPECT_EQ(error_of(", a = 1-9\n", 9), "f:1:1: expected a model before ','");
    EXPECT_EQ(error_of("\nGTR, a 1-9\n", 9), "f:2:6: expected a partition's name, found no '=' on this line");
    EXPECT_EQ(error_of("GTR, = 1-9\n", 9), "f:1:6: expected a partition's name before '='");
    EXPECT_EQ(error_of("GTR, a =\n", 9),
              "f:1:9: expected a site or a range of sites, such as 1-898, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-\n", 9), "f:1:12: expected the last site of the range, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-9\\\n", 9), "f:1:14: expected a stride, such as \\3, found the end of the line");
    EXPECT_EQ(error_of("GTR, a = 1-9\\0\n", 9), "f:1:14: the stride must be at least 1");
    EXPECT_EQ(error_of("GTR, a = 1-9 x\n", 9), "f:1:14: expected ',' or the end of the line, found 'x'");
    EXPECT_EQ(error_of("GTR, a = 99999999999999999999\n", 9), "f:1:10: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1-99999999999999999999\n", 9), "f:1:12: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1-9\\99999999999999999999\n", 9), "f:1:14: the number is too large");
    EXPECT_EQ(error_of("GTR, a = 1--9\n", 9), "f:1:12: expected the last site of the range, found '-9'");
    EXPECT_EQ(error_of("GTR, a = +1\n", 9), "f:1:10: expected a site or a range of sites, such as 1-898, found '+1'");
    EXPECT_EQ(error_of("# nothing\n", 9), "f: expected partitions, such as 'GTR+G4, gene1 = 1-898'");
}

TEST(PartitionFile, ChecksThatEverySiteBelongsToOnePartition) {
    EXPECT_EQ(error_of("A, a = 1-10\n", 9), "f:1:10: site 10 does not exist: the alignment has the sites 1-9");
    EXPECT_EQ(error_of("A, a = 0-9\n", 9), "f:1:8: site 0 does not exist: the alignment has the sites 1-9");
    EXPECT_EQ(error_of("A, a = 5-4\n", 9), "f:1:8: the range ends before it begins");
    EXPECT_EQ(error_of("A, a = 1-5\nB, b = 9, 5-8\n", 9), "f:2:11: site 5 already belongs to partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-5, 5\n", 9), "f:1:13: site 5 already belongs to partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-5\nB, a = 6-9\n", 9), "f:2:4: there already is a partition 'a'");
    EXPECT_EQ(error_of("A, a = 1-9\\2\n", 9), "f: site 2 belongs to no partition (4 of 9 sites do not)");
}

TEST(PartitionFile, TranslatesTypeWordsOfRaxml8) {
    std::vector<std::string> models;
    std::string const text =
        "DNA, a = 1\nDNAX, b = 2\nLG, c = 3\nWAGF, d = 4\nHIVWX, e = 5\nJTTDCMUTF, f = 6\nBIN, g = 7\n"
        "MULTI, h = 8-10\\2, 11 # as in RAxML\nFLU, i = 9\n";
    for (auto const& partition : parse(text, 11)) models.push_back(partition.model);
    EXPECT_EQ(models, (std::vector<std::string>{"GTR+FC+G4m", "GTR+FO+G4m", "LG+G4m", "WAG+FC+G4m", "HIVW+FO+G4m",
                                                "JTT-DCMUT+FC+G4m", "BIN+FC+G4m", "MULTI_GTR+FC+G4m", "FLU+G4m"}));
    EXPECT_EQ(error_of(text, 12), "f: site 12 belongs to no partition (1 of 12 sites do not)");
}

TEST(PartitionFile, IsOfRaxml8OnlyIfAWordTellsSo) {
    EXPECT_EQ(parse("LG, a = 1\nWAG, b = 2\n", 2)[1].model, "WAG");
    EXPECT_EQ(parse("LG, a = 1\nWAG+F, b = 2\n", 2)[0].model, "LG");
    EXPECT_EQ(parse("LG, a = 1\nWAGF, b = 2\n", 2)[0].model, "LG+G4m");
    EXPECT_EQ(parse("LGFF, a = 1\n", 1)[0].model, "LGFF");
    EXPECT_EQ(
        error_of("DNA, a = 1\nGTR+G, b = 2\n", 2),
        "f:2:1: expected a type word of RAxML 8 such as DNA, LG or WAGF, since another partition has 'DNA'; found "
        "'GTR+G'");
}

TEST(PartitionFile, ReadsNexusWithACharpartition) {
    auto const partitions = parse(
        "\xef\xbb\xbf\n#NEXUS [a [nested] comment]\r\nBegin data; matrix x 'y; END ;\nBEGIN Sets;\n"
        "  taxset t = 1-3;\n  CharSet One = 1-6\\3 [twice], 2 - 6 \\ 3\n 8 .-.;\n  charset * 'my two' = 3-6\\3 7;\n"
        "  charset 3rd=9;charpartition * mine = GTR{1,2:3}+G4 : 'MY TWO',\n LG:one, HKY:3rd;\nend;\n",
        10);
    ASSERT_EQ(partitions.size(), 3u);
    EXPECT_EQ(partitions[0], (PartitionSpec{"GTR{1,2:3}+G4", "my two", {{2, 6, 3}, {6, 7, 1}}}));
    EXPECT_EQ(partitions[1], (PartitionSpec{"LG", "One", {{0, 6, 3}, {1, 6, 3}, {7, 8, 1}, {9, 10, 1}}}));
    EXPECT_EQ(partitions[2], (PartitionSpec{"HKY", "3rd", {{8, 9, 1}}}));
}

TEST(PartitionFile, ReadsNexusWithoutACharpartition) {
    std::string const text = "#nexus begin sets; charset a = 1-2; charset b = 3-.; end;";
    std::vector<PartitionSpec> const expected{{"JC", "a", {{0, 2, 1}}}, {"JC", "b", {{2, 5, 1}}}};
    EXPECT_EQ(parse_partitions(text, "f", 5, "JC"), expected);
    EXPECT_EQ(error_of(text, 5),
              "f: has charsets without models; expected a model for all of them, or a charpartition such as "
              "'charpartition mine = GTR+G4m:a, ...;'");
}

TEST(PartitionFile, KnowsTheCharsetOfAllSites) {
    std::vector<PartitionSpec> const expected{{"JC", "all", {{0, 5, 1}}}};
    EXPECT_EQ(parse("#nexus begin sets; charpartition p = JC:all; end;", 5), expected);
    EXPECT_EQ(parse("#nexus begin sets; charset x = ALL; charpartition p = JC:x; end;", 5)[0].sites, expected[0].sites);
    EXPECT_EQ(parse("#nexus begin sets; charset all = 1-5; charset a = 1; charpartition p = JC:All; end;", 5),
              expected);
}

TEST(PartitionFile, SaysWhereNexusIsWrong) {
    auto const wrong = [](std::string const& commands) { return error_of("#nexus\nbegin sets;\n" + commands, 9); };
    EXPECT_EQ(error_of("#nexus", 9),
              "f: expected charsets, such as 'begin sets; charset gene1 = 1-898; end;', found none");
    EXPECT_EQ(error_of("#nexus\nsets;", 9), "f:2:1: expected 'begin', as in 'begin sets;'");
    EXPECT_EQ(wrong("charset a = 1-9;\n"), "f:4:1: expected 'end;', found the end of the file");
    EXPECT_EQ(wrong("charset a = 1-9\nend;"),
              "f:4:1: expected a site or a range of sites, such as 1-898, found 'end;'");
    EXPECT_EQ(wrong("charset a 1-9;"), "f:3:11: expected '=' after the name of a charset, found '1-9;'");
    EXPECT_EQ(wrong("charset = 1-9;"), "f:3:9: expected the name of a charset, found '='");
    EXPECT_EQ(wrong("charset 'a = 1-9;"), "f:3:9: this name does not end; expected a quote");
    EXPECT_EQ(
        wrong("charset 'a=b' = 1-9;"),
        "f:3:9: 'a=b' cannot be the name of a charset; expected one without '=' and '#', and without blanks around it");
    EXPECT_EQ(
        wrong("charset 'a ' = 1-9;"),
        "f:3:9: 'a ' cannot be the name of a charset; expected one without '=' and '#', and without blanks around it");
    EXPECT_EQ(wrong("charset \xe9 = 1-9;"),
              "f:3:9: '\\xe9' cannot be part of a charset's name; expected printable UTF-8");
    EXPECT_EQ(wrong("charset a = 1-10;"), "f:3:15: site 10 does not exist: the alignment has the sites 1-9");
    EXPECT_EQ(wrong("charset a = .-8;"), "f:3:13: the range ends before it begins");
    EXPECT_EQ(wrong("charset a = 1;\ncharset A = 2-9;"), "f:4:9: there already is a charset 'A'");
    EXPECT_EQ(wrong("[\ncharset a = 1-9;\nend;"), "f:3:1: this comment does not end; expected ']'");
    EXPECT_EQ(wrong("charpartition p = JC:a;"), "f:3:22: there is no charset 'a' before this charpartition");
    EXPECT_EQ(wrong("charpartition p = :all;"), "f:3:19: expected a model before ':'");
    EXPECT_EQ(wrong("charpartition p = all;"), "f:3:19: expected MODEL:CHARSET, found 'all;'");
    EXPECT_EQ(wrong("charpartition p = JC:all;\ncharpartition q = JC:all;"),
              "f:4:15: this is the second charpartition; expected one");
    EXPECT_EQ(wrong("title x"), "f:3:7: this command does not end; expected ';'");
}

TEST(PartitionFile, ChecksThatEverySiteBelongsToOnePartitionOfNexus) {
    auto const wrong = [](std::string const& sets) {
        return error_of("#nexus begin sets; " + sets + " end;", 9, "JC");
    };
    std::string const advice =
        "; without a charpartition every charset is a partition, expected charsets without common sites, or a "
        "charpartition of some of them";
    EXPECT_EQ(wrong("charset a = 1-5; charset b = 9, 5-8;"),
              "f:1:52: site 5 already belongs to partition 'a'" + advice);
    EXPECT_EQ(wrong("charset gene = 1-9; charset second = 2-9\\3;"),
              "f:1:57: site 2 already belongs to partition 'gene'" + advice);
    EXPECT_EQ(error_of("#nexus begin sets; charset a = 1-9; charset b = 3-9\\3; charpartition p = JC:a, JC:b; end;", 9),
              "f:1:49: site 3 already belongs to partition 'a'");
    EXPECT_EQ(wrong("charset a = 1-9\\2;"), "f: site 2 belongs to no partition (4 of 9 sites do not)");
}

TEST(PartitionFile, RefusesAModelThatIsNotNeeded) {
    auto const* const expected = "f: has a model for each partition; expected no other one, but there is 'JC' for all";
    EXPECT_EQ(error_of("GTR, a = 1\n", 1, "JC"), expected);
    EXPECT_EQ(error_of("#nexus begin sets; charpartition p = GTR:all; end;", 1, "JC"), expected);
}

TEST(PartitionFile, ReadsSchemesOfIqTree) {
    auto const scheme = parse("DNAF, c1 = 1-9\\3 2-9\\3\nDNA, c3 = 3-9\\3\nAA, p = 10\nAUTO, q = 11\n", 11);
    EXPECT_EQ(scheme[0], (PartitionSpec{"GTR+FC+G4m", "c1", {{0, 9, 3}, {1, 9, 3}}}));
    EXPECT_EQ(scheme[1].model, "GTR+FC+G4m");
    EXPECT_EQ(scheme[2].model, "AA");
    EXPECT_EQ(scheme[3].model, "AUTO");
    EXPECT_EQ(parse("AA, p = 1\nLG+G, q = 2\n", 2)[0].model, "AA");
    auto const models = parse(
        "#nexus\nbegin sets;\n charset a = 1-4;\n charset b = 5-9;\n charpartition mymodels =\n"
        "  TIM2{5.6,7.7,23.1}+F{0.3,0.2,0.2,0.3}+I{0.1}+G4{0.7}: a{4.25},\n  HKY{2}: b{0.5};\nend;\n",
        9);
    EXPECT_EQ(models[0],
              (PartitionSpec{"TIM2{5.6,7.7,23.1}+F{0.3,0.2,0.2,0.3}+I{0.1}+G4{0.7}", "a", {{0, 4, 1}}, 4.25}));
    EXPECT_EQ(models[1], (PartitionSpec{"HKY{2}", "b", {{4, 9, 1}}, 0.5}));
}

TEST(PartitionFile, ReadsSubsetsOfSeveralCharsets) {
    std::string const sets = "#nexus begin sets; charset a = 1-3; charset b=4 .-.; charset c = a, 5; ";
    EXPECT_EQ(
        parse(sets + "charpartition p = GTR: a b, HKY+G:5-8; end;", 9),
        (std::vector<PartitionSpec>{{"GTR", "a_b", {{0, 3, 1}, {3, 4, 1}, {8, 9, 1}}}, {"HKY+G", "5-8", {{4, 8, 1}}}}));
    EXPECT_EQ(parse(sets + "charpartition p = JC: c b 6 - 8 \\ 2 7; end;", 9)[0].name, "c_b_6-8\\2_7");
    EXPECT_EQ(parse("#nexus begin sets; charset a = *; charpartition p = JC: a; end;", 9)[0].sites,
              (std::vector<SiteStride>{{0, 9, 1}}));
    EXPECT_EQ(error_of(sets + "charset a_b = 5-8; charpartition p = JC: a b, JC: a_b; end;", 9),
              "f:1:86: there already is a partition 'a_b'");
}

TEST(PartitionFile, ReadsNamesOfSubsets) {
    std::string const sets = "#nexus begin assumptions; charset a = 1-3; charset b = 4-9; ";
    std::vector<PartitionSpec> const expected{{"JC", "a", {{0, 3, 1}}}, {"JC", "b", {{3, 9, 1}}}};
    auto const read = [&](std::string const& subsets, IsModel const& is_model = {}) {
        return parse_partitions(sets + "charpartition p = " + subsets + "; end;", "f", 9, "JC", is_model);
    };
    EXPECT_EQ(read("1: a, 2: b"), expected);
    EXPECT_EQ(read("A: a, 22: b"), expected);
    auto const is_model = [](std::string_view word) { return word == "LG"; };
    EXPECT_EQ(read("one: a, two: b", is_model), expected);
    EXPECT_EQ(read("'my one': a 4, 3: 5-9", is_model)[0].name, "my one");
    EXPECT_THROW(read("one: a, LG: b", is_model), InputError);
    EXPECT_THROW(read("one: a, two: b"), InputError);
    EXPECT_THROW(read("010020: a, 010020: b"), InputError);
}

TEST(PartitionFile, ReadsPartitionsOfMrBayes) {
    auto const read = [](std::string const& commands) {
        return parse_partitions("#nexus begin mrbayes; charset a = 1-.\\3 2-.\\3; charset b = 3-.\\3; " + commands +
                                    "mcmc ngen=100; end; begin paup; set partition = x; end;",
                                "f", 9, "JC");
    };
    std::vector<PartitionSpec> const two{{"JC", "a", {{0, 9, 3}, {1, 9, 3}}}, {"JC", "b", {{2, 9, 3}}}};
    EXPECT_EQ(read("partition p = 2: a, b;"), two);
    EXPECT_EQ(read(""), two);
    std::string const several = "partition p = 1: a b; partition Q = 2:a,b; ";
    EXPECT_EQ(read(several + "set autoclose=yes partition=q nowarn=yes;"), two);
    EXPECT_EQ(read(several + "set partition = p;")[0].name, "a_b");
    auto const wrong = [&](std::string const& commands) {
        try {
            read(commands);
        } catch (InputError const& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(wrong(several), "f: has several partitions; expected one, or 'set partition = p;'");
    EXPECT_EQ(wrong("partition p = 3: a, b;"), "f:1:81: expected 3 subsets, found 2");
    EXPECT_EQ(wrong("set partition = r;"), "f:1:83: there is no partition 'r' before this");
}

TEST(PartitionFile, RefusesCharsetsThatGrowWithoutLimit) {
    auto const other = [](int i) { return " c" + std::to_string(i - 1); };
    std::string text = "#nexus begin sets; charset c0 = 1;\n";
    for (int i = 1; i < 60; ++i) text += "charset c" + std::to_string(i) + " =" + other(i) + other(i) + ";\n";
    EXPECT_EQ(error_of(text + "end;", 9),
              "f:5:17: with the sites of 'c3' there are more ranges than sites; expected each site once");
    text = "#nexus begin sets; charset c0 =";
    for (int site = 1; site <= 20000; ++site) text += " " + std::to_string(site);
    for (int i = 1; i < 60; ++i) text += ";\ncharset c" + std::to_string(i) + " =" + other(i);
    EXPECT_TRUE(error_of(text + "; end;", 20000).ends_with("more than 1000000 ranges together; expected fewer"));
}

TEST(PartitionFile, ReadsTypesOfCharsets) {
    auto const read = [](std::string const& type, std::string const& model = "") {
        return parse_partitions(
            "#nexus begin sets; charset a = " + type + " 1-3; charset b = 4-9; charpartition p = 1:a, 2:b; end;", "f",
            9, model);
    };
    EXPECT_EQ(read("DNA,", "JC")[0].model, "JC");
    EXPECT_THROW(read("DNA,"), InputError);  // b has no type
    EXPECT_EQ(parse("#nexus begin sets; charset a = DNA, 1-3; charset b = aa, 4-9; end;", 9)[1].model, "auto");
    EXPECT_EQ(
        error_of("#nexus begin sets; charset a = CODON, 1-9; end;", 9),
        "f:1:32: 'CODON': there are no models of codons; expected DNA, with a charset for each codon position, such as "
        "1-.\\3, or amino acids, into which regraft-msa translate turns codons");
    EXPECT_EQ(error_of("#nexus begin sets; charset a = x.fa: 1-9; end;", 9),
              "f:1:32: charset 'a' has a file of its own, 'x.fa'; expected sites of one alignment, which regraft-msa "
              "concat makes of this file");
    EXPECT_EQ(error_of("#nexus begin sets; charset a = 1-9; charpartition p = JC: a{x}; end;", 9),
              "f:1:61: expected the length of the partition's tree, found 'x'");
    EXPECT_EQ(error_of("#nexus begin sets; charset a = 1-9; charpartition p = JC: a{-1}; end;", 9),
              "f:1:61: expected the length of the partition's tree, found '-1'");
}

/// Alignments of 10 and 6 sites, and an empty one.
std::optional<NamedAlignment> sites_of_file(std::string const& path) {
    if (path == "x.fa" || path == "./x.fa") return NamedAlignment{10, "x.fa"};
    if (path == "my file") return NamedAlignment{6, path};
    if (path == "empty") return NamedAlignment{0, path};
    return std::nullopt;
}

PartitionsOfFiles parse_files(std::string const& sets, std::uint64_t num_sites = 0) {
    return parse_partitions_of_files("#nexus begin sets;\n" + sets + "\nend;", "f", sites_of_file, num_sites, "JC");
}

TEST(PartitionFile, TakesSitesOfAlignmentsThatCharsetsName) {
    auto const [files, partitions] = parse_files(
        "charset a = x.fa: DNA, 1-5\\2; charset b = 'my file' : *; charset c = x.fa: 9-. 2;"
        "charpartition p = 1: a c, 2: b;");
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path, "x.fa");
    EXPECT_EQ(files[0].sites, (Sites{0, 1, 2, 4, 8, 9}));
    EXPECT_EQ(files[1].path, "my file");
    EXPECT_EQ(files[1].sites.size(), 6U);
    EXPECT_EQ(partitions, (std::vector<PartitionSpec>{{"JC", "a_c", {{0, 6, 1}}}, {"JC", "b", {{6, 12, 1}}}}));
    EXPECT_EQ(files_of_partitions("#nexus begin sets; charset a = x.fa: 1; charset 'b' = 'y''s': *; charset c = x.fa:3;"
                                  "charset d = 'b' 4; charset e = [: ]5; charset",
                                  "f"),
              (std::vector<std::string>{"x.fa", "y's"}));
    EXPECT_TRUE(files_of_partitions("GTR, a = 1-4\n", "f").empty());
}

TEST(PartitionFile, TakesTheSameAlignmentUnderTwoPaths) {
    auto const [files, partitions] = parse_files("charset a = x.fa: 1-4; charset b = ./x.fa: 7-8;");
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].path, "x.fa");
    EXPECT_EQ(files[0].sites, (Sites{0, 1, 2, 3, 6, 7}));
    EXPECT_EQ(partitions, (std::vector<PartitionSpec>{{"JC", "a", {{0, 4, 1}}}, {"JC", "b", {{4, 6, 1}}}}));
    EXPECT_THROW(parse_files("charset a = x.fa: 1-4; charset b = ./x.fa: 4-8;"), InputError) << "site 4 is in both";
}

TEST(PartitionFile, LeavesOutAlignmentsThatNoPartitionHas) {
    auto const [files, partitions] = parse_files(
        "charset no = x.fa: 1-4; charset b = 'my file': 2-3; charset c = 1-3; charpartition p = 1: c, 2: b;", 3);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path, "");
    EXPECT_EQ(files[1].sites, (Sites{1, 2}));
    EXPECT_EQ(partitions, (std::vector<PartitionSpec>{{"JC", "c", {{0, 3, 1}}}, {"JC", "b", {{3, 5, 1}}}}));
}

TEST(PartitionFile, SaysWhatIsWrongWithAlignmentsThatCharsetsName) {
    auto const error = [](std::string const& sets, std::uint64_t num_sites = 0) {
        try {
            static_cast<void>(parse_files(sets, num_sites));
        } catch (InputError const& found) {
            return std::string(found.what());
        }
        return std::string();
    };
    EXPECT_EQ(error("charset a = y.fa: 1;"),
              "f:2:13: charset 'a' has a file of its own, 'y.fa', which is not there; expected an alignment");
    EXPECT_EQ(error("charset a = empty: *;"),
              "f:2:13: charset 'a' has a file of its own, 'empty', which has no sites; expected an alignment");
    EXPECT_EQ(error("charset a = x.fa: 5-11;"), "f:2:21: site 11 does not exist: the alignment has the sites 1-10");
    EXPECT_EQ(error("charset a = x.fa: 1-5; charset b = x.fa: 5; charpartition p = 1: a, 2: b;"),
              "f:2:42: site 5 of 'x.fa' already belongs to partition 'a'");
    EXPECT_EQ(error("charset a = x.fa: 1-5; charset b = 1-4;"),
              "f:2:36: there is no alignment for these sites; expected one, or one that the charset names, as in "
              "'charset a = genes.fa: 1-200;'");
    EXPECT_EQ(error("charset a = x.fa: 1-5; charset b = 1-4;", 5),
              "f: site 5 belongs to no partition (1 of 5 sites do not)");
    EXPECT_EQ(error("charset a = : 1-5;"), "f:2:13: expected the name of an alignment before ':'");
}

TEST(PartitionFile, ReadsTheRemainder) {
    auto const parts_of = [](std::string const& sets) {
        std::vector<std::vector<SiteStride>> sites;
        for (auto const& partition : parse_partitions("#nexus begin sets; " + sets + " end;", "f", 9, "JC"))
            sites.push_back(partition.sites);
        return sites;
    };
    using Strides = std::vector<std::vector<SiteStride>>;
    Strides const expected{{{1, 4, 1}}, {{0, 1, 1}, {4, 9, 1}}};
    EXPECT_EQ(parts_of("charset a = 2-4; charpartition p = 1: a, 2: REMAINDER;"), expected);
    EXPECT_EQ(parts_of("charset a = 2-4; charset b = remainder;"), expected);
    EXPECT_EQ(parts_of("charset b = Remainder; charset a = 2-4; charpartition p = 1: a, 2: b;"), expected);
    EXPECT_EQ(parts_of("charset a = 2-4; end; begin mrbayes; partition p = 2: a, remainder;"), expected);
    EXPECT_EQ(parts_of("charset remainder = 2-4; charset b = 1 5-.; charpartition p = 1: remainder, 2: b;"), expected);
    EXPECT_EQ(
        error_of("#nexus begin sets; charset a = all; charset b = remainder; charpartition p = JC: a, JC: b; end;", 9),
        "f:1:49: no sites are left for a remainder; expected sites that no other has");
}

TEST(PartitionFile, IsWrittenAsItIsRead) {
    std::string const text = "GTR{1,2}, my gene = 1-7\\3, 8\nLG, b = 2-3, 5-6, 9\n";
    EXPECT_EQ(to_text(parse(text, 9)), text);
}

TEST(Strides, AreEvenlySpacedRuns) {
    auto const text_of = [](Sites const& sites) {
        return to_text(std::vector{PartitionSpec{"M", "n", strides_of(sites)}});
    };
    EXPECT_EQ(text_of({4}), "M, n = 5\n");
    EXPECT_EQ(text_of({0, 1, 2}), "M, n = 1-3\n");
    EXPECT_EQ(text_of({0, 3, 6, 7, 8, 20}), "M, n = 1-7\\3, 8-9, 21\n");
    EXPECT_EQ(text_of({0, 5, 6}), "M, n = 1, 6-7\n");
    EXPECT_TRUE(strides_of({}).empty());
}

TEST(PartitionFile, ReadsTheSampleFile) {
    auto const partitions = read_partitions(std::string(REGRAFT_DATA) + "/vertebrates.part", 1998);
    ASSERT_EQ(partitions.size(), 3u);
    EXPECT_EQ(partitions[1].name, "codon3");
    EXPECT_EQ(sites_of(partitions[0]).size(), 666u);
    EXPECT_EQ(sites_of(partitions[1]).size(), 333u);
    for (auto const& partition : partitions) {
        auto const all = sites_of(partition);
        for (std::uint64_t first : {0U, 1U, 500U, 665U, 1998U}) {
            for (std::uint64_t last : {first, first + 1, first + 4, std::uint64_t{1998}}) {
                Sites some;
                std::ranges::copy_if(all, std::back_inserter(some),
                                     [&](auto site) { return first <= site && site < last; });
                EXPECT_EQ(sites_of(partition, first, last), some);
            }
        }
    }
    EXPECT_EQ(sites_of(partitions[2]).size(), 999u);
}

TEST(PartitionFile, HasAPartitionForAlignmentsWithoutFile) {
    auto const all = whole_alignment("GTR", 3);
    EXPECT_EQ(all, (PartitionSpec{"GTR", "all", {{0, 3, 1}}}));
    EXPECT_EQ(sites_of(all), (Sites{0, 1, 2}));
}

}  // namespace
}  // namespace regraft::msa
