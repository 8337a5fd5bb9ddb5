// Compresses the text of an alignment to the bytes of an .rgm file, by the coding that makes it smallest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/codec/columns.hpp"
#include "regraft/codec/rooted_tree.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"
#include "regraft/msa/partition.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// Levels of compression: higher ones make smaller files, lower ones take less time.
inline constexpr std::uint32_t fastest_level = 1;
inline constexpr std::uint32_t usual_level = 6;  // the one of PackOptions
inline constexpr std::uint32_t best_level = 9;   // the smallest files

/// Texts of at most this size, in bytes, are packed in several ways, and the smallest result is taken.
inline constexpr std::uint64_t small_text = std::uint64_t{16} << 20;
/// Texts above this size take too much memory to be coded by columns, if rows are possible.
inline constexpr std::uint64_t most_text_by_columns = std::uint64_t{256} << 20;

/// How a text or rows are packed. The functions are empty or callable; pack calls them on its own thread.
struct PackOptions {
    std::uint32_t level = usual_level;  // from fastest_level to best_level
    std::optional<Kind> kind{};         // none: native, sparse or plain, whichever makes it smallest
    std::uint32_t sites_per_block = 0;  // of columns; 0: as many as are read in about 100 us
    std::uint64_t seed = 1;             // of the search for a tree
    /// Makes the tree along which columns are coded. Empty: a parsimony tree is looked for.
    std::function<RootedTree(msa::Alignment const&)> tree{};
    /// Makes the partitions that are stored. Empty: there are none.
    std::function<std::vector<msa::PartitionSpec>(msa::Alignment const&)> partitions{};
    /// Is told what begins, and which parts of the whole work are done at its begin and its end.
    std::function<void(std::string_view what, double begin, double end)> begins = [](auto...) {};
    /// Is told which part of that is done.
    std::function<void(double part)> reached = [](auto) {};
};

/// What is packed: a text, nearly equal rows from which the text can be made, or both.
struct PackInput {
    std::optional<std::string_view> text{};     // the whole text; it must outlive the call
    std::optional<msa::DifferenceText> rows{};  // the rows, with what the text has beside them
};

/// What pack has made.
struct Packed {
    std::string bytes{};       // a complete .rgm file
    Kind kind = Kind::native;  // the coding that was chosen
    std::uint64_t taxa = 0;    // rows of the alignment
    std::uint64_t sites = 0;   // columns of the alignment
};

/// When rows are packed. Rows that suffice are packed alone; others also by columns and as a text, if there is one.
enum class RowUse : std::uint8_t { never, if_they_suffice, always };
/// never: the options ask for what only coded columns have.
RowUse row_use(PackOptions const& options);
/// Whether a text of so many bytes need not be packed in any other way: it has a difference or run per 64 cells at
/// most, or more than most_text_by_columns bytes, and more than small_text bytes in any case.
bool rows_suffice(msa::DifferenceRows const& rows, std::uint64_t text_bytes);

/// Packs an alignment. The result is the same for any number of threads. Throws InputError with `name` for a text that
/// is no alignment, and for one that cannot be packed as the options say. Memory: the alignment, and a small multiple
/// of it during the tree search and the coding of columns; without a text, a small multiple of the differences.
/// Preconditions: there is a text or rows; fastest_level <= level <= best_level.
Packed pack(PackInput input, std::string const& name, PackOptions const& options = {});

/// Packs a text, and finds out whether it has nearly equal rows.
Packed pack(std::string_view text, std::string const& name, PackOptions const& options = {});

}  // namespace regraft::codec
#pragma GCC visibility pop
