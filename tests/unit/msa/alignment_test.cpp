#include "regraft/msa/alignment.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "unit/data_path.hpp"

namespace regraft::msa {
namespace {

struct Row {
    std::string name;
    std::string cells;
    friend bool operator==(Row const&, Row const&) = default;
};

std::vector<Row> rows(std::string const& text) {
    auto const alignment = parse_alignment(text, "f");
    std::vector<Row> result;
    for (std::size_t t = 0; t < alignment.num_taxa(); ++t) {
        result.push_back({alignment.names[t], std::string(alignment.row(t))});
    }
    return result;
}

std::string error_of(std::string const& text) {
    try {
        parse_alignment(text, "f");
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

std::vector<Row> const two{{"one", "ACGT"}, {"two", "TG-A"}};

TEST(Fasta, JoinsLinesAndSkipsBlanks) {
    EXPECT_EQ(rows(">one\nACGT\n>two\nTG-A\n"), two);
    EXPECT_EQ(rows("\n>one some comment\nAC\nGT\n\n> two\nT G\n-\tA"), two);
}

TEST(Fasta, AcceptsDosLineEndsAndByteOrderMark) {
    EXPECT_EQ(rows("\xef\xbb\xbf>one\r\nACGT\r\n>two\r\nTG-A\r\n"), two);
}

TEST(Fasta, KeepsCharactersAsTheyAre) {
    EXPECT_EQ(rows(">a\nacgu?*.~\n"), (std::vector<Row>{{"a", "acgu?*.~"}}));
}

TEST(Alignment, MayHaveNoSites) {
    std::vector<Row> const empty{{"one", ""}, {"two", ""}, {"3", ""}};
    EXPECT_EQ(rows(">one\n>two some comment\n\n>3"), empty);
    EXPECT_EQ(rows("3 0\none\n  two \n3\n"), empty);
    EXPECT_EQ(rows("1 0\nwith blank\n"), (std::vector<Row>{{"with blank", ""}}));
    EXPECT_EQ(error_of("3 0\none\ntwo\n"), "f:3: the file ends after 2 of the 3 taxa that the header promises");
    EXPECT_EQ(error_of("1 0\none\ntwo\n"),
              "f:3:1: expected the end of the file after the 1 taxa of 0 sites that the header promises");
}

TEST(Fasta, SaysWhatIsWrong) {
    EXPECT_EQ(error_of(">a\nACGT\n>b\nACG\n"), "f:3:1: taxon 'b' has 3 sites, but 'a' on line 1 has 4");
    EXPECT_EQ(error_of(">a\nACGT\n\n>a\nACGT\n"), "f:4:2: taxon 'a' is already on line 1");
    EXPECT_EQ(error_of(">a one\nACGT\n>a two\nACGT\n"),
              "f:3:2: taxon 'a' is already on line 1; names end at the first blank, and what follows differs; --names "
              "joined takes the whole line with '_' for blanks, as sed '/^>/s/ /_/g' writes it");
    EXPECT_EQ(parse_alignment("> a one \t\r\nAC\n>a two\nAC\n", "f", FastaNames::whole_line).names,
              (std::vector<std::string>{"a one", "a two"}));
    EXPECT_EQ(error_of("\xff\xfe>\n"),
              "f: is in UTF-16, expected ASCII or UTF-8; iconv -f UTF-16 -t UTF-8 converts it");
    EXPECT_EQ(error_of(">a\n 9 2 4\n40 7\n>b\n1 2 3\n"),
              "f:2:2: has numbers of the qualities of bases (.qual), expected sequences, which are in another file");
    EXPECT_EQ(error_of(">a\n0 1 0 1\n>b\n01 10\n"), "no error") << "states with blanks between them";
    EXPECT_EQ(error_of(">a\n10 20 01\n"), "no error");
    EXPECT_EQ(error_of("BCF\2\2"),
              "f: is BCF, the binary form of VCF; expected a text, which bcftools view makes of it");
    EXPECT_EQ(error_of(">a\n>b\nACG\n"), "f:1:1: taxon 'a' has no sites");
    EXPECT_EQ(error_of(">a\nACG\n>b\n"), "f:3:1: taxon 'b' has no sites");
    EXPECT_EQ(error_of(">\nACG\n"), "f:1:2: a taxon's name is missing");
    EXPECT_EQ(error_of(">a\nAC\x01G\n"), "f:2:3: '\\x01' cannot be part of a sequence");
    EXPECT_EQ(error_of(std::string(">a\nAC\0G\n", 8)), "f:2:3: '\\x00' cannot be part of a sequence");
    EXPECT_EQ(error_of(">a\nACG\xe2\x80\x93T\n"), "f:2:4: '\xe2\x80\x93' cannot be part of a sequence");  // a dash
    EXPECT_EQ(error_of(">a\nACG\xe9T\n"), "f:2:4: '\\xe9' cannot be part of a sequence");
}

TEST(Fasta, IsNotPir) {
    auto const expected =
        std::string("is PIR, in which a title follows each name and '*' ends each sequence; expected ") +
        R"(FASTA, which sed 's/^>..;/>/;/^>/{n;d;};s/\*$//' makes)";
    EXPECT_EQ(error_of(">P1;one\n\nACGT*\n>P1;two\n\nTG-A*\n"), "f:1:1: " + expected);
    EXPECT_EQ(error_of("\n >DL;one\ntitle\nACGT*\n"), "f:2:2: " + expected);
    EXPECT_EQ(rows(">P1\nACGT\n>AB;c\nTG-A\n"), (std::vector<Row>{{"P1", "ACGT"}, {"AB;c", "TG-A"}}));
}

TEST(Alignment, SaysWhatIsNoAlignment) {
    EXPECT_EQ(error_of(""),
              "f: the file is empty; expected an alignment in FASTA, PHYLIP, NEXUS, Stockholm or Clustal format");
    EXPECT_EQ(error_of(" \n\r\n"), error_of(""));
    EXPECT_EQ(error_of("\n  #MEGA\n"),
              "f:2:3: expected '>' (FASTA), the numbers of taxa and sites (PHYLIP), '#NEXUS', '# STOCKHOLM 1.0' or "
              "'CLUSTAL', "
              "found '#MEGA'");
}

TEST(Alignment, AcceptsOldMacLineEnds) {
    EXPECT_EQ(rows(">one\rACGT\r>two\rTG-A\r"), two);
    EXPECT_EQ(rows("2 4\rone ACGT\r\rtwo TG-A"), two);
    EXPECT_EQ(error_of(">one\rACGT\r>two\rTG-\r"), "f:3:1: taxon 'two' has 3 sites, but 'one' on line 1 has 4");
}

TEST(Alignment, HasNamesInPrintableUtf8) {
    auto const name_in = [](std::string const& name) { return rows(">" + name + "\nA\n")[0].name; };
    for (std::string const name : {"\xc2\xa0", "\xc3\xa9t\xc3\xa9", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                   "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(name_in(name), name);
    }
    auto const error_in = [](std::string const& name) { return error_of(">a" + name + "z\nA\n"); };
    auto const message = [](std::string const& bad) {
        return "f:1:3: '" + bad + "' cannot be part of a taxon's name; expected printable UTF-8";
    };
    EXPECT_EQ(error_in(std::string(1, '\0')), message("\\x00"));
    EXPECT_EQ(error_in("\x7f"), message("\\x7f"));
    EXPECT_EQ(error_in("\xe9"), message("\\xe9"));           // Latin-1
    EXPECT_EQ(error_in("\x80"), message("\\x80"));           // a continuation of nothing
    EXPECT_EQ(error_in("\xc2\x9b"), message("\\xc2\\x9b"));  // begins a terminal's escape sequence
    // Longer than needed, half of a UTF-16 pair, beyond Unicode.
    for (std::string const bad : {"\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
        EXPECT_TRUE(error_in(bad).starts_with("f:1:3: '\\x")) << bad;
    }
}

TEST(Alignment, SaysWhyAFileCannotBeRead) {
    auto const error = [](std::string const& path) {
        try {
            read_alignment(path);
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error("/no/such/file"), "/no/such/file: cannot be read: No such file or directory");
    EXPECT_EQ(error("/"), "/: cannot be read: Is a directory");
}

TEST(Phylip, ReadsRelaxedNames) {
    EXPECT_EQ(rows("2 4\none ACGT\ntwo TG-A\n"), two);
    EXPECT_EQ(rows("  2\t4 \n\n one\tAC GT\r\n  two TG-A"), two);
    EXPECT_EQ(rows("1 4\na_name_longer_than_ten ACGT\n"), (std::vector<Row>{{"a_name_longer_than_ten", "ACGT"}}));
}

TEST(Phylip, ReadsStrictNames) {
    EXPECT_EQ(rows("2 4\nten_lettrsACGT\nwith blankTG-A\n"),
              (std::vector<Row>{{"ten_lettrs", "ACGT"}, {"with blank", "TG-A"}}));
    EXPECT_EQ(rows("2 4\na b       ACGT\nc d       TG-A\n"), (std::vector<Row>{{"a b", "ACGT"}, {"c d", "TG-A"}}));
}

TEST(Phylip, CountsCharactersOfStrictNames) {
    EXPECT_EQ(rows("2 4\n\xc3\xa9toile merACGT\nwith blankTG-A\n"),
              (std::vector<Row>{{"\xc3\xa9toile mer", "ACGT"}, {"with blank", "TG-A"}}));
}

TEST(Phylip, ReadsOneSite) {
    EXPECT_EQ(rows("3 1\na A\n1\nG\n22 C\n"), (std::vector<Row>{{"a", "A"}, {"1", "G"}, {"22", "C"}}));
    EXPECT_EQ(rows("1 1\na\tA"), (std::vector<Row>{{"a", "A"}}));
}

TEST(Phylip, TakesTabsAsBlanks) {
    EXPECT_EQ(rows("\t2\t4\t\none\tAC\tGT\n\ttwo\tTG-A\t\n"), two);
    EXPECT_EQ(rows("2 4\na b\t      ACGT\nc d\t      TG-A\n"), (std::vector<Row>{{"a b", "ACGT"}, {"c d", "TG-A"}}));
}

TEST(Phylip, ReadsSequentialRows) {
    EXPECT_EQ(rows("2 4\none AC\nGT\ntwo TG\n-A\n"), two);
    EXPECT_EQ(rows("2 4\none\nACGT\ntwo\nTG-A\n"), two);
    EXPECT_EQ(rows("2 4\none A\nC\nGT\n\ntwo TG-A\n"), two);
    EXPECT_EQ(rows("2 4\nmy one    AC\nGT\nmy two    T\nG-A\n"),
              (std::vector<Row>{{"my one", "ACGT"}, {"my two", "TG-A"}}));
}

TEST(Phylip, ReadsInterleavedBlocks) {
    EXPECT_EQ(rows("2 4\none AC\ntwo TG\n\nGT\n-A\n"), two);
    EXPECT_EQ(rows("2 4\none A\ntwo T\n   C\n   G\nGT\n-A\n"), two);
    EXPECT_EQ(rows("2 4\nmy one    AC\nmy two    TG\n\nGT\n-A\n"),
              (std::vector<Row>{{"my one", "ACGT"}, {"my two", "TG-A"}}));
}

// All lines are 10 + 20 or 30 characters wide, so the numbers in the header fit both layouts.
TEST(Phylip, TakesLayoutThatKeepsNamesOutOfCells) {
    std::string const group = "ACGTACGTAC ";
    auto const line = [&](std::string const& first) { return first + " " + group + group + "\n"; };
    std::string const more = line("ACGTACGTAC");
    auto const names = [](std::string const& text) { return parse_alignment(text, "f").names; };
    std::vector<std::string> const expected{"first_name", "secnd_name", "third_name"};
    auto const header = std::string("3 50\n");
    EXPECT_EQ(names(header + line(expected[0]) + more + line(expected[1]) + more + line(expected[2]) + more), expected);
    EXPECT_EQ(names(header + line(expected[0]) + line(expected[1]) + line(expected[2]) + more + more + more), expected);
}

TEST(Phylip, ChecksTheHeader) {
    auto const numbers = std::string("expected the numbers of taxa and sites, such as '12 898', found ");
    EXPECT_EQ(error_of("2\none ACGT\n"), "f:1:2: " + numbers + "the end of the line");
    EXPECT_EQ(error_of("2 x4\none ACGT\n"), "f:1:3: " + numbers + "'x4'");
    EXPECT_EQ(error_of("2 4x\none ACGT\n"), "f:1:3: " + numbers + "'4x'");
    EXPECT_EQ(error_of("0 4\n"), "f:1:1: " + numbers + "'0'");
    EXPECT_EQ(error_of("2 -0\n"), "f:1:3: " + numbers + "'-0'");
    EXPECT_EQ(error_of("99999999999999999999 4\n"), "f:1:1: " + numbers + "'99999999999999999999'");
    auto const layout =
        std::string("expected I (interleaved), S (sequential) or nothing after the numbers of taxa and ");
    EXPECT_EQ(error_of("2 4 G\none ACGT\n"), "f:1:5: " + layout + "sites, found 'G'");
    EXPECT_EQ(error_of("2 4 I S\none ACGT\n"), "f:1:5: " + layout + "sites, found 'I'");
    EXPECT_EQ(error_of("2 4I\none ACGT\n"), "f:1:3: " + numbers + "'4I'");
}

TEST(Phylip, TakesTheLayoutThatTheHeaderTells) {
    EXPECT_EQ(rows(" 2 4 I\none   AC\ntwo   TG\n\n      GT\n      -A\n"), two);
    EXPECT_EQ(rows("2 4  S \none\nAC\nGT\ntwo\nTG\n-A\n"), two);
    EXPECT_EQ(error_of("2 4 I\none\nAC\nGT\ntwo\nTG\n-A\n"),
              "f:5:1: taxon 'AC' has 3 sites up to here, but 'one' has 2");
    EXPECT_EQ(error_of("2 4 S\none AC\ntwo TG\nGT\n-A\n"),
              "f:3:1: taxon 'one' has 7 of the 4 sites that the header promises");
}

TEST(Phylip, ComparesTheRowsWithTheHeader) {
    EXPECT_EQ(error_of("3 4\none ACGT\ntwo TG-A\n"),
              "f:3: the file ends after 2 of the 3 taxa that the header promises");
    EXPECT_EQ(error_of("2 4\n"), "f:1: the file ends after 0 of the 2 taxa that the header promises");
    EXPECT_EQ(error_of("1 4\none ACGT\ntwo TG-A\n"),
              "f:3:1: expected the end of the file after the 1 taxa of 4 sites that the header promises");
    EXPECT_EQ(error_of("3 4\none ACGT\ntwo TG-\nthree AAAA\n"),
              "f:3:1: taxon 'two' has 3 of the 4 sites that the header promises");
    EXPECT_EQ(error_of("3 4\none ACGT\ntwo TG-AA\nthree AAAA\n"),
              "f:3:1: taxon 'two' has 5 of the 4 sites that the header promises");
    EXPECT_EQ(error_of("2 6\none AC\ntwo TG\n\nGTA\n-A\n"),
              "f:6:1: taxon 'two' has 4 sites up to here, but 'one' has 5");
    EXPECT_EQ(error_of("2 5\none AC\nGTA\ntwo TG\n-A\n"),
              "f:4:1: taxon 'two' has 4 of the 5 sites that the header promises");
}

TEST(Phylip, ChecksNamesAndCharacters) {
    EXPECT_EQ(error_of("2 4\none ACGT\none TG-A\n"), "f:3:1: taxon 'one' is already on line 2");
    EXPECT_EQ(error_of("2 4\none ACGT\ntwo TG\x7f"
                       "A\n"),
              "f:3:7: '\\x7f' cannot be part of a sequence");
    EXPECT_EQ(error_of("1 4\n          ACGT\n"), "f:2:11: taxon 'ACGT' has 0 of the 4 sites that the header promises");
}

TEST(Phylip, AllocatesNoMoreThanTheFileJustifies) {
    EXPECT_EQ(error_of("18446744073709551615 18446744073709551615\na ACGT\n"),
              "f:2: the file ends after 1 of the 18446744073709551615 taxa that the header promises");
    EXPECT_EQ(error_of("1 18446744073709551615\na ACGT\n"),
              "f:2:1: taxon 'a' has 4 of the 18446744073709551615 sites that the header promises");
}

/// "line:column" of each cell of a taxon.
std::string places(std::string const& text, std::size_t taxon) {
    auto const alignment = parse_alignment(text, "f");
    std::string result;
    for (std::size_t site = 0; site < alignment.num_sites(); ++site) {
        auto const [file, line, column] = alignment.position(taxon, site);
        EXPECT_EQ(file, "f");
        if (site != 0) result += ' ';
        result.append(std::to_string(line)).append(":").append(std::to_string(column));
    }
    return result;
}

TEST(Alignment, KnowsWhereTheCellsOfFastaAre) {
    auto const text = "\n>one\nAC\n\n G\tT \n>two\nTG-A\n";
    EXPECT_EQ(places(text, 0), "3:1 3:2 5:2 5:4");
    EXPECT_EQ(places(text, 1), "7:1 7:2 7:3 7:4");
    EXPECT_EQ(places("\xef\xbb\xbf>one\r\nA\r\n CG\r\n\r\nT", 0), "2:1 3:2 3:3 5:1");
}

TEST(Alignment, KnowsWhereTheCellsOfPhylipAre) {
    auto const sequential = "2 4\none A C\nGT\ntwo\n  TG-A\n";
    EXPECT_EQ(places(sequential, 0), "2:5 2:7 3:1 3:2");
    EXPECT_EQ(places(sequential, 1), "5:3 5:4 5:5 5:6");
    auto const interleaved = "2 4\r\none AC\r\ntwo T G\r\n\r\n GT\r\n- A\r\n";
    EXPECT_EQ(places(interleaved, 0), "2:5 2:6 5:2 5:3");
    EXPECT_EQ(places(interleaved, 1), "3:5 3:7 6:1 6:3");
    EXPECT_EQ(places("1 4\nwith blankAC GT\n", 0), "2:11 2:12 2:14 2:15");
}

TEST(Alignment, KnowsNoPlacesIfItWasNotRead) {
    Alignment const made{.file = "f", .names = {"one"}, .cells = {'A'}};
    auto const where = made.position(0, 0);
    EXPECT_EQ(where.file, "f");
    EXPECT_EQ(where.line, 0u);
}

TEST(CellPositions, TakeRunsOfAnyLengthAndPlace) {
    constexpr auto far = std::uint64_t{1} << 40;
    CellPositions positions;
    positions.append_run({far, 127}, far);
    positions.append_run({far, far + 128}, 1);
    positions.append_unwritten({far + 128, 1}, far);
    positions.append_run({far + 129, 5}, 2);
    EXPECT_EQ(positions.at(0), (LineColumn{far, 127}));
    EXPECT_EQ(positions.at(far - 1), (LineColumn{far, far + 126}));
    EXPECT_EQ(positions.at(far), (LineColumn{far, far + 128}));
    EXPECT_EQ(positions.at(far + 1), (LineColumn{far + 128, 1}));
    EXPECT_EQ(positions.at(2 * far), (LineColumn{far + 128, 1}));
    EXPECT_EQ(positions.at(2 * far + 2), (LineColumn{far + 129, 6}));
    EXPECT_EQ(positions.runs().size(), 3U) << "of cells that are written";
}

TEST(CellPositionsDeathTest, AreInTheOrderOfTheText) {
    CellPositions positions;
    positions.append_run({2, 5}, 3);
    EXPECT_DEATH(positions.append_run({2, 7}, 1), "precondition");
    EXPECT_DEATH(positions.append_run({1, 9}, 1), "precondition");
    EXPECT_DEATH(positions.append_run({3, 1}, 0), "precondition");
    EXPECT_DEATH(positions.at(3), "precondition");
}

TEST(Alignment, ReadsTheSampleFiles) {
    auto const shape = [](std::string const& file) {
        auto const alignment = read_alignment(std::string(REGRAFT_DATA) + "/" + file);
        return std::vector<std::size_t>{alignment.num_taxa(), alignment.num_sites()};
    };
    EXPECT_EQ(shape("vertebrates.phy"), (std::vector<std::size_t>{17, 1998}));
    EXPECT_EQ(shape("primates.phy"), (std::vector<std::size_t>{12, 898}));
    EXPECT_EQ(shape("globins.phy"), (std::vector<std::size_t>{7, 128}));
    EXPECT_EQ(shape("elongation.phy"), (std::vector<std::size_t>{22, 915}));
    auto const strict = read_alignment(std::string(REGRAFT_DATA) + "/elongation.phy");
    EXPECT_EQ(strict.names[0], "EFTU_ECOLI");
    EXPECT_EQ(strict.names[1], "EFTU_HELPY");
    EXPECT_EQ(strict.row(0).substr(0, 20), "--------------SKEKFE");
}

}  // namespace
}  // namespace regraft::msa
