#include "msa/formats/blocks.hpp"

#include <utility>

namespace regraft::msa {

std::size_t BlockNames::row_of(std::string_view name, Line const& line, char const* at) {
    if (names_.size() != 0 && name == names_[0]) is_in_later_block_ = true;
    if (!is_in_later_block_) {
        names_.add(name, line, at);
        return row_ = names_.size() - 1;
    }
    row_ = (row_ + 1) % names_.size();
    if (name == names_[row_]) return row_;
    throw InputError(position(file_, line, at), "expected taxon " + in_quotes(names_[row_]) +
                                                    ", as in the block before, found " + in_quotes(name));
}

void BlockRows::add(std::string_view name, std::string_view cells, Line const& line) {
    auto const row = names_.row_of(name, line, name.data());
    if (row == rows_.size()) {
        rows_.emplace_back();
        positions_.emplace_back();
    }
    append_cells(rows_[row], positions_[row], cells, line, file_);
    if (rows_[row].size() == rows_[0].size()) return;
    throw InputError(position(file_, line, name.data()), "taxon " + in_quotes(name) + " has " +
                                                             std::to_string(rows_[row].size()) +
                                                             " sites up to here, but " + in_quotes(names_.list()[0]) +
                                                             " has " + std::to_string(rows_[0].size()));
}

Alignment BlockRows::take(Line const& end) {
    auto const at = position(file_, end, trim_left(end.text).data());
    if (rows_.empty()) throw InputError(at, "the alignment has no rows");
    if (rows_[0].empty())
        throw InputError(position(file_, names_.list().line(0), names_.list().line(0).text.data()),
                         "taxon " + in_quotes(names_.list()[0]) + " has no sites");
    if (!names_.is_at_end_of_block())
        throw InputError(at, "the alignment ends within a block; expected all " + std::to_string(rows_.size()) +
                                 " taxa of the first block in it");
    Alignment alignment{.file = file_, .names = names_.list().take(), .cells = {}, .positions = std::move(positions_)};
    alignment.cells.reserve(rows_.size() * rows_[0].size());
    for (auto const& row : rows_) alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    return alignment;
}

}  // namespace regraft::msa
