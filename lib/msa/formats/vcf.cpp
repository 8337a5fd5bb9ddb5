// VCF 4.0 to 4.5: https://samtools.github.io/hts-specs. The text comes site by site and is transposed at the end.
#include "regraft/msa/vcf.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "msa/differences/line_reader.hpp"
#include "msa/formats/readers.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {
namespace {

/// The columns before those of the samples.
constexpr std::array<std::string_view, 9> fixed_columns{"#CHROM", "POS",    "ID",   "REF",   "ALT",
                                                        "QUAL",   "FILTER", "INFO", "FORMAT"};
/// Numbers of those that are looked at.
enum FixedColumn : std::size_t { chrom = 0, pos = 1, ref = 3, alt = 4, call_format = 8 };
constexpr std::string_view letters_of_bases = "ACGTURYSWKMBDHVN";

/// The bases of an allele; none if it was deleted.
using Allele = StateMask;
constexpr Allele no_base = 0;
constexpr Allele any_base = all_states(4);

/// The letter for each set of bases.
std::array<char, any_base + 1> letters_of_masks() {
    std::array<char, any_base + 1> letters{};
    for (char const c : letters_of_bases) {
        if (c != 'U') letters[state_mask(Alphabet::dna, c)] = c;
    }
    letters[no_base] = '-';
    return letters;
}

/// Takes what is before the first separator from a text. The text is then what is behind it, or ends.
std::string_view take_until(std::string_view& text, char separator) {
    auto const size = std::min(text.find(separator), text.size());
    auto const part = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    return part;
}

/// The allele of a text; none if it is no single base. '<*>' and '<NON_REF>' stand for any base that was not seen.
std::optional<Allele> allele_of(std::string_view text) {
    if (text == "*") return no_base;
    if (text == "<*>" || text == "<NON_REF>") return any_base;
    if (text.size() != 1) return std::nullopt;
    auto const upper = 'a' <= text[0] && text[0] <= 'z' ? static_cast<char>(text[0] - 'a' + 'A') : text[0];
    if (letters_of_bases.find(upper) == std::string_view::npos) return std::nullopt;
    return state_mask(Alphabet::dna, upper);
}

class VcfReader {
public:
    VcfReader(TextSource const& source, std::string const& file, NotSnp others)
        : lines_(source), file_(file), others_(others), names_(file) {}

    VcfAlignment read();

private:
    bool next_line();
    void read_header();
    void check_columns();
    void read_record();
    void split_fixed();
    bool find_alleles();
    void leave_out();
    void check_is_new();
    std::size_t place_of_genotype();
    void read_calls();
    char cell_of(std::string_view call) const;
    Allele allele_in(std::string_view number, std::string_view call) const;
    Alignment transposed();

    [[noreturn]] void fail(std::string_view at, std::string const& what) const {
        throw InputError(position(file_, line_, at.data()), what);
    }

    LineReader lines_;
    std::string const& file_;
    NotSnp others_;
    NameList names_;
    std::string header_;                                        // the line of names, to which these refer
    Line line_;                                                 // the current one
    std::array<std::string_view, fixed_columns.size()> fixed_;  // of the current record
    std::string_view calls_;                                    // the rest of the current record
    std::vector<Allele> alleles_;                               // of the current record, by their number
    std::string last_place_;                                    // CHROM and POS of the last SNP
    std::uint64_t last_line_ = 0;                               // its line
    std::uint64_t skipped_ = 0;
    std::vector<char> cells_;  // site by site
    std::array<char, any_base + 1> const letters_ = letters_of_masks();
};

bool VcfReader::next_line() {
    std::string_view text;
    if (!lines_.next(text)) return false;
    if (text.ends_with('\r')) text.remove_suffix(1);
    line_ = {text, line_.number + 1};
    return true;
}

VcfAlignment VcfReader::read() {
    read_header();
    while (next_line()) {
        if (!trim(line_.text).empty()) read_record();
    }
    if (cells_.empty()) {
        throw InputError({file_}, "has no SNPs, and " + std::to_string(skipped_) +
                                      " other records; expected VCF with at least one SNP");
    }
    return {transposed(), skipped_};
}

void VcfReader::read_header() {
    while (next_line()) {
        if (line_.number == 1 ? is_vcf(line_.text) : line_.text.starts_with("##")) continue;
        if (!line_.text.starts_with('#')) fail(line_.text, "expected a line of the header, '##...' or '#CHROM...'");
        return check_columns();
    }
    throw InputError({file_}, "has no line '#CHROM ...', expected one behind the header");
}

void VcfReader::check_columns() {
    header_ = line_.text;
    line_.text = header_;
    std::string_view rest = header_;
    for (auto const expected : fixed_columns) {
        auto const at = rest;
        if (auto const found = take_until(rest, '\t'); found != expected) {
            if (found.empty() && expected == fixed_columns[call_format]) break;
            fail(at, "column " + in_quotes(found) + ", expected " + in_quotes(expected) + ", and tabs between columns");
        }
    }
    if (rest.empty()) fail(rest, "there are no samples, expected their names behind FORMAT");
    while (!rest.empty()) {
        auto const name = take_until(rest, '\t');
        names_.add(name, line_, name.data());
    }
    if (header_.ends_with('\t')) names_.add("", line_, header_.data() + header_.size());
}

void VcfReader::read_record() {
    split_fixed();
    if (!find_alleles()) return leave_out();
    check_is_new();
    read_calls();
}

/// Finds the columns before the calls.
void VcfReader::split_fixed() {
    calls_ = line_.text;
    for (std::size_t i = 0; i < fixed_.size(); ++i) {
        if (calls_.empty()) {
            fail(calls_, "the record has " + std::to_string(i) + " columns, expected " +
                             std::to_string(fixed_.size() + names_.size()) + " with tabs between them");
        }
        fixed_[i] = take_until(calls_, '\t');
    }
    auto const text = fixed_[pos];
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        fail(text, "POS is " + in_quotes(text) + ", expected a whole number");
}

/// Finds the alleles; false if the record is no SNP.
bool VcfReader::find_alleles() {
    if (fixed_[ref].empty()) fail(fixed_[ref], "REF is empty, expected a base");
    if (fixed_[alt].empty()) fail(fixed_[alt], "ALT is empty, expected bases, or '.' if there are none");
    auto const reference = allele_of(fixed_[ref]);
    if (!reference || fixed_[ref].size() != 1 || fixed_[ref] == "*") return false;
    alleles_ = {*reference};
    auto rest = fixed_[alt];
    if (rest == ".") return true;
    bool is_any_base = false;
    while (!rest.empty()) {
        auto const text = take_until(rest, ',');
        auto const allele = allele_of(text);
        if (!allele) return false;
        is_any_base |= text.size() == 1;
        alleles_.push_back(*allele);
    }
    return is_any_base && !fixed_[alt].ends_with(',');
}

/// Skips a record that is no SNP, or refuses it.
void VcfReader::leave_out() {
    ++skipped_;
    if (others_ == NotSnp::skip) return;
    fail(fixed_[ref], "REF is " + in_quotes(fixed_[ref]) + " and ALT " + in_quotes(fixed_[alt]) +
                          ", expected SNPs, which have single bases; --not-snps skip leaves other records out");
}

/// Two SNPs at one place are one with several alleles, of which each record knows only a part.
void VcfReader::check_is_new() {
    auto const place = std::string(fixed_[chrom]) + '\t' + std::string(fixed_[pos]);
    if (place == last_place_) {
        fail(fixed_[pos], "position " + in_quotes(fixed_[pos]) + " of " + in_quotes(fixed_[chrom]) +
                              " is already on line " + std::to_string(last_line_) +
                              ", expected one record for each; bcftools norm -m +snps joins them");
    }
    last_place_ = place;
    last_line_ = line_.number;
}

/// The number of the genotype among the values of a call.
std::size_t VcfReader::place_of_genotype() {
    auto rest = fixed_[call_format];
    for (std::size_t i = 0; !rest.empty(); ++i) {
        if (take_until(rest, ':') == "GT") return i;
    }
    fail(fixed_[call_format], "FORMAT is " + in_quotes(fixed_[call_format]) + ", expected genotypes (GT) in it");
}

void VcfReader::read_calls() {
    auto const place = place_of_genotype();
    std::size_t count = 0;
    auto const wrong_number = [&](std::string_view at) {
        fail(at, "the record has " + std::to_string(count) + (at.empty() ? "" : " or more") + " calls, expected " +
                     std::to_string(names_.size()) + ", one for each sample");
    };
    for (auto rest = calls_; !rest.empty(); ++count) {
        if (count == names_.size()) wrong_number(rest);
        auto call = take_until(rest, '\t');
        for (std::size_t i = 0; i < place; ++i) take_until(call, ':');
        cells_.push_back(cell_of(take_until(call, ':')));
    }
    if (count < names_.size()) wrong_number(line_.text.substr(line_.text.size()));
}

char VcfReader::cell_of(std::string_view call) const {
    auto rest = call;
    if (rest.starts_with('/') || rest.starts_with('|')) rest.remove_prefix(1);  // whether the first is phased, VCF 4.4
    Allele bases = no_base;
    for (int count = 1;; ++count) {
        auto const size = std::min(rest.find_first_of("/|"), rest.size());
        bases |= allele_in(rest.substr(0, size), call);
        if (size == rest.size()) return letters_[bases];
        if (count == 2) fail(call, "genotype " + in_quotes(call) + " has more than two alleles, expected one or two");
        rest.remove_prefix(size + 1);
    }
}

/// The allele of a number in a call.
Allele VcfReader::allele_in(std::string_view number, std::string_view call) const {
    if (number == ".") return any_base;
    std::size_t allele = 0;
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), allele);
    if (error != std::errc() || end != number.data() + number.size())
        fail(call, "genotype " + in_quotes(call) + ", expected numbers of alleles, such as 1, 0/1, 0|1 or ./.");
    if (allele >= alleles_.size()) {
        fail(call, "genotype " + in_quotes(call) + " has allele " + std::to_string(allele) + ", expected at most " +
                       std::to_string(alleles_.size() - 1) + ", as there are no more in REF and ALT");
    }
    return alleles_[allele];
}

/// The alignment of the cells, of which it has a row per sample. Goes through them in squares that fit into caches.
Alignment VcfReader::transposed() {
    constexpr std::size_t side = 64;
    auto const num_taxa = names_.size();
    auto const num_sites = cells_.size() / num_taxa;
    Alignment alignment{.file = file_, .names = names_.take(), .cells = std::vector<char>(cells_.size())};
    alignment.is_verbatim = false;
    for (std::size_t sites = 0; sites < num_sites; sites += side) {
        auto const last_site = std::min(sites + side, num_sites);
        for (std::size_t taxa = 0; taxa < num_taxa; taxa += side) {
            for (auto taxon = taxa; taxon < std::min(taxa + side, num_taxa); ++taxon) {
                for (auto site = sites; site < last_site; ++site)
                    alignment.cells[taxon * num_sites + site] = cells_[site * num_taxa + taxon];
            }
        }
    }
    return alignment;
}

}  // namespace

bool is_vcf(std::string_view text) {
    return without_byte_order_mark(text).starts_with("##fileformat=VCF");
}

VcfAlignment read_vcf(TextSource const& source, std::string const& file, NotSnp others) {
    return VcfReader(source, file, others).read();
}

}  // namespace regraft::msa
