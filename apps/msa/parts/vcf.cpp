#include "parts/vcf.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::msa_cli {
namespace {

constexpr std::string_view bases = "ACGT";
constexpr std::uint8_t missing = 4;
using Base = std::uint8_t;  // by its number; or missing

Base base_of(char c) {
    if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == 'U') c = 'T';
    auto const found = bases.find(c);
    return found == std::string_view::npos ? missing : static_cast<Base>(found);
}

/// A row, and what it has.
template <class T>
struct InRow {
    std::uint32_t row = 0;
    T value{};
};

/// What rows have, by the site at which it is or begins.
template <class T, class SiteOf>
Csr<InRow<T>> by_site(Csr<T> const& rows, std::size_t num_sites, SiteOf site_of) {
    Csr<InRow<T>> result;
    result.offsets.assign(num_sites + 1, 0);
    for (auto const& value : rows.values) ++result.offsets[site_of(value) + 1];
    for (std::size_t site = 0; site < num_sites; ++site) result.offsets[site + 1] += result.offsets[site];
    result.values.resize(rows.values.size());
    auto next = result.offsets;
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
        for (auto const& value : rows[row]) result.values[next[site_of(value)]++] = {row, value};
    }
    return result;
}

class Writer {
public:
    Writer(msa::DifferenceRows const& rows, VcfReference const& reference, msa::TextSink const& sink)
        : rows_(rows),
          reference_(reference),
          sink_(sink),
          differences_(by_site(rows.differences, rows.num_sites(), [](auto const& d) { return d.site(); })),
          runs_(by_site(rows.runs, rows.num_sites(), [](auto const& run) { return run.first; })),
          covered_until_(rows.num_taxa()),
          run_base_(rows.num_taxa(), missing),
          bases_(rows.num_taxa()) {
        for (std::size_t i = 0; i < letter_base_.size(); ++i) letter_base_[i] = base_of(rows.letters[i]);
        may_have_base_.resize(rows.num_sites());
        for (auto const& run : rows.runs.values) {
            if (base_of(run.character) == missing) continue;
            std::fill_n(may_have_base_.begin() + run.first, run.size, char{1});
        }
    }

    void write(std::span<std::uint64_t const> sites) {
        write_header();
        std::uint64_t position = 0;
        for (std::uint64_t site = 0; site < rows_.num_sites() && !sites.empty(); ++site) {
            bool const is_wanted = sites.front() == site;
            if (is_wanted) sites = sites.subspan(1);
            for (auto const& [row, run] : runs_[site]) {
                covered_until_[row] = run.last();
                run_base_[row] = base_of(run.character);
            }
            if (reference_.cells[site] == '-') continue;
            ++position;
            if (is_wanted) write_site(site, position);
        }
        sink_(text_);
    }

private:
    void write_header() {
        auto const length =
            reference_.cells.size() - static_cast<std::size_t>(std::ranges::count(reference_.cells, '-'));
        text_ = fmt::format(
            "##fileformat=VCFv4.2\n##contig=<ID={},length={}>\n"
            "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Number of rows with each alternative\">\n"
            "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Number of rows with a base\">\n"
            "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT",
            reference_.name, length);
        for (auto const& name : rows_.names) text_.append(1, '\t').append(name);
        text_ += '\n';
    }

    void write_site(std::uint64_t site, std::uint64_t position) {
        auto const reference = base_of(reference_.cells[site]);
        auto const usual = letter_base_[rows_.reference[site]];
        bool const may_vary = !differences_[site].empty() || may_have_base_[site] != 0 || usual != reference;
        if (reference == missing || !may_vary) return;
        for (std::size_t row = 0; row < bases_.size(); ++row)
            bases_[row] = covered_until_[row] > site ? run_base_[row] : usual;
        for (auto const& [row, difference] : differences_[site]) bases_[row] = letter_base_[difference.letter()];
        std::array<std::uint64_t, missing + 1> count{};
        for (auto const base : bases_) ++count[base];
        std::array<char, missing + 1> shown{};
        shown[missing] = '.';
        shown[reference] = '0';
        std::string alternatives;
        std::string counts;
        char next = '1';
        for (Base base = 0; base < missing; ++base) {
            if (base == reference || count[base] == 0) continue;
            shown[base] = next++;
            alternatives.append(alternatives.empty() ? "" : ",").append(1, bases[base]);
            counts.append(counts.empty() ? "" : ",").append(std::to_string(count[base]));
        }
        if (alternatives.empty()) return;
        text_ += fmt::format("{}\t{}\t.\t{}\t{}\t.\t.\tAC={};AN={}\tGT", reference_.name, position, bases[reference],
                             alternatives, counts, rows_.num_taxa() - count[missing]);
        for (auto const base : bases_) text_.append(1, '\t').append(1, shown[base]);
        text_ += '\n';
        constexpr std::size_t piece = std::size_t{1} << 22;
        if (text_.size() < piece) return;
        sink_(text_);
        text_.clear();
    }

    msa::DifferenceRows const& rows_;
    VcfReference const& reference_;
    msa::TextSink const& sink_;
    Csr<InRow<msa::SiteLetter>> differences_;
    Csr<InRow<msa::CharacterRun>> runs_;
    std::array<Base, 4> letter_base_{};
    std::vector<char> may_have_base_;           // per site: whether a run has a base there
    std::vector<std::uint32_t> covered_until_;  // per row: the end of its last run so far
    std::vector<Base> run_base_;                // per row: the base of that run
    std::vector<Base> bases_;                   // per row, of the site
    std::string text_;
};

}  // namespace

void write_vcf(msa::DifferenceRows const& rows, VcfReference const& reference, std::span<std::uint64_t const> sites,
               msa::TextSink const& sink) {
    REGRAFT_EXPECTS(reference.cells.size() == rows.num_sites() && std::ranges::is_sorted(sites));
    Writer(rows, reference, sink).write(sites);
}

}  // namespace regraft::msa_cli
