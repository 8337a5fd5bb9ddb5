// Numbers and sections as file formats have them: the same bytes on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Appends to bytes. fixed() writes little endian, number() writes LEB128.
class FormatWriter {
public:
    /// Appends the lowest num_bytes bytes of a number. Precondition: num_bytes <= 8.
    void fixed(std::uint64_t number, std::size_t num_bytes) {
        for (; num_bytes > 0; --num_bytes, number >>= 8) bytes_.push_back(static_cast<std::byte>(number & 0xff));
    }
    /// Appends 7 bits per byte, in 1 to 10 bytes.
    void number(std::uint64_t number) {
        for (; number > 0x7f; number >>= 7) bytes_.push_back(static_cast<std::byte>((number & 0x7f) | 0x80));
        bytes_.push_back(static_cast<std::byte>(number));
    }
    /// Appends the bytes alone, without their number.
    void append(std::span<std::byte const> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    /// Appends the number of bytes, then the bytes.
    void section(std::span<std::byte const> bytes) {
        number(bytes.size());
        append(bytes);
    }
    /// What was written so far. Valid until the next change.
    std::span<std::byte const> bytes() const { return bytes_; }
    /// Moves the buffer out. The writer is used up.
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads back what FormatWriter wrote. Throws InputError if the bytes end too early or a number is not in its shortest
/// form.
class FormatReader {
public:
    /// Starts at the first of these bytes, which must outlive the reader.
    explicit FormatReader(std::span<std::byte const> bytes) : rest_(bytes) {}
    /// Reads what fixed wrote. Precondition: num_bytes <= 8.
    std::uint64_t fixed(std::size_t num_bytes);
    /// Reads what number wrote.
    std::uint64_t number();
    /// The next `size` bytes. No copy.
    std::span<std::byte const> take(std::uint64_t size);
    /// The bytes of a section. No copy.
    std::span<std::byte const> section() { return take(number()); }
    /// The bytes that are not yet read.
    std::span<std::byte const> rest() const { return rest_; }
    /// Throws InputError if anything is left.
    void expect_end() const;

private:
    std::span<std::byte const> rest_;
};

}  // namespace regraft
#pragma GCC visibility pop
