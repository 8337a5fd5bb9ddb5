// The file format .rgm: a compressed alignment with its names, tree and text layout (docs/alignments/file-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/codec/columns.hpp"
#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/placement_tree.hpp"
#include "regraft/msa/text_layout.hpp"

#pragma GCC visibility push(default)
namespace regraft::codec {

/// The contents of a file beside the columns.
struct RgmExtras {
    std::vector<msa::PartitionSpec> partitions;  // empty: not given
    std::optional<msa::TextLayout> layout;       // layout of the text that was read; none: not known
};

/// Receives a file's bytes in order.
using ByteSink = std::function<void(std::span<std::byte const>)>;

/// Writes a file, each byte once, so the sink may be a pipe. O(output) time if encode() made the alignment. Otherwise
/// all of it is decoded for its hash; if a block is damaged, this throws InputError before the sink gets anything.
/// Preconditions: all blocks are here; models and names of partitions are not empty and printable.
void write_rgm(CompressedAlignment const& alignment, RgmExtras const& extras, ByteSink const& sink);

/// Writes a file of nearly equal rows: differences along a tree, and runs. O(differences + sites) memory. Throws
/// InputError, before the sink gets anything, if the rows are so much alike that a reader would refuse the file.
/// Preconditions: the text is read_differences's; the tree is placement_tree's.
void write_rgm(msa::DifferenceText const& text, msa::PlacementTree const& tree, ByteSink const& sink);

/// Writes a file that holds a text as a whole, for alignments that no tree makes smaller. It is at most as large as
/// zstd's default level makes the text, plus 64 bytes. Reading any site decompresses all of it. Texts up to 8 MiB are
/// also compressed with zstd_level.
void write_plain_rgm(std::string_view text, ByteSink const& sink, int zstd_level = 19);

/// The same with a model of texts, which makes short ones smaller than zstd does, at some MB per second. Precondition:
/// at most 2^20 bytes.
void write_modelled_rgm(std::string_view text, ByteSink const& sink);

/// Random access to the bytes of a file.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// The number of bytes of the file.
    virtual std::uint64_t size() const = 0;
    /// Fills out with the bytes from offset. Throws InputError if they cannot be read. Precondition: within size().
    virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
    virtual std::string const& name() const = 0;  // for messages
};

/// A file on disk. Throws InputError if it cannot be opened.
std::unique_ptr<ByteSource> open_bytes(std::filesystem::path const& path);
/// Bytes in memory, for example of standard input.
std::unique_ptr<ByteSource> bytes_in_memory(std::vector<std::byte> bytes, std::string name);

/// Whether these are the first bytes of an .rgm file. At least 4 bytes are needed.
bool is_rgm(std::span<std::byte const> head);
/// Whether the .rgm file that begins so holds a text, which is unpacked as a whole. At least 6 bytes are needed.
bool holds_text(std::span<std::byte const> head);

/// Limits for a file from an untrusted source.
struct RgmLimits {
    /// In bytes. A larger text, and more cells of columns at once, are refused before they are unpacked.
    std::uint64_t most_text = ~std::uint64_t{0};
};

/// An .rgm file. Header and index are read at once, and blocks on demand. All member functions throw InputError with
/// the file's name if what they read is damaged. Whatever the bytes, there is no crash, and memory stays below a small
/// multiple of the file's size and of what is requested. A file that holds a text is unpacked as a whole when it is
/// opened; zstd can make a text 2^15 times smaller, see RgmLimits. Not thread-safe.
class RgmFile {
public:
    /// Reads header and index. Throws InputError if they are damaged, or if a text is above the limits.
    explicit RgmFile(std::unique_ptr<ByteSource> source, RgmLimits limits = {});
    RgmFile(RgmFile&&) noexcept;
    RgmFile& operator=(RgmFile&&) noexcept;
    ~RgmFile();

    Kind kind() const;  // plain: the file holds a text, or columns that were not coded. A sparse file has no columns,
                        // but its sites can be read as plain ones
    /// The names of the rows, in their order in the text.
    std::span<std::string const> names() const;
    /// The number of rows.
    std::uint64_t num_taxa() const;
    /// The number of columns.
    std::uint64_t num_sites() const;
    /// The sites that are decoded together: of every block but the last.
    std::uint32_t sites_per_block() const;
    RootedTree const& tree() const;  // of a file that holds a text, or is sparse: rows in order, each the sibling of
                                     // all later ones
    /// Partitions and text layout, as far as the file has them.
    RgmExtras const& extras() const;
    std::span<Layer const> layers() const;  // the sizes of the file's parts: names, topology, ..., blocks; together all
                                            // of the file

    /// The blocks that contain any of the sites, read from the file and checked. Reads no other block. Precondition:
    /// sites within the alignment.
    CompressedAlignment read(SiteRange sites) const;
    /// All rows of a sparse file. Precondition: its kind.
    msa::DifferenceRows differences() const;
    /// Some rows, in this order. Reads the changes of the tree, and the runs of these rows and of their neighbours.
    /// Preconditions: the kind; rows of the alignment, each once.
    msa::DifferenceRows differences(std::span<std::size_t const> rows) const;
    /// The tree of a sparse file. Precondition: its kind.
    msa::PlacementTree placement_tree() const;
    /// The tree along which the alignment was compressed, as Newick. Throws InputError if there is none.
    std::string newick() const;
    /// The whole alignment as the text it was made from, byte by byte; FASTA with one line per row if that text's
    /// layout is not known.
    std::string text() const;
    /// The same in pieces; of a sparse file in bounded memory.
    void write_text(msa::TextSink const& sink) const;
    /// Reads and decodes everything, and compares it with the hash of the content.
    void verify() const;
    /// The same in parts, which several processes can share: a part is a block, or in a sparse file a row. There are
    /// none if the file holds a text, which is compared when it is opened.
    std::uint64_t num_content_parts() const;
    /// Reads and decodes some parts, and returns the hash of each.
    std::vector<std::uint64_t> content_hashes(BlockRange parts) const;
    /// Throws InputError unless these are the hashes of all parts as they were before they were compressed.
    void verify(std::span<std::uint64_t const> hashes) const;
    /// Number of bytes read from the source so far.
    std::uint64_t bytes_read() const;

private:
    struct [[gnu::visibility("hidden")]] State;
    std::unique_ptr<State> state_;
};

}  // namespace regraft::codec
#pragma GCC visibility pop
