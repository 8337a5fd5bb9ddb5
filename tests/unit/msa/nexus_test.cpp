#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/partition.hpp"
#include "support/msa/parsed_rows.hpp"

namespace regraft::msa {
namespace {

using test::error_of;
using test::Rows;
using test::rows;

/// A block with two taxa and four sites.
std::string data(std::string const& format, std::string const& matrix) {
    return "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat " + format + ";\nmatrix\n" + matrix + "\n;\nend;\n";
}

Rows const two{"one: ACGT", "two: TG-A"};

TEST(Nexus, ReadsRowsOneAfterTheOther) {
    EXPECT_EQ(rows(data("datatype=dna", "one ACGT\ntwo TG-A")), two);
    EXPECT_EQ(rows(data("datatype=dna", "one\nAC\nG T\n\n  two T G\n-\tA")), two);
    EXPECT_EQ(rows("#nexus begin characters; dimensions nchar=4; matrix one ACGT\ntwo TG-A; endblock;"), two);
}

TEST(Nexus, ReadsBlocksOfRows) {
    EXPECT_EQ(rows(data("interleave", "one AC\ntwo TG\n\none GT\ntwo -A")), two);
    EXPECT_EQ(rows(data("interleave=yes datatype=dna", "one AC\ntwo TG\none GT\ntwo -A")), two);
    EXPECT_EQ(rows(data("interleave=no", "one AC\nGT\ntwo TG\n-A")), two);
}

TEST(Nexus, ReadsWhatMesquiteAndPaupWrite) {
    EXPECT_EQ(rows("#NEXUS\n[written Mon Jan 01 by Mesquite]\n\nBEGIN TAXA;\n\tTITLE Taxa;\n\tDIMENSIONS NTAX=2;\n"
                   "\tTAXLABELS\n\t\tone two\n\t;\nEND;\n\nBEGIN CHARACTERS;\n\tTITLE  Character_Matrix;\n"
                   "\tDIMENSIONS  NCHAR=4;\n\tFORMAT DATATYPE = DNA GAP = - MISSING = ?;\n\tCHARSTATELABELS 1 a, 2 "
                   "'b; c' ;\n\tMATRIX\n\tone  ACGT\n\ttwo  TG-A\n\n;\n\nEND;\n\nBEGIN TREES;\n\tTRANSLATE\n[0] \t\t1 "
                   "one,\n[1] \t\t2 two;\n\tTREE t = (1,2);\nEND;\n"),
              two);
    EXPECT_EQ(rows("#NEXUS\nBegin data;\nDimensions ntax=2 nchar=4;\nFormat datatype=mixed(DNA:1-2,Standard:3-4) "
                   "symbols=\"0123\" interleave missing=? gap=-;\nMatrix\n[ 2 ]\none AC01\ntwo TG23\n;\nEnd;\n"
                   "begin mrbayes;\n set autoclose=yes nowarn=yes;\nend;\n"),
              (Rows{"one: AC01", "two: TG23"}));
}

TEST(Nexus, KeepsUnderscoresAndWhatIsInQuotes) {
    EXPECT_EQ(rows(data("datatype=dna", "'it''s [1]; a' ACGT\nHomo_sapiens TG-A")),
              (Rows{"it's [1]; a: ACGT", "Homo_sapiens: TG-A"}));
}

TEST(Nexus, PutsInWhatCharactersStandFor) {
    EXPECT_EQ(rows(data("datatype=dna gap=~ missing=N matchchar=.", "one A~Nn\ntwo .C..")),
              (Rows{"one: A-??", "two: AC??"}));
    EXPECT_EQ(rows(data("interleave matchchar='.'", "one AC\ntwo .G\none GT\ntwo -.")),
              (Rows{"one: ACGT", "two: AG-T"}));
    EXPECT_EQ(rows(data("datatype=protein missing=N", "one ACnX\ntwo NWYV")), (Rows{"one: AC?X", "two: ?WYV"}));
    EXPECT_EQ(rows(data("datatype=dna", "one A.?-\ntwo TG-A"))[0], "one: A.?-") << "no matchchar was declared";
}

TEST(Nexus, ReadsWhatOneCharacterIsEquatedWith) {
    EXPECT_EQ(rows(data("datatype=dna equate=\"x={CT} 1=A z=?\"", "one xC1Z\ntwo TG-A")),
              (Rows{"one: YCA?", "two: TG-A"}));
    EXPECT_EQ(rows(data("equate='x=~' gap=~ datatype=dna", "one ACxT\ntwo TG~A")), (Rows{"one: AC-T", "two: TG-A"}));
    EXPECT_EQ(rows(data("datatype=standard equate=\"x=0\" respectcase", "one xX01\ntwo 0101")),
              (Rows{"one: 0X01", "two: 0101"}));
    EXPECT_EQ(rows(data("datatype=dna equate=\"x=A\" RespectCase", "one xXGT\ntwo TG-A")),
              (Rows{"one: AAGT", "two: TG-A"}));
    EXPECT_TRUE(parse_alignment(data("datatype=dna transpose=no respectcase", "one ACGT\ntwo TG-A"), "f").is_verbatim);
}

TEST(Nexus, TakesTheTaxaOfTheBlockThatIsLinked) {
    std::string const taxa =
        "#NEXUS\nbegin taxa; title 'First one'; dimensions ntax=2; taxlabels one two; end;\n"
        "begin taxa; title Second; dimensions ntax=3; taxlabels a b c; end;\n";
    auto const characters = [&](std::string const& link) {
        return taxa + "begin characters; title m; " + link +
               " dimensions nchar=4; format datatype=dna; matrix\none ACGT\ntwo TG-A\n; end;\n";
    };
    EXPECT_EQ(rows(characters("link taxa='first one';")), two);
    EXPECT_EQ(rows(characters("LINK TAXA = 'FIRST ONE' notes=x;")), two);
    EXPECT_EQ(rows(characters("")), two) << "without a link it is unknown which block is meant";
    EXPECT_EQ(error_of(characters("link taxa=second;")),
              "f:7:1: the matrix has 2 taxa, expected the 3 that ntax promises");
}

TEST(Nexus, SkipsLinesBetweenBlocks) {
    auto const text = data("datatype=dna", "one ACGT\ntwo TG-A");
    EXPECT_EQ(rows("#NEXUS\nwritten by a program;\nwe begin here\n" + text.substr(7) + "\nwhat is left\n" +
                   "Begin trees; tree t = (one,two); end;\n"),
              two);
    EXPECT_EQ(error_of(text + "\nwhat is left"), "f:11:1: expected 'begin', as in 'begin sets;'");
}

TEST(Nexus, TakesBlanksAndUnderscoresInNamesForTheSame) {
    Rows const rows_of_two{"sp one: ACGT", "sp_two: TG-A"};
    EXPECT_EQ(rows(data("interleave datatype=dna", "'sp one' AC\nsp_two TG\nsp_one GT\n'sp two' -A")), rows_of_two);
    EXPECT_EQ(error_of(data("datatype=dna", "'sp one' ACGT\nsp_one TG-A")),
              "f:7:1: taxon 'sp_one' is already there as 'sp one'; in NEXUS, blanks and underscores are the same");
}

TEST(Nexus, HasLettersForSetsOfStates) {
    EXPECT_EQ(rows(data("datatype=dna", "one {CT}(a g)C{A,C,G,T}\ntwo {-A}{U}{CY}{R}")),
              (Rows{"one: YRCN", "two: -TYR"}));
    EXPECT_EQ(rows(data("datatype=protein", "one {ND}A(QE)C\ntwo ACDE")), (Rows{"one: BAZC", "two: ACDE"}));
    EXPECT_EQ(rows(data("datatype=protein", "one {ARNDCQEGHILKMFPSTWYV}A{-A}C\ntwo ACDE")),
              (Rows{"one: XA-C", "two: ACDE"}));
    EXPECT_EQ(error_of(data("datatype=dna", "one A{C5}GT\ntwo TG-A")), "f:6:8: '5' is no DNA symbol");
    EXPECT_EQ(error_of(data("datatype=dna", "one A{CGT\ntwo TG-A")),
              "f:6:6: this set of states does not end on its line");
}

TEST(Nexus, HasSetsOfStatesWithoutLetters) {
    auto const alignment = parse_alignment(
        data("datatype=standard symbols=\"0123456\" equate=\"a={12} b=3\"", "one 0(0 1)a{2,1}\ntwo b{?0}{01234 56}1"),
        "f");
    EXPECT_FALSE(alignment.is_verbatim);
    auto const masks = [&](std::size_t row, Alphabet alphabet) {
        std::vector<StateMask> found;
        for (char const c : alignment.row(row)) found.push_back(state_mask(alphabet, c));
        return found;
    };
    EXPECT_EQ(masks(0, Alphabet::multistate(7)), (std::vector<StateMask>{1, 3, 6, 6}));
    EXPECT_EQ(masks(1, Alphabet::multistate(7)), (std::vector<StateMask>{8, 127, 127, 2}));
    EXPECT_EQ(masks(0, Alphabet::multistate(2)), (std::vector<StateMask>{1, 3, 0, 0}));  // 2 is none of two states
    EXPECT_EQ(state_mask(Alphabet::binary, alignment.cell(0, 1)), 3u);
    EXPECT_EQ(canonical(Alphabet::binary, alignment.cell(0, 1)), '-');
    EXPECT_EQ(canonical(Alphabet::multistate(7), alignment.cell(1, 2)), '-');
    EXPECT_EQ(canonical(Alphabet::multistate(9), alignment.cell(1, 2)), alignment.cell(1, 2));
    EXPECT_EQ(alignment.sets, SetCharacters());
}

/// The masks of a row's cells.
std::vector<StateMask> masks_in(Alignment const& alignment, std::size_t row, Alphabet alphabet) {
    std::vector<StateMask> found;
    for (char const c : alignment.row(row)) found.push_back(state_mask(alphabet, c, alignment.sets));
    return found;
}

TEST(Nexus, HasSetsOfAnyStates) {
    auto const alignment = parse_alignment(
        data("datatype=standard equate=\"x={AB} y={CD} z={09}\"", "one {8 9}x(01)Z\ntwo 0{9A}{0z}9"), "f");
    EXPECT_EQ(masks_in(alignment, 0, Alphabet::multistate(12)), (std::vector<StateMask>{0x300, 0xc00, 3, 0x201}));
    EXPECT_EQ(masks_in(alignment, 1, Alphabet::multistate(12)), (std::vector<StateMask>{1, 0x600, 0x201, 0x200}));
    EXPECT_EQ(masks_in(alignment, 1, Alphabet::multistate(10)), (std::vector<StateMask>{1, 0, 0x201, 0x200}));
    // Only sets that occur have characters.
    EXPECT_EQ(alignment.sets.sets(), (std::vector<StateMask>{3, 0x201, 0x300, 0x600, 0xc00}));
    auto const letters =
        parse_alignment(data("datatype=standard symbols=\"abcdefgh\"", "one a{ah}aa\ntwo h{gh}aa"), "f");
    EXPECT_EQ(masks_in(letters, 0, Alphabet::multistate(8)), (std::vector<StateMask>{1, 0x81, 1, 1}));
    EXPECT_EQ(masks_in(letters, 1, Alphabet::multistate(8)), (std::vector<StateMask>{0x80, 0xc0, 1, 1}));
}

TEST(Nexus, RefusesWhatIsNoSet) {
    for (std::string const format : {"standard", "dna", "protein"}) {
        EXPECT_EQ(error_of(data("datatype=" + format, "one ?{}??\ntwo ????")),
                  "f:6:6: no character stands for the states '{}'; expected a state");
        EXPECT_EQ(error_of(data("datatype=" + format, "one ?( , )??\ntwo ????")),
                  "f:6:6: no character stands for the states '( , )'; expected a state");
    }
    EXPECT_EQ(error_of(data("datatype=standard equate=\"x={}\"", "one 0123\ntwo 0123")),
              "f:4:36: no character stands for the states '{}'; expected a state");
    EXPECT_EQ(error_of(data("datatype=standard", "one 0{01}{\x80}3\ntwo 0123")).substr(0, 7), "f:6:11:");
}

TEST(Nexus, HasTheUsualCharactersForSetsIfTheseAreEnough) {
    auto const alignment =
        parse_alignment(data("datatype=standard equate=\"x={78}\"", "one 0{56}00\ntwo 1{01}00"), "f");
    EXPECT_TRUE(alignment.sets.are_usual());
    EXPECT_EQ(masks_in(alignment, 0, Alphabet::multistate(7)), (std::vector<StateMask>{1, 0x60, 1, 1}));
    EXPECT_EQ(masks_in(alignment, 1, Alphabet::multistate(7)), (std::vector<StateMask>{2, 3, 1, 1}));
}

TEST(Nexus, HasSetsOfAminoAcidsWithoutLetters) {
    auto const alignment = parse_alignment(data("datatype=protein", "one {IV}A{IL}C\ntwo A(AR)D{VI}"), "f");
    auto const states = [](std::string_view letters) {
        StateMask mask = 0;
        for (char const c : letters) mask |= state_mask(Alphabet::amino_acid, c);
        return mask;
    };
    EXPECT_EQ(masks_in(alignment, 0, Alphabet::amino_acid),
              (std::vector<StateMask>{states("IV"), states("A"), states("IL"), states("C")}));
    EXPECT_EQ(masks_in(alignment, 1, Alphabet::amino_acid),
              (std::vector<StateMask>{states("A"), states("AR"), states("D"), states("IV")}));
    EXPECT_EQ(alignment.cell(0, 2), 'J');
    EXPECT_EQ(alignment.sets.sets(), (std::vector<StateMask>{states("AR"), states("IV")}));
    auto const table = character_table(alignment);
    EXPECT_EQ(table.kind, CharacterKind::amino_acid);
    EXPECT_EQ(table.states[static_cast<unsigned char>(alignment.cell(0, 0))], states("IV"));
}

/// Different pairs of states, this many, in a row, from the last one on.
std::string pairs_of_states(std::size_t count) {
    std::string row;
    auto const symbols = multistate_symbols().substr(0, 20);
    for (std::size_t a = symbols.size(); a-- > 0;) {
        for (std::size_t b = 0; b < a && count > 0; ++b, --count)
            row.append("{").append(1, symbols[b]).append(1, symbols[a]).append("}");
    }
    return row;
}

std::string row_of_pairs(std::size_t count) {
    return "#NEXUS\nbegin data;\ndimensions nchar=" + std::to_string(count) +
           ";\nformat datatype=standard;\nmatrix\none " + pairs_of_states(count) + "\n;\nend;\n";
}

TEST(Nexus, HasUpTo128DifferentSets) {
    auto const alignment = parse_alignment(row_of_pairs(128), "f");
    auto masks = masks_in(alignment, 0, Alphabet::multistate(20));
    EXPECT_EQ(masks.front(), StateMask{1} << 19U | 1U);
    std::ranges::sort(masks);
    EXPECT_EQ(alignment.sets.sets(), masks);
    EXPECT_EQ(std::unique(masks.begin(), masks.end()), masks.end());
    EXPECT_EQ(error_of(row_of_pairs(129)),
              "f:6:517: no character stands for the states '{4B}'; expected at most 128 different sets");
}

TEST(Nexus, NumbersStatesInTheOrderOfSymbols) {
    auto const standard = [](std::string const& format, std::string const& matrix) {
        return data("datatype=standard missing=? gap=- " + format, matrix);
    };
    EXPECT_EQ(rows(standard("symbols=\"abc\"", "one aBc?\ntwo -cba")), (Rows{"one: 012?", "two: -210"}));
    EXPECT_EQ(rows(standard("symbols=\"c a\tb\"", "one abca\ntwo bbbb")), (Rows{"one: 1201", "two: 2222"}));
    EXPECT_EQ(rows(standard("symbols=\"5 ~ 7\"", "one 5677\ntwo 7565")), (Rows{"one: 0122", "two: 2010"}));
    EXPECT_EQ(rows(standard("symbols=12", "one 1212\ntwo 2211")), (Rows{"one: 0101", "two: 1100"}));
    EXPECT_EQ(rows(standard("symbols=\"0~9 A~C\"", "one 0189\ntwo aBC0")), (Rows{"one: 0189", "two: aBC0"}));
    EXPECT_EQ(rows(standard("symbols=\"0~2 x~z\"", "one 0xyz\ntwo 2X10")), (Rows{"one: 0345", "two: 2310"}));
    EXPECT_EQ(rows(standard("symbols=\"aA\" respectcase", "one aAaA\ntwo AAaa")), (Rows{"one: 0101", "two: 1100"}));
    EXPECT_EQ(rows(standard("symbols=\"01\"", "one 0123\ntwo 3210")), (Rows{"one: 0123", "two: 3210"}));
    EXPECT_EQ(rows(standard("symbols=\"b-a?c\"", "one a-?c\ntwo bbca")), (Rows{"one: 1-?2", "two: 0021"}));
    EXPECT_EQ(rows(data("datatype=standard symbols=\"+-\"", "one +--+\ntwo ++?-")), (Rows{"one: 0110", "two: 00?1"}));
    EXPECT_EQ(error_of(data("datatype=standard symbols=\"2-10\" missing=?", "one 01-2\ntwo 012?")),
              "f:4:8: '-' is one of the symbols, and may be a state or a gap; expected gap=- if it is a gap, and "
              "another symbol otherwise");
    EXPECT_EQ(rows(data("symbols=\"TGCA\" datatype=dna", "one ACGT\ntwo TG-A")), two);
}

TEST(Nexus, TakesSymbolsTogetherWithMatchesEquatesAndSets) {
    auto const alignment = parse_alignment(
        data("datatype=standard symbols=\"abcd\" matchchar=. equate=\"x=(ab) y=c z={b}\"", "one a{cd}xy\ntwo .{ab}.z"),
        "f");
    std::vector<StateMask> masks;
    for (char const c : alignment.cells) masks.push_back(state_mask(Alphabet::multistate(4), c));
    EXPECT_EQ(masks, (std::vector<StateMask>{1, 12, 3, 4, 1, 3, 3, 2}));
    EXPECT_EQ(rows(data("datatype=standard symbols=\"abcd\"", "one {a}bcd\ntwo (d)abc")),
              (Rows{"one: 0123", "two: 3012"}));
}

TEST(Nexus, RefusesWhatIsNoSymbol) {
    auto const error = [](std::string const& symbols, std::string const& row) {
        return error_of(data("datatype=standard symbols=" + symbols, "one " + row + "\ntwo aaaa"));
    };
    EXPECT_EQ(error("\"abc\"", "ab0a"), "f:6:7: '0' is no symbol of 'format'; expected abc");
    EXPECT_EQ(error("\"abc\"", "a{bd}aa"), "f:6:8: 'd' is no multistate symbol");
    EXPECT_EQ(error("\"abA\"", "abab"),
              "f:4:8: the symbol 'a' is there twice; expected one for each state, or 'respectcase'");
    EXPECT_EQ(error("\"\"", "abab"), "f:4:34: expected the symbols of the states, such as \"012\"");
    EXPECT_EQ(error("\"!~~ !~~\"", "abab"), "f:4:8: there are 188 symbols; expected at most 64");
}

TEST(Nexus, PutsSitesOfFurtherBlocksBehindTheOthers) {
    auto const two_blocks = [](std::string const& rows) {
        return "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=3;\nformat datatype=dna matchchar=.;\nmatrix\na ACG\nb .T.\n;\nend;\n"
               "begin characters;\ndimensions nchar=2;\nformat datatype=standard missing=?;\nmatrix\n" +
               rows + ";\nend;\n";
    };
    EXPECT_EQ(rows(two_blocks("b 01\na 1?\n")), (Rows{"a: ACG1?", "b: ATG01"}));
    auto const alignment = parse_alignment(two_blocks("b 01\na 1?\n"), "f");
    EXPECT_FALSE(alignment.is_verbatim);
    EXPECT_EQ(alignment.position(0, 4).line, 15u);
    EXPECT_EQ(alignment.position(0, 4).column, 4u);
    EXPECT_EQ(error_of(two_blocks("b 01\n")),
              "f:13:1: taxon 'a' is in one block of characters and not in another; expected the same taxa");
    EXPECT_EQ(error_of(two_blocks("b 01\nc 01\na 11\n")),
              "f:13:1: taxon 'c' is in one block of characters and not in another; expected the same taxa");
}

TEST(Nexus, KnowsWhetherItsCellsStandInTheText) {
    EXPECT_TRUE(parse_alignment(data("datatype=dna gap=- missing=?", "one AC?T\ntwo TG-A"), "f").is_verbatim);
    EXPECT_FALSE(parse_alignment(data("gap=~", "one AC~T\ntwo TG-A"), "f").is_verbatim);
    EXPECT_FALSE(parse_alignment(data("matchchar=.", "one ACGT\ntwo .G-A"), "f").is_verbatim);
    EXPECT_FALSE(parse_alignment(data("datatype=dna", "one {CT}CGT\ntwo TG-A"), "f").is_verbatim);
}

TEST(Nexus, SaysWhatIsWrongWithRows) {
    EXPECT_EQ(
        error_of(data("datatype=dna", "one ACGT\ntwo TG-")),
        "f:7:1: taxon 'two' has 3 of the 4 sites that nchar promises; blocks of rows need 'interleave' in 'format'");
    EXPECT_EQ(
        error_of(data("datatype=dna", "one ACGTA\ntwo TG-A")),
        "f:6:1: taxon 'one' has 5 of the 4 sites that nchar promises; blocks of rows need 'interleave' in 'format'");
    EXPECT_EQ(error_of(data("interleave", "one AC\ntwo TG\none GT\ntwo -")),
              "f:9:1: taxon 'two' has 3 of the 4 sites that nchar promises");
    EXPECT_EQ(error_of(data("interleave", "one AC\ntwo T\none GT\ntwo -A")),
              "f:7:1: taxon 'two' has 1 sites up to here, but 'one' has 2");
    EXPECT_EQ(error_of(data("interleave", "one AC\ntwo TG\none GT\nthree -A")),
              "f:9:1: expected taxon 'two', as in the block before, found 'three'");
    EXPECT_EQ(error_of(data("", "one ACGT\none TG-A")), "f:7:1: taxon 'one' is already on line 6");
    EXPECT_EQ(error_of(data("", "one ACGT")), "f:7:1: the matrix has 1 taxa, expected the 2 that ntax promises");
    EXPECT_EQ(error_of(data("", "")), "f:7:1: the matrix has no rows");
    EXPECT_EQ(error_of(data("", "'one ACGT\ntwo TG-A")), "f:6:1: this name does not end; expected a quote");
    EXPECT_EQ(error_of(data("", "'' ACGT\ntwo TG-A")), "f:6:1: a taxon's name is missing");
    EXPECT_EQ(error_of(data("", "o\x01 ACGT\ntwo TG-A")),
              "f:6:1: '\\x01' cannot be part of a taxon's name; expected printable UTF-8");
    EXPECT_EQ(error_of(data("", "one AC\x01T\ntwo TG-A")), "f:6:7: '\\x01' cannot be part of a sequence");
    EXPECT_EQ(error_of(data("matchchar=.", "one AC.T\ntwo TG-A")),
              "f:6:7: '.' stands for the character of the first row, where there is none");
}

TEST(Nexus, SaysWhatIsWrongWithCommands) {
    auto const in_block = [](std::string const& commands) { return error_of("#NEXUS\nbegin data;\n" + commands); };
    EXPECT_EQ(error_of("#NEXUS\n"), "f: expected a block 'data' or 'characters' with a matrix, found none");
    EXPECT_EQ(error_of("#NEXUS\nbegin trees; tree t = (a,b); end;"),
              "f: expected a block 'data' or 'characters' with a matrix, found none");
    EXPECT_EQ(error_of("#NEXUS\nhello"), "f:2:1: expected 'begin', as in 'begin sets;'");
    EXPECT_EQ(error_of("#NEXUS [\n"), "f:1:8: this comment does not end; expected ']'");
    EXPECT_EQ(in_block("matrix a A; end;"), "f:3:8: expected 'dimensions nchar=N;' before the matrix");
    EXPECT_EQ(in_block("dimensions nchar=x;"), "f:3:18: expected a number, found 'x;'");
    EXPECT_EQ(in_block("dimensions nchar=99999999999999999999;"), "f:3:18: the number is too large");
    EXPECT_EQ(in_block("dimensions sites=4;"), "f:3:12: expected ntax=N, nchar=N or ';'");
    EXPECT_EQ(in_block("format datatype=continuous;"),
              "f:3:17: expected dna, rna, nucleotide, protein, standard, restriction or mixed, found 'continuous'");
    EXPECT_EQ(in_block("format\ncolour=\"x=y\";"),
              "f:4:1: expected datatype, gap, missing, matchchar, equate, interleave, symbols, labels or ';' in "
              "'format', found 'colour'");
    EXPECT_EQ(in_block("format transpose;"), "f:3:8: 'transpose' is not supported; expected a row for each taxon");
    EXPECT_EQ(in_block("format equate=x;"), "f:3:15: expected a quote, found 'x;'");
    EXPECT_EQ(in_block("format equate=\"x\";"), "f:3:17: expected '=' and what the character stands for, found '\";'");
    EXPECT_EQ(in_block("format datatype=dna equate=\"x={AC\";"), "f:3:31: this set of states does not end");
    EXPECT_EQ(in_block("format datatype=dna equate=\"x={A5}\";"), "f:3:33: '5' is no DNA symbol");
    EXPECT_EQ(in_block("format datatype=protein equate=\"x={}\";"),
              "f:3:35: no character stands for the states '{}'; expected a state");
    EXPECT_EQ(in_block("link taxa=other;"), "f:3:11: there is no block 'taxa' with the title 'other'");
    EXPECT_EQ(in_block("format gap=;"), "f:3:12: expected a character");
    EXPECT_EQ(in_block("format gap=- missing=-;"),
              "f:3:8: one character has two meanings; expected gap, missing and matchchar to differ");
    EXPECT_EQ(in_block("format labels=right;"), "f:3:8: expected labels on the left: a name at the begin of each row");
    EXPECT_EQ(in_block("eliminate 2-3;"),
              "f:3:1: 'eliminate' is not supported; expected a matrix without these characters");
    EXPECT_EQ(in_block("dimensions nchar=1; matrix a A\nb C"), "f:3:28: this matrix does not end; expected ';'");
    EXPECT_EQ(in_block("dimensions nchar=1;\nmatrix a A;\nmatrix a A;"),
              "f:5:1: this is the second matrix; expected one");
    EXPECT_EQ(in_block("dimensions nchar=1;\nmatrix a A;\n"), "f:5:1: expected 'end;', found the end of the file");
}

TEST(Nexus, TakesMemoryForTheTextAndNotForItsDimensions) {
    EXPECT_EQ(
        error_of(
            "#nexus begin data; dimensions ntax=18446744073709551615 nchar=18446744073709551615; matrix a A\n; end;"),
        "f:1:1: taxon 'a' has 1 of the 18446744073709551615 sites that nchar promises; blocks of rows need "
        "'interleave' in 'format'");
}

TEST(Nexus, MayHavePartitionsBesideTheMatrix) {
    auto const text = data("datatype=dna", "one ACGT\n'it''s; two' TG-A") +
                      "begin sets; charset 'a [1]' = 1-2; charset b = 3-4; end;";
    EXPECT_EQ(parse_alignment(text, "f").num_sites(), 4U);
    auto const partitions = parse_partitions(text, "f", 4, "JC");
    ASSERT_EQ(partitions.size(), 2U);
    EXPECT_EQ(partitions[0].name, "a [1]");
}

}  // namespace
}  // namespace regraft::msa
