#include "options/raxml_names.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "options/iqtree_names.hpp"
#include "options/options.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

std::vector<std::string> words(std::string const& line) {
    std::istringstream in("regraft-phylo " + line);
    std::vector<std::string> result;
    for (std::string word; in >> word;) result.push_back(word);
    return result;
}

/// The words without the program.
std::string ours(std::string const& line) {
    std::string result;
    try {
        auto const translated = from_raxml(words(line));
        EXPECT_EQ(translated.at(0), "regraft-phylo");
        for (std::size_t i = 1; i < translated.size(); ++i) result += (i == 1 ? "" : " ") + translated[i];
    } catch (InputError const& error) {
        return std::string("error: ") + error.what();
    }
    return result;
}

TEST(RaxmlNames, HaveACommandInFront) {
    EXPECT_EQ(ours("--msa a.phy --model GTR+G"), "search --msa a.phy --model GTR+G");
    EXPECT_EQ(ours("--search --msa a.phy --model GTR+G"), "search --msa a.phy --model GTR+G");
    EXPECT_EQ(ours("--msa a.phy --evaluate --tree a.nwk --model JC"), "evaluate --msa a.phy --tree a.nwk --model JC");
    EXPECT_EQ(ours("--loglh --msa a.phy --tree a.nwk --model JC"), "loglh --msa a.phy --tree a.nwk --model JC");
    EXPECT_EQ(ours("--ancestral --msa a.phy --tree a.nwk --model JC"),
              "evaluate --ancestral --msa a.phy --tree a.nwk --model JC");
    EXPECT_EQ(ours("--check --msa a.phy --model JC"), "check --msa a.phy --model JC");
    EXPECT_EQ(ours("--parse --msa a.phy --model JC"), "check --msa a.phy --model JC");
    EXPECT_EQ(ours("--search1 --msa a.phy"), "search --starts pars{1} --msa a.phy");
    EXPECT_EQ(ours("--all --msa a.phy --bs-trees 100"), "search --msa a.phy --bs-trees 100");
    EXPECT_EQ(ours("--all --msa a.phy"), "search --bs-trees auto --msa a.phy");
    EXPECT_EQ(ours("--bootstrap --msa a.phy --bs-trees 50"), "search --msa a.phy --bs-trees 50");
    EXPECT_EQ(ours("--bootstrap --msa a.phy"), "search --bs-trees auto --msa a.phy");
    EXPECT_EQ(ours("--search --evaluate --msa a.phy"), "error: --search and --evaluate are two commands, expected one");
}

TEST(RaxmlNames, AreThoseOfOptionsThatAreCalledOtherwise) {
    EXPECT_EQ(ours("--msa a --threads auto --workers auto"), "search --msa a --threads 0 --groups 0");
    EXPECT_EQ(ours("--msa a --threads auto{8} --workers=4"), "search --msa a --threads 8 --groups 4");
    EXPECT_EQ(ours("--msa=a --threads=auto"), "search --msa a --threads 0");
    EXPECT_EQ(ours("-msa a -model JC"), "search --msa a --model JC");
    EXPECT_EQ(ours("--msa - --seed -12"), "search --msa - --seed -12");
    EXPECT_EQ(ours("--msa a --brlen proportional --site-repeats off"), "search --msa a --brlen scaled --repeats off");
    EXPECT_EQ(ours("--msa a --tree-constraint c.nwk --redo"), "search --msa a --constraint c.nwk --redo");
    EXPECT_EQ(ours("--msa a --tree pars{5},rand{5} --seed 7"), "search --msa a --tree pars{5},rand{5} --seed 7");
    EXPECT_EQ(ours("--all --msa a --bs-trees autoMRE"), "search --msa a --bs-trees auto");
}

TEST(RaxmlNames, OfChecksLeaveOutWhatBelongsToResults) {
    EXPECT_EQ(ours("--check --msa a --model JC --prefix x --threads 2 --seed 1"), "check --msa a --model JC");
    EXPECT_EQ(ours("--msa a --prefix x --parse"), "check --msa a");
}

TEST(RaxmlNames, MayBeFlagsForOptionsWithAValue) {
    EXPECT_EQ(ours("--fast --msa a --sh"), "search --effort fast --msa a --alrt 1000");
    EXPECT_EQ(raxml_advice("--sh"), "--sh is --alrt 1000 here");
    EXPECT_EQ(ours("-v"), "--version");
}

TEST(RaxmlNames, WithoutACounterpartAreRefusedUnlessTheyAskForWhatIsDone) {
    EXPECT_EQ(
        ours("--msa a --blmin 1e-6"),
        "error: --blmin of RAxML-NG has no counterpart here: the bounds of branch lengths are fixed; leave it out");
    EXPECT_EQ(ours("--msa a --opt-model on --opt-branches=on --msa-format auto"), "search --msa a");
    EXPECT_EQ(ours("--all --msa a --bs-metric tbe,fbp"), "search --bs-trees auto --msa a");
    EXPECT_EQ(ours("--all --msa a --bs-metric=tbe"), "search --bs-trees auto --msa a");
    EXPECT_NE(ours("--all --msa a --bs-metric fbp,sh").find("search --alrt N"), std::string::npos);
    EXPECT_NE(ours("--evaluate --msa a --opt-model off").find("loglh optimises nothing"), std::string::npos);
    EXPECT_NE(ours("--msa a --lh-epsilon 0.1").find("--effort"), std::string::npos);
    EXPECT_NE(ours("--msa a --log").find("--log of RAxML-NG"), std::string::npos);
    EXPECT_NE(ours("--msa a --opt-model").find("--opt-model of RAxML-NG"), std::string::npos);
}

TEST(RaxmlNames, LeaveOurCommandLinesAsTheyAre) {
    for (std::string const line :
         {"", "search --msa a.phy --blmin 1", "points", "frobnicate", "--help", "-h", "--version",
          "--support --tree a --bs-trees b", "--rfdist --tree a", "--consense MR --tree a", "check --msa a=b"}) {
        EXPECT_EQ(ours(line), line);
    }
}

TEST(RaxmlNames, AreExplainedWhereOursAreExpected) {
    EXPECT_EQ(raxml_advice("--workers"), "--workers is --groups here");
    EXPECT_EQ(raxml_advice("--precision"), "--precision: numbers have all 17 digits; leave it out");
    EXPECT_EQ(raxml_advice("--evaluate"), "--evaluate is the command evaluate here, or stands first");
    EXPECT_EQ(raxml_advice("--msa"), std::nullopt);
}

/// The answer to a command line of IQ-TREE, with its notes behind it; empty: it is of another program.
std::string answer(std::string const& line) {
    auto const found = from_iqtree(words(line));
    std::string result;
    if (!found) return result;
    for (auto const& word : found->words) result += (result.empty() ? "" : " ") + word;
    for (auto const& note : found->notes) result += " # " + note;
    return result;
}

TEST(IqtreeNames, HaveAnAnswer) {
    EXPECT_EQ(answer("-s a -m TEST -bb 100 -nt AUTO"), "search --msa a --model auto --ufboot 100");
    EXPECT_EQ(answer("-s a -z b -te c -n 0 -au"), "test --msa a --trees b");
    EXPECT_EQ(answer("-te c -z b -s a"), "test --trees b --msa a");
    EXPECT_EQ(answer("-t a -sup b -nt 2 -seed 1"), "support --bs-trees a --tree b");
    EXPECT_EQ(answer("-s a -te b -bb 100"), "evaluate --msa a --tree b --ufboot 100");
    EXPECT_EQ(answer("-s a -S p -b 100 --sampling GENESITE"),
              "genes --msa a --partitions p --bs-trees 100 --sampling genesites");
    EXPECT_EQ(answer("-s a -S p -bb 100"), "genes --msa a --partitions p # --ufboot: only search and evaluate have it");
    EXPECT_EQ(
        answer("-s a -b 100 --sampling GENE"),
        "search --msa a --bs-trees 100 # --sampling: sites are resampled in each partition; genes --sampling genesites also draws genes");
    EXPECT_EQ(answer("-s a -z b -bb 100"), "test --msa a --trees b # --ufboot: only search and evaluate have it");
    EXPECT_EQ(
        answer("-s a -te b -blfix -czb"),
        "evaluate --msa a --tree b --fix-lengths --collapse 2e-6 # -blfix: loglh keeps the parameters of the model, too");
    EXPECT_EQ(answer("-s a --frobnicate"), "search --msa a # --frobnicate: it is not known");
    EXPECT_EQ(answer("-s a -m"), "search --msa a --model");
    EXPECT_EQ(answer("-s a -m MFP+ASC -mset LG,WAG -mrate E,G,R"),
              "search --msa a --model auto+ASC --models LG,WAG --rates E,G,R");
    EXPECT_EQ(answer("-s a -mset mrbayes"),
              "search --msa a # -mset: --models takes names, such as GTR,HKY or LG,Q.*,mt*");
}

TEST(IqtreeNames, AreNotThoseOfOtherPrograms) {
    for (std::string const line : {"", "-s", "--msa a --fast", "-msa a -model JC", "search -s a", "--help",
                                   "-s a -m GTRGAMMA -p 1 -# 2 -n T1", "-f a -s a -m GTRGAMMA -n T1"}) {
        EXPECT_EQ(answer(line), "") << line;
    }
}

Parsed parse(std::string const& line) {
    auto const arguments = words(line);
    std::vector<char const*> pointers;
    for (auto const& argument : arguments) pointers.push_back(argument.c_str());
    return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
}

TEST(CommandLine, UnderstandsRaxmlNames) {
    auto const parsed =
        parse("--evaluate --msa a.phy --model GTR+G --tree a.nwk --threads auto{3} --brlen proportional");
    ASSERT_TRUE(parsed.options) << parsed.message;
    EXPECT_EQ(parsed.options->command, Command::evaluate);
    EXPECT_EQ(parsed.options->resources.threads, 3U);
    EXPECT_EQ(parsed.options->input.linkage, BranchLinkage::scaled);
    auto const refused = parse("--msa a.phy --model GTR+G --blopt nr_safe");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.message.find("regraft-phylo: --blopt of RAxML-NG has no counterpart here"), 0U)
        << refused.message;
}

TEST(CommandLine, SaysWhichOptionMayBeMeant) {
    auto const message = [](std::string const& line) {
        auto const parsed = parse(line);
        EXPECT_EQ(parsed.exit_code, 2) << line;
        return parsed.message.substr(0, parsed.message.find('\n'));
    };
    EXPECT_EQ(message("search --msa a --modle JC"), "regraft-phylo: there is no option --modle; did you mean --model?");
    EXPECT_EQ(message("search --mas a --model JC"), "regraft-phylo: there is no option --mas; did you mean --msa?");
    EXPECT_EQ(message("search --msa a --model=JC --theads=2"),
              "regraft-phylo: there is no option --theads; did you mean --threads?");
    EXPECT_EQ(message("search --msa a --frobnicate"), "regraft-phylo: there is no option --frobnicate");
    EXPECT_EQ(message("search --msa a --workers 2"),
              "regraft-phylo: there is no option --workers; --workers is --groups here");
    EXPECT_EQ(message("search --msa a -bb 1000"), "regraft-phylo: there is no option -bb; -bb is --ufboot here");
    EXPECT_EQ(message("search --msa a -te t"), "regraft-phylo: there is no option -te; -te is evaluate --tree here");
    EXPECT_EQ(message("serch --msa a"), "regraft-phylo: unknown command 'serch'; did you mean search?");
}

}  // namespace
}  // namespace regraft::phylo
