// Converts plain values to bytes and back, in the form in which checkpoints and messages travel between ranks of one
// job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

template <class T>
concept PlainValue = std::is_trivially_copyable_v<T>;

/// A 64-bit hash of the bytes (XXH3).
std::uint64_t hash(std::span<std::byte const> bytes);

/// Appends values to a buffer, in native byte order and without padding.
class ByteWriter {
public:
    ByteWriter() = default;
    /// Appends behind these bytes and uses their memory as far as it suffices.
    explicit ByteWriter(std::vector<std::byte> begin) : bytes_(std::move(begin)) {}
    /// Appends sizeof(T) bytes.
    template <PlainValue T>
    void put(T const& item) {
        append(&item, sizeof item);
    }
    /// Appends the number of items as 8 bytes, then the items.
    template <PlainValue T>
    void put_all(std::span<T const> items) {
        put(std::uint64_t{items.size()});
        append(items.data(), items.size_bytes());
    }
    /// Writes the items without their number, which the reader must know.
    template <PlainValue T>
    void put_plain(std::span<T const> items) {
        append(items.data(), items.size_bytes());
    }
    /// Appends the number of characters as 8 bytes, then the characters.
    void put_text(std::string_view text) { put_all(std::span(text)); }
    /// Moves the buffer out. The writer is used up.
    std::vector<std::byte> take() { return std::move(bytes_); }
    /// What was written so far. Valid until the next put.
    std::span<std::byte const> bytes() const { return bytes_; }

private:
    void append(void const* data, std::size_t size) {
        auto const* const begin = static_cast<std::byte const*>(data);
        bytes_.insert(bytes_.end(), begin, begin + size);
    }
    std::vector<std::byte> bytes_;
};

/// Reads back what a ByteWriter wrote, in the same order. Each get throws InputError if the value is not there: bytes
/// may come from a file. No get takes more memory than the bytes justify.
class ByteReader {
public:
    /// Starts at the first of these bytes, which must outlive the reader.
    explicit ByteReader(std::span<std::byte const> bytes) : rest_(bytes) {}
    /// Reads an item that put wrote.
    template <PlainValue T>
    T get() {
        T item;
        extract(&item, sizeof item);
        return item;
    }
    /// Reads a bool that put wrote; a byte other than 0 and 1 is an error.
    bool get_flag() {
        auto const byte = get<std::uint8_t>();
        if (byte > 1) fail();
        return byte == 1;
    }
    /// Reads the number of items that follow, each of which takes at least least_bytes bytes.
    std::size_t get_count(std::size_t least_bytes) {
        auto const count = get<std::uint64_t>();
        if (count > rest_.size() / least_bytes) fail();
        return count;
    }
    /// Reads items that put_all wrote.
    template <PlainValue T>
    std::vector<T> get_all() {
        std::vector<T> items(get_count(sizeof(T)));
        auto const count = items.size();
        extract(items.data(), count * sizeof(T));
        return items;
    }
    /// Reads what put_plain wrote into items.
    template <PlainValue T>
    void get_plain(std::span<T> items) {
        extract(items.data(), items.size_bytes());
    }
    /// Reads a text that put_text wrote.
    std::string get_text() {
        auto const text = get_all<char>();
        return {text.begin(), text.end()};
    }
    /// Whether all bytes are read.
    bool empty() const { return rest_.empty(); }
    /// The number of bytes that are left.
    std::size_t size() const { return rest_.size(); }

private:
    void extract(void* data, std::size_t size) {
        if (size > rest_.size()) fail();
        if (size != 0) std::memcpy(data, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }
    [[noreturn]] static void fail();
    std::span<std::byte const> rest_;
};

}  // namespace regraft
#pragma GCC visibility pop
