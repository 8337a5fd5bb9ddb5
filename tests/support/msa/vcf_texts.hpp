// Random texts of VCF.
#pragma once

#include <string>
#include <string_view>

#include "regraft/core/random.hpp"

namespace regraft::test {

/// The letters of its records, for damage.
inline constexpr std::string_view vcf_letters = "\n\r\t/|.,:*<>#ACGTN0123x\0";

/// A good text of SNPs with calls of one or two alleles.
inline std::string random_vcf(Random& random) {
    auto const num_samples = 1 + random.below(6);
    auto const* const end = random.below(4) == 0 ? "\r\n" : "\n";
    auto text = std::string("##fileformat=VCFv4.2").append(end);
    text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (std::uint64_t i = 0; i < num_samples; ++i) text.append("\ts").append(std::to_string(i));
    text += end;
    auto const call = [&] { return random.below(5) == 0 ? std::string(".") : std::to_string(random.below(3)); };
    for (auto position = 1 + random.below(30); position > 0; --position) {
        text.append("c\t").append(std::to_string(position));
        text.append(random.below(2) == 0 ? "\t.\tA\tG,*" : "\t.\tc\tT,A").append("\t.\t.\t.\tGT:DP");
        for (std::uint64_t i = 0; i < num_samples; ++i) {
            text.append("\t").append(call());
            if (random.below(2) == 0) text.append(random.below(2) == 0 ? "/" : "|").append(call());
            if (random.below(2) == 0) text.append(":7");
        }
        text += end;
    }
    return text;
}

}  // namespace regraft::test
