// Reads the lines of a text that comes in pieces.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa {

/// The lines of a text, of which a part is in memory.
class LineReader {
public:
    explicit LineReader(TextSource const& source) : source_(source), buffer_(buffer_size, ' ') {}

    /// The next line, which is valid until the next call, without its LF. False at the end of the text.
    bool next(std::string_view& line) {
        for (std::size_t searched = 0;;) {
            auto const rest = std::string_view(buffer_).substr(begin_, end_ - begin_);
            auto const end = rest.find('\n', searched);
            if (end != std::string_view::npos) {
                line = rest.substr(0, end);
                begin_ += end + 1;
                return true;
            }
            if (is_over_) {
                line = rest;
                begin_ = end_;
                if (!rest.empty()) ends_with_newline_ = false;
                return !rest.empty();
            }
            searched = rest.size();
            fill();
        }
    }
    /// Once next() has returned false, or the last line.
    bool ends_with_newline() const { return ends_with_newline_; }

private:
    static constexpr std::size_t buffer_size = std::size_t{8} << 20;

    void fill() {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= std::exchange(begin_, 0);
        if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
        auto const got = source_(std::span(buffer_).subspan(end_));
        is_over_ = got == 0;
        end_ += got;
    }

    TextSource const& source_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool is_over_ = false;
    bool ends_with_newline_ = true;
};

}  // namespace regraft::msa
