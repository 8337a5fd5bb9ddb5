// Plain values to bytes and back: the form in which checkpoints and messages travel between ranks of one job.
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

#include "regraft/core/contracts.hpp"

namespace regraft {

template <class T>
concept PlainValue = std::is_trivially_copyable_v<T>;

/// A 64-bit hash of the bytes (XXH3).
std::uint64_t hash(std::span<std::byte const> bytes);

/// Appends values to a buffer, in native byte order and without padding.
class ByteWriter {
public:
    ByteWriter() = default;
    /// Goes on behind these bytes, in their memory as far as it reaches.
    explicit ByteWriter(std::vector<std::byte> begin) : bytes_(std::move(begin)) {}
    template <PlainValue T>
    void put(T const& item) {
        append(&item, sizeof item);
    }
    template <PlainValue T>
    void put_all(std::span<T const> items) {
        put(std::uint64_t{items.size()});
        append(items.data(), items.size_bytes());
    }
    /// Nothing but the items: who reads them knows how many there are.
    template <PlainValue T>
    void put_plain(std::span<T const> items) {
        append(items.data(), items.size_bytes());
    }
    void put_text(std::string_view text) { put_all(std::span(text)); }
    std::vector<std::byte> take() { return std::move(bytes_); }
    std::span<std::byte const> bytes() const { return bytes_; }

private:
    void append(void const* data, std::size_t size) {
        auto const* const begin = static_cast<std::byte const*>(data);
        bytes_.insert(bytes_.end(), begin, begin + size);
    }
    std::vector<std::byte> bytes_;
};

/// Reads back what a ByteWriter wrote, in the same order. Precondition of each get: the value is there.
class ByteReader {
public:
    explicit ByteReader(std::span<std::byte const> bytes) : rest_(bytes) {}
    template <PlainValue T>
    T get() {
        T item;
        extract(&item, sizeof item);
        return item;
    }
    template <PlainValue T>
    std::vector<T> get_all() {
        auto const count = get<std::uint64_t>();
        REGRAFT_EXPECTS(count <= rest_.size() / sizeof(T));
        std::vector<T> items(count);
        extract(items.data(), count * sizeof(T));
        return items;
    }
    /// What put_plain wrote, into place.
    template <PlainValue T>
    void get_plain(std::span<T> items) {
        extract(items.data(), items.size_bytes());
    }
    std::string get_text() {
        auto const text = get_all<char>();
        return {text.begin(), text.end()};
    }
    bool empty() const { return rest_.empty(); }
    /// Bytes that are left.
    std::size_t size() const { return rest_.size(); }

private:
    void extract(void* data, std::size_t size) {
        REGRAFT_EXPECTS(size <= rest_.size());
        if (size != 0) std::memcpy(data, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }
    std::span<std::byte const> rest_;
};

}  // namespace regraft
