#include "msa/text/nexus_text.hpp"

#include <algorithm>
#include <vector>

#include "regraft/core/errors.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view first_word_of_nexus = "#nexus";
constexpr std::string_view first_word_of_block = "begin";
constexpr std::string_view ends_of_words = " ,;:=";
constexpr char quote = '\'';

bool is_space(char c) {
    return is_blank(c) || c == '\n';
}

/// The position behind the quoted text that begins at `begin`. Quotes do not extend beyond a line, so that a stray one
/// does no harm.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
    auto const end = text.find_first_of("'\n\r", begin + 1);
    return end == std::string_view::npos || text[end] != quote ? begin + 1 : end + 1;
}

/// The text in which comments and line ends are replaced by blanks.
std::string without_comments(std::string_view text, std::string const& file) {
    std::string result(text);
    std::vector<std::size_t> opened;
    for (std::size_t i = 0; i < text.size(); ++i) {
        while (opened.empty() && i < text.size() && text[i] == quote) i = end_of_quoted(text, i);
        if (i == text.size()) break;
        if (text[i] == '[') opened.push_back(i);
        if (!opened.empty() || is_space(text[i])) result[i] = ' ';
        if (text[i] == ']' && !opened.empty()) opened.pop_back();
    }
    if (opened.empty()) return result;
    throw InputError(position(file, text, opened.front()), "this comment does not end; expected ']'");
}

}  // namespace

bool is_nexus(std::string_view text) {
    auto const content = without_byte_order_mark(text);
    auto const begin = std::ranges::find_if_not(content, is_space);
    auto const word = content.substr(static_cast<std::size_t>(begin - content.begin()), first_word_of_nexus.size() + 1);
    if (lower(word.substr(0, first_word_of_nexus.size())) != first_word_of_nexus) return false;
    return word.size() == first_word_of_nexus.size() || is_space(word.back()) || word.back() == '[';
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

NexusText::NexusText(std::string_view text, std::string const& file)
    : text_(without_byte_order_mark(text)),
      content_(without_comments(text_, file)),
      source_{text_, file, content_.data(), "the end of the file"},
      cursor_(source_, content_) {
    take_word();  // #nexus
}

std::string_view NexusText::visible(std::string_view part) const {
    return std::string_view(content_).substr(static_cast<std::size_t>(part.data() - text_.data()), part.size());
}

std::optional<std::string> NexusText::take_block() {
    if (cursor_.at_end()) return std::nullopt;
    if (lower(next_word()) != first_word_of_block) skip_to_block();
    take_word();
    auto name = take_word();
    if (name.empty()) cursor_.fail_expected("the name of a block");
    expect(';', "after the name of a block");
    return name;
}

/// Some programs write lines of text between blocks, or comments without brackets.
void NexusText::skip_to_block() {
    auto const* const at = cursor_.here();
    auto const begin = static_cast<std::size_t>(at - content_.data());
    bool is_at_line_begin = false;
    for (auto i = begin; i < content_.size(); ++i) {
        if (text_[i] == '\n' || text_[i] == '\r') is_at_line_begin = true;
        if (content_[i] == ' ') continue;
        auto const rest = std::string_view(content_).substr(i);
        if (is_at_line_begin && lower(first_word(rest)) == first_word_of_block) {
            cursor_.take_text(i - begin);
            return;
        }
        is_at_line_begin = false;
    }
    cursor_.fail_at(at, "expected 'begin', as in 'begin sets;'");
}

std::optional<std::string> NexusText::take_command() {
    if (cursor_.at_end()) cursor_.fail_expected("'end;'");
    auto command = take_word();
    if (command != "end" && command != "endblock") return command;
    expect(';', "after 'end'");
    return std::nullopt;
}

void NexusText::skip_command() {
    std::string_view const content = content_;
    auto const begin = static_cast<std::size_t>(cursor_.here() - content.data());
    auto end = begin;
    while (end < content.size() && content[end] != ';') {
        end = content[end] == quote ? end_of_quoted(text_, end) : end + 1;  // searched in the text itself, where lines
                                                                            // end
    }
    if (end == content.size()) cursor_.fail("this command does not end; expected ';'");
    cursor_.take_text(end + 1 - begin);
}

std::string_view NexusText::next_word() const {
    auto const rest = cursor_.rest();
    return rest.substr(0, rest.find_first_of(ends_of_words));
}

std::string NexusText::take_word() {
    return lower(cursor_.take_text(next_word().size()));
}

std::string NexusText::take_name(std::string const& what) {
    auto const rest = cursor_.rest();
    std::string name;
    auto size = next_word().size();
    if (!rest.starts_with(quote)) {
        name = rest.substr(0, size);
    } else {
        size = 0;
        do {
            auto const end = rest.find(quote, size + 1);
            if (end == std::string_view::npos) cursor_.fail("this name does not end; expected a quote");
            if (size != 0) name += quote;
            name += rest.substr(size + 1, end - size - 1);
            size = end + 1;
        } while (rest.substr(size).starts_with(quote));
    }
    cursor_.check_printable(cursor_.take_text(size), what + "'s name");
    return name;
}

void NexusText::expect(char c, std::string const& where) {
    if (!cursor_.take(c)) cursor_.fail_expected(std::string{'\'', c, '\'', ' '} + where);
}

}  // namespace regraft::msa
