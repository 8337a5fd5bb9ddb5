#include "parts/opened.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include <unistd.h>

#include "common/input.hpp"
#include "input/files.hpp"
#include "parts/cut.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/difference_parts.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// Whether a file begins as an .rgm file does. A pipe cannot be read twice, so it is not looked at.
bool is_rgm_file(std::string const& path) {
    std::error_code none;
    if (path == "-" || !std::filesystem::is_regular_file(path, none)) return false;
    std::string head(4, ' ');
    head.resize(InputFile(path).read(head));
    return is_rgm(head);
}

}  // namespace

Opened::Opened(std::string const& input, GeneralOptions const& general) : input_(shown_input(input)) {
    if (is_rgm_file(input)) {
        file_.emplace(open_rgm(codec::open_bytes(input), general));
    } else {
        if (input == "-" && isatty(STDIN_FILENO) != 0)
            throw InputError("an alignment is not read from a terminal; expected a FILE");
        open_text(input, general);
    }
    if (file_ && general.names != Names::first) use_names(general.names, input);
}

void Opened::take(Source source, std::string const& name) {
    if (!source.text) {
        rows_ = std::move(source.rows);
        return;
    }
    text_ = *std::move(source.text);
    alignment_ = msa::parse_alignment(text_, name);
    text_layout_ = msa::layout_without_skeleton(text_, *alignment_);
}

/// Renames the rows of a .rgm file.
void Opened::use_names(Names names, std::string const& input) {
    auto const& layout = file_->extras().layout;
    if (!is_regular()) {  // only the text has the rest of the lines
        auto text = file_->text();
        file_.reset();
        join_names(text);
        return take(source_of(std::move(text), codec::RowUse::if_they_suffice), shown_input(input));
    }
    names_ = names_of(file_->names(), layout, names);
    msa::check_names(names_, shown_input(input));
}

void Opened::open_text(std::string const& input, GeneralOptions const& general) {
    auto source = read_source(input, codec::RowUse::if_they_suffice, general);
    auto const name = shown_input(input);
    if (source.text && is_rgm(*source.text)) {
        auto const bytes = std::as_bytes(std::span(*source.text));
        file_.emplace(open_rgm(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name), general));
        return;
    }
    take(std::move(source), name);
}

std::span<std::string const> Opened::names() const {
    if (!names_.empty()) return names_;
    if (file_) return file_->names();
    return rows_ ? rows_->rows.names : alignment_->names;
}

std::uint64_t Opened::num_sites() const {
    if (file_) return file_->num_sites();
    return rows_ ? rows_->rows.num_sites() : alignment_->num_sites();
}

std::span<msa::PartitionSpec const> Opened::partitions() const {
    if (file_) return file_->extras().partitions;
    return {};
}

std::optional<msa::TextLayout> Opened::layout() const {
    if (file_) {
        auto layout = file_->extras().layout;
        if (layout && !names_.empty()) layout->descriptions = {};
        return layout;
    }
    return rows_ ? rows_->layout : text_layout_;
}

bool Opened::is_regular() const {
    if (!file_) return rows_.has_value();
    auto const& layout = file_->extras().layout;
    return has_differences() || (file_->kind() != codec::Kind::plain && layout && layout->skeleton.empty());
}

bool Opened::has_differences() const {
    return rows_ || (file_ && file_->kind() == codec::Kind::sparse);
}

msa::DifferenceRows Opened::differences(std::span<std::size_t const> rows) const {
    auto chosen = stored_differences(rows);
    for (std::size_t i = 0; i < rows.size() && !names_.empty(); ++i) chosen.names[i] = names_[rows[i]];
    return chosen;
}

msa::DifferenceRows Opened::stored_differences(std::span<std::size_t const> rows) const {
    bool const are_all = rows.size() == names().size() && std::ranges::is_sorted(rows);
    if (!file_) return are_all ? rows_->rows : select_rows(rows_->rows, rows);
    return are_all ? file_->differences() : file_->differences(rows);
}

msa::Alignment Opened::cut(std::span<std::size_t const> rows, std::span<std::uint64_t const> sites) const {
    auto part = file_ ? cut_blocks(*file_, rows, sites) : cut_cells(*alignment_, rows, sites);
    for (std::size_t i = 0; i < rows.size() && !names_.empty(); ++i) part.names[i] = names_[rows[i]];
    return part;
}

void Opened::write_text(msa::TextSink const& sink) const {
    if (file_) return file_->write_text(sink);
    rows_ ? msa::write_text(rows_->rows, rows_->layout, sink) : sink(text_);
}

std::optional<std::uint64_t> Opened::bytes_read() const {
    if (!file_) return std::nullopt;
    return file_->bytes_read();
}

}  // namespace regraft::msa_cli
