#include "edit/genetic_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {
namespace {

constexpr std::string_view bases = "ACGT";

/// The standard code, by codons in alphabetical order, AAA to TTT.
constexpr std::string_view standard_code = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF";

/// A code, as what it changes in the standard one: codons and what they mean, such as TGA W.
struct Code {
    std::uint32_t number;
    std::string_view changes;
};

constexpr std::array<Code, 27> codes{{
    {1, ""},                               // standard
    {2, "AGA* AGG* ATAM TGAW"},            // mitochondria of vertebrates
    {3, "ATAM CTTT CTCT CTAT CTGT TGAW"},  // mitochondria of yeasts
    {4, "TGAW"},                           // mitochondria of moulds and protozoa, Mycoplasma
    {5, "AGAS AGGS ATAM TGAW"},            // mitochondria of invertebrates
    {6, "TAAQ TAGQ"},                      // ciliates
    {9, "AAAN AGAS AGGS TGAW"},            // mitochondria of echinoderms and flatworms
    {10, "TGAC"},                          // Euplotidae
    {11, ""},                              // bacteria, archaea and plastids; other starts than 1
    {12, "CTGS"},                          // yeasts with another CTG
    {13, "AGAG AGGG ATAM TGAW"},           // mitochondria of ascidians
    {14, "AAAN AGAS AGGS TAAY TGAW"},      // mitochondria of some flatworms
    {15, "TAGQ"},                          // Blepharisma
    {16, "TAGL"},                          // mitochondria of Chlorophyceae
    {21, "AAAN AGAS AGGS ATAM TGAW"},      // mitochondria of trematodes
    {22, "TCA* TAGL"},                     // mitochondria of Scenedesmus
    {23, "TTA*"},                          // mitochondria of Thraustochytrium
    {24, "AGAS AGGK TGAW"},                // mitochondria of Rhabdopleuridae
    {25, "TGAG"},                          // candidate division SR1
    {26, "CTGA"},                          // Pachysolen
    {27, "TAAQ TAGQ TGAW"},                // Karyorelictea; TGA may also be a stop
    {28, "TAAQ TAGQ TGAW"},                // Condylostoma; all three may also be stops
    {29, "TAAY TAGY"},                     // Mesodinium
    {30, "TAAE TAGE"},                     // Peritrichia
    {31, "TAAE TAGE TGAW"},                // Blastocrithidia; TAA and TAG may also be stops
    {32, "TAGW"},                          // plastids of Balanophoraceae
    {33, "AGAS AGGK TAAY TGAW"},           // mitochondria of Cephalodiscidae
}};

std::size_t number_of(std::string_view codon) {
    std::size_t number = 0;
    for (auto const base : codon.substr(0, 3)) number = 4 * number + bases.find(base);
    return number;
}

/// The meanings of the 64 codons.
std::string codons_of(Code const& code) {
    std::string meanings(standard_code);
    constexpr std::size_t length = 5;  // of a change and the blank behind it
    for (auto changes = code.changes; changes.size() + 1 >= length;
         changes.remove_prefix(std::min(length, changes.size())))
        meanings[number_of(changes)] = changes[3];
    return meanings;
}

/// What may be one of several meanings.
char join(char a, char b) {
    constexpr std::array<std::string_view, 3> sets{"BDN", "ZEQ", "JIL"};
    if (a == 0 || a == b) return b;
    for (auto const set : sets) {
        if (set.find(a) != std::string_view::npos && set.find(b) != std::string_view::npos) return set[0];
    }
    return 'X';
}

}  // namespace

GeneticCode::GeneticCode(std::uint32_t number) : meanings_(4096, '\0') {
    auto const* const code = std::ranges::find(codes, number, &Code::number);
    if (code == codes.end())
        throw InputError(fmt::format("--code: there is no code {}, expected 1 to 6, 9 to 16 or 21 to 33", number));
    auto const meanings = codons_of(*code);
    for (std::size_t sets = 0; sets < meanings_.size(); ++sets) {
        for (std::size_t codon = 0; codon < meanings.size(); ++codon) {
            bool const fits = (sets >> (8 + codon / 16) & 1) != 0 && (sets >> (4 + codon / 4 % 4) & 1) != 0 &&
                              (sets >> (codon % 4) & 1) != 0;
            if (fits) meanings_[sets] = join(meanings_[sets], meanings[codon]);
        }
    }
}

}  // namespace regraft::msa_cli
