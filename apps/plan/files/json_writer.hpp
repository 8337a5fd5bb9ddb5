// JSON objects written member by member, so that arrays of millions of numbers need neither memory nor time of a
// document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/output.hpp"

namespace regraft::plan {

using Json = nlohmann::ordered_json;

/// Writes one object to an Output, a member per line. The first member names this program.
class JsonWriter {
public:
    using Buffer = fmt::memory_buffer;

    explicit JsonWriter(std::string const& path) : out_(path) { member("program", "regraft-plan " REGRAFT_VERSION); }

    void member(std::string_view key, Json const& item);
    /// An array of `size` elements; append(buffer, i) writes element i.
    template <class Append>
    void array(std::string_view key, std::size_t size, Append&& append) {
        begin(key);
        buffer_.push_back('[');
        for (std::size_t i = 0; i < size; ++i) {
            if (i > 0) buffer_.push_back(',');
            append(buffer_, i);
            if (buffer_.size() >= flush_size) flush();
        }
        buffer_.push_back(']');
    }
    /// Ends the object and commits the file.
    void finish();

    static void append(Buffer& buffer, std::uint64_t number) {
        fmt::format_int const digits(number);
        buffer.append(digits.data(), digits.data() + digits.size());
    }
    static void append(Buffer& buffer, std::string_view text) { buffer.append(text.data(), text.data() + text.size()); }

private:
    static constexpr std::size_t flush_size = std::size_t{1} << 16;
    void begin(std::string_view key);
    void flush();

    common::Output out_;
    Buffer buffer_;
    bool empty_ = true;
};

}  // namespace regraft::plan
