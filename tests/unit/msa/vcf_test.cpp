#include "regraft/msa/vcf.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/msa/parsed_rows.hpp"

namespace regraft::msa {
namespace {

using test::error_of;
using test::Rows;
using test::rows;

/// A text whose records have two samples.
std::string vcf(std::string const& records, std::string const& names = "a\tb") {
    return "##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + names +
           "\n" + records;
}

/// A record whose position is 1.
std::string record(std::string const& alleles, std::string const& calls, std::string const& format = "GT") {
    return "c\t1\t.\t" + alleles + "\t.\tPASS\t.\t" + format + "\t" + calls + "\n";
}

TEST(Vcf, HasABaseForEachCall) {
    EXPECT_EQ(rows(vcf(record("A\tG", "0\t1"))), (Rows{"a: A", "b: G"}));
    EXPECT_EQ(rows(vcf(record("a\tc,g,t", "2/2\t3|3"))), (Rows{"a: G", "b: T"}));
    EXPECT_EQ(rows(vcf(record("A\tG", "3:1/1:x\t.:0/0", "DP:GT:AD"))), (Rows{"a: G", "b: A"}));
    EXPECT_EQ(rows(vcf(record("N\t.", "0/0\t0"))), (Rows{"a: N", "b: N"}));
}

TEST(Vcf, HasTheLetterForTwoBases) {
    EXPECT_EQ(rows(vcf(record("A\tC,G,T", "0/1\t1|0") + "c\t2\t.\tA\tC,G,T\t.\t.\t.\tGT\t0/2\t3/1\n" +
                       "c\t3\t.\tA\tC,G,T\t.\t.\t.\tGT\t|2|3\t/0/3\n")),
              (Rows{"a: MRK", "b: MYW"}));
}

TEST(Vcf, HasNWhereAnAlleleIsMissing) {
    EXPECT_EQ(rows(vcf(record("A\tG", ".\t./."))), (Rows{"a: N", "b: N"}));
    EXPECT_EQ(rows(vcf(record("A\tG", "0/.\t.|1"))), (Rows{"a: N", "b: N"}));
    EXPECT_EQ(rows(vcf(record("A\tG,<NON_REF>", "0/2\t0/1"))), (Rows{"a: N", "b: R"}));
}

TEST(Vcf, HasAGapWhereADeletionWas) {
    EXPECT_EQ(rows(vcf(record("A\tG,*", "2\t2/2"))), (Rows{"a: -", "b: -"}));
    EXPECT_EQ(rows(vcf(record("A\tG,*", "2/1\t0|2"))), (Rows{"a: G", "b: A"}));
}

TEST(Vcf, MayHaveAnyLineEndsAndNames) {
    EXPECT_EQ(rows("\xef\xbb\xbf##fileformat=VCFv4.3\r\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta b\r\n"
                   "c\t1\t.\tA\tG\t.\t.\t.\tGT\t1\r\n\r\n"),
              (Rows{"a b: G"}));
    EXPECT_EQ(rows(vcf("c\t1\t.\tA\tG\t.\t.\t.\tGT\t0\t1")), (Rows{"a: A", "b: G"})) << "without a last line end";
}

TEST(Vcf, IsReadInPiecesOfAnySize) {
    std::string records;
    std::string expected;
    for (int i = 1; i < 200; ++i) {
        records += "c\t" + std::to_string(i) + "\t.\tA\tG\t.\t.\t.\tGT\t" + std::to_string(i % 3 == 0) + "\t0\n";
        expected += i % 3 == 0 ? 'G' : 'A';
    }
    auto const text = vcf(records);
    for (std::size_t const piece : {1, 7, 1000}) {
        auto const [alignment, skipped] = read_vcf(pieces_of(text, piece), "f");
        EXPECT_EQ(alignment.row(0), expected);
        EXPECT_EQ(alignment.row(1), std::string(199, 'A'));
        EXPECT_EQ(skipped, 0u);
    }
}

TEST(Vcf, SkipsOrRefusesWhatIsNoSnp) {
    for (std::string const alleles :
         {"AT\tA", "A\tAT", "A\t<DEL>", "A\tG[c:7[", "AC\tGT", "A\tG,AT", "A\t<NON_REF>", "A\tG,", "*\tA", "A\t-"}) {
        SCOPED_TRACE(alleles);
        auto const text = vcf(record(alleles, "0\t0") + "c\t1\t.\tA\tG\t.\t.\t.\tGT\t0\t1\n" + record(alleles, "x\ty"));
        EXPECT_TRUE(error_of(text).starts_with("f:4:7: REF is ")) << error_of(text);
        auto const [alignment, skipped] = read_vcf(pieces_of(text), "f", NotSnp::skip);
        EXPECT_EQ(skipped, 2u);
        EXPECT_EQ(alignment.cells, (std::vector{'A', 'G'}));
        EXPECT_TRUE(alignment.positions.empty());
    }
}

TEST(Vcf, SaysWhatIsWrong) {
    EXPECT_EQ(error_of("##fileformat=VCFv4.2\n"), "f: has no line '#CHROM ...', expected one behind the header");
    EXPECT_EQ(error_of("##fileformat=VCFv4.2\nc\t1\n"), "f:2:1: expected a line of the header, '##...' or '#CHROM...'");
    EXPECT_EQ(error_of("##fileformat=VCFv4.2\n#CHROM\tPOS\tREF\n"),
              "f:2:12: column 'REF', expected 'ID', and tabs between columns");
    EXPECT_EQ(error_of("##fileformat=VCFv4.2\n#CHROM POS\n"),
              "f:2:1: column '#CHROM POS', expected '#CHROM', and tabs between columns");
    EXPECT_EQ(error_of("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"),
              "f:2:39: there are no samples, expected their names behind FORMAT");
    EXPECT_EQ(error_of(vcf("", "a\ta")), "f:3:49: taxon 'a' is already on line 3");
    EXPECT_EQ(error_of(vcf("", "a\t")), "f:3:49: a taxon's name is missing");
    EXPECT_EQ(error_of(vcf("")), "f: has no SNPs, and 0 other records; expected VCF with at least one SNP");
    EXPECT_EQ(error_of(vcf("c\t1\t.\tA\tG\n")), "f:4:10: the record has 5 columns, expected 11 with tabs between them");
    EXPECT_EQ(error_of(vcf("c\tx\t.\tA\tG\t.\t.\t.\tGT\t0\t0\n")), "f:4:3: POS is 'x', expected a whole number");
    EXPECT_EQ(error_of(vcf(record("\tG", "0\t0"))), "f:4:7: REF is empty, expected a base");
    EXPECT_EQ(error_of(vcf(record("A\t", "0\t0"))), "f:4:9: ALT is empty, expected bases, or '.' if there are none");
    EXPECT_EQ(error_of(vcf(record("A\tG", "0\t0", "DP"))), "f:4:20: FORMAT is 'DP', expected genotypes (GT) in it");
    EXPECT_EQ(error_of(vcf(record("A\tG", "0"))), "f:4:24: the record has 1 calls, expected 2, one for each sample");
    EXPECT_EQ(error_of(vcf(record("A\tG", "0\t1\t0"))),
              "f:4:27: the record has 2 or more calls, expected 2, one for each sample");
    EXPECT_EQ(error_of(vcf(record("A\tG", "0\t1/1/0"))),
              "f:4:25: genotype '1/1/0' has more than two alleles, expected one or two");
    EXPECT_EQ(error_of(vcf(record("A\tG", "0\t0/2"))),
              "f:4:25: genotype '0/2' has allele 2, expected at most 1, as there are no more in REF and ALT");
    for (std::string const call : {"", "x", "-1", "0/", "0//1", "1.", "99999999999999999999"})
        EXPECT_TRUE(error_of(vcf(record("A\tG", call + "\t0"))).starts_with("f:4:23: genotype '" + call + "'")) << call;
    EXPECT_EQ(
        error_of(vcf(record("A\tG", "0\t1") + record("A\tT", "0\t1"))),
        "f:5:3: position '1' of 'c' is already on line 4, expected one record for each; bcftools norm -m +snps joins "
        "them");
}

}  // namespace
}  // namespace regraft::msa
