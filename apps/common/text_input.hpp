// Reads texts of alignments piece by piece, plain or packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/packings.hpp"

namespace regraft::common {

class InputFile;

/// An upper bound for the size of a text of an alignment by its packed size. A larger text is refused as a bomb before
/// it fills the memory.
constexpr std::uint64_t most_text(std::uint64_t packed) {
    return (std::uint64_t{256} << 20) + 250 * packed;
}

/// Whether a text may be of any size, and unpacking it take any memory.
enum class SizeLimit : std::uint8_t { most_text, none };

/// Fills a buffer with the next bytes. Returns how many; 0 at the end.
using ByteReader = std::function<std::size_t(std::span<char>)>;

/// The bytes of an input. If gzip, bzip2, xz or zstd packed them, the text in all of its members, one after the other;
/// the first bytes tell. Memory: two pieces, and that of the packer's library.
class TextInput {
public:
    /// A file, or standard input if its path is "-".
    explicit TextInput(std::string const& path, SizeLimit limit = SizeLimit::most_text);
    /// `size`: that of the packed bytes, if it is known; otherwise the limit follows from what was read so far.
    TextInput(ByteReader source, std::string name, std::optional<std::uint64_t> size, SizeLimit limit);
    TextInput(TextInput const&) = delete;
    TextInput& operator=(TextInput const&) = delete;

    /// Null: the bytes are not packed.
    Packing const* packing() const { return packing_; }
    /// Whether it is a file, which can be read again, and no pipe.
    bool is_file() const { return size_.has_value(); }
    /// Fills a buffer with the next bytes. Returns how many; 0 at the end. Throws InputError with the name if packed
    /// bytes are damaged or cut off, if something else follows them, or if they do not hold a text: if there is a NUL,
    /// or more than most_text.
    std::size_t read(std::span<char> buffer);
    /// What is left; O(size) memory.
    std::string rest();

private:
    TextInput(std::shared_ptr<InputFile> const& file, std::string name, SizeLimit limit);
    [[noreturn]] void fail(std::string const& what) const;
    void refill();
    std::size_t unpack(std::span<char> buffer);
    bool next_member();
    void check_text(std::string_view piece);

    ByteReader source_;
    std::string name_;
    std::optional<std::uint64_t> size_;
    SizeLimit limit_;
    std::string buffer_;        // bytes of the source
    std::string_view pending_;  // those of them that are left
    std::uint64_t bytes_read_ = 0;
    std::uint64_t text_size_ = 0;
    bool is_over_ = false;  // nothing is left of the source
    Packing const* packing_ = nullptr;
    std::unique_ptr<Unpacker> unpacker_;  // null: the bytes are not packed, or all members are unpacked
};

/// Reads the begin of an input, from which the format of a text follows that is no MAPLE: 64 bytes, or all.
std::string read_head(TextInput& input);
/// Fills a buffer with the next bytes of an input, of which `head` has been read already. It becomes shorter.
std::size_t read_behind(std::string& head, TextInput& input, std::span<char> buffer);

/// The bytes of a file, or of standard input if path is "-", unpacked if they are packed. O(size) memory. Throws
/// InputError.
std::string read_unpacked(std::string const& path, SizeLimit limit = SizeLimit::most_text);

}  // namespace regraft::common
