// Made by tools/codec/priors.py: what is known of letters before an alignment is. A digit is a code of a frequency, 0
// to v.
#pragma once

#include <array>
#include <string_view>

namespace regraft::codec {

struct Prior {
    std::string_view letters;
    std::string_view frequencies;
    std::array<std::string_view, 20> changes;  // per letter
};

/// Nucleotides: the letters, most frequent first; codes of their frequencies; and for each letter those of the letters
/// to which it changes.
inline constexpr Prior nucleotides{"ACTG", "vuut", {"0ssv", "r0vm", "rv0m", "vmn0"}};

/// Amino acids: the letters, most frequent first; codes of their frequencies; and for each letter those of the letters
/// to which it changes.
inline constexpr Prior amino_acids{
    "LAEVKISGRTDPFNQYMHCW",
    "vuuuuuutttttttssrrpp",
    {"0vqqtpqsrsqopotolprs", "v0uqrrorqptsroqrotpo", "qu0sqvqqrruptppoppnk", "rqr0rvtpttrprvqpmmnm",
     "urqr0rppvqrnqqoopmlp", "qrvvr0qqursptrrromml", "rpqupr0qqvqtqrosmlkm", "utsrrsr0vsrpvrqpqoqn",
     "srrtvuqt0qrmqqqpmnmp", "tqsursvrq0pouqpoonlm", "rvvsstrrsq0ssrrpmpnl", "rvsrprvqpqt0qrprsppm",
     "rtutrvrvsvsp0trqsonl", "oppvqrqpqqqor0nllkkl", "vsqrpsppsqsorp0qkoro", "svrssuvqsrsrspt0spon",
     "qttrutrtqtquvqou0pmm", "rvqoonmopoponlonl0mq", "vtqroqnspopppntoko0m", "vrnosooosonmmopmksl0"}};

}  // namespace regraft::codec
