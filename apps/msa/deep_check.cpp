#include "deep_check.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"
#include "regraft/msa/maple.hpp"

namespace regraft::msa_cli {
namespace {

constexpr std::size_t rows_at_once = 4096;
constexpr std::uint64_t most_groups_of_sites = 16;

void require(bool agrees, char const* way) {
    if (!agrees) throw InputError(std::string("the alignment that is read ") + way + " is not the whole one");
}

/// Calls visit(sites) for every step-th block.
template <class Visit>
void for_each_block(codec::RgmFile const& file, std::uint64_t step, Visit&& visit) {
    for (std::uint64_t first = 0; first < file.num_sites(); first += step * file.sites_per_block()) {
        auto const last = std::min<std::uint64_t>(first + file.sites_per_block(), file.num_sites());
        visit(SiteRange{SiteId{first}, SiteId{last}});
    }
}

void check_columns(codec::RgmFile const& file) {
    SiteRange const everything{SiteId{0}, SiteId{file.num_sites()}};
    auto const whole = file.read(everything).rows(everything);
    for_each_block(file, 1, [&](SiteRange sites) {
        auto const part = file.read(sites).rows(sites);
        for (std::size_t row = 0; row < whole.num_taxa(); ++row)
            require(part.row(row) == whole.row(row).substr(value(sites.first), sites.size()), "block by block");
    });
    auto const again = msa::parse_alignment(file.text(), "text");
    require(again.names == whole.names && again.cells == whole.cells, "from its text");
}

/// The text of some rows in the layout of all.
std::string text_of(msa::DifferenceRows const& rows, msa::TextLayout layout, std::size_t first) {
    auto& descriptions = layout.descriptions;
    if (!descriptions.empty() && layout.format == msa::TextFormat::fasta) {
        auto const begin = descriptions.begin() + static_cast<std::ptrdiff_t>(first);
        descriptions = {begin, begin + static_cast<std::ptrdiff_t>(rows.num_taxa())};
    }
    std::string text;
    msa::write_text(rows, layout, [&](std::string_view piece) { text += piece; });
    return text;
}

/// MAPLE is small, so it is written as a whole.
void check_maple(msa::DifferenceRows const& whole, msa::TextLayout const& layout) {
    auto const text = text_of(whole, layout, 0);
    require(msa::read_maple(msa::pieces_of(text), "text").rows == whole, "from its text");
}

void check_differences(codec::RgmFile const& file) {
    auto const whole = file.differences();
    auto const layout = file.extras().layout.value_or(msa::TextLayout{});
    bool const is_maple = layout.format == msa::TextFormat::maple;
    if (is_maple) check_maple(whole, layout);
    auto const reference = whole.reference_text();
    for (std::size_t first = 0; first < whole.num_taxa(); first += rows_at_once) {
        std::vector<std::size_t> rows(std::min(rows_at_once, whole.num_taxa() - first));
        std::iota(rows.begin(), rows.end(), first);
        auto const part = file.differences(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            require(std::ranges::equal(part.differences[i], whole.differences[rows[i]]) &&
                        std::ranges::equal(part.runs[i], whole.runs[rows[i]]),
                    "row by row");
        }
        if (is_maple) continue;
        auto const again = msa::read_differences(msa::pieces_of(text_of(part, layout, first)), part);
        require(again && again->rows == part, "from its text");
    }
    // Each of these makes all rows.
    auto const num_blocks = (file.num_sites() + file.sites_per_block() - 1) / file.sites_per_block();
    for_each_block(file, num_blocks / most_groups_of_sites + 1, [&](SiteRange sites) {
        auto const part = file.read(sites).rows(sites);
        auto cells = reference;
        for (std::size_t row = 0; row < whole.num_taxa(); ++row) {
            cells = reference;
            whole.write_row(row, cells);
            require(part.row(row) == std::string_view(cells).substr(value(sites.first), sites.size()), "site by site");
        }
    });
}

}  // namespace

void check_deeply(codec::RgmFile const& file) {
    file.verify();
    if (file.kind() == codec::Kind::sparse) return check_differences(file);
    check_columns(file);
}

}  // namespace regraft::msa_cli
