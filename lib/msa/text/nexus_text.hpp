// Parts of the readers of NEXUS (Maddison, Swofford and Maddison 1997): words, names, commands and blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "msa/text/cursor.hpp"

namespace regraft::msa {

/// Whether a text is NEXUS, by its first word.
bool is_nexus(std::string_view text);

/// The text in lower case: keywords and names are the same in both cases.
std::string lower(std::string_view text);

/// A NEXUS text, and a cursor that does not see its comments, which may be nested, nor its line ends.
class NexusText {
public:
    /// Throws InputError if a comment does not end. Keeps references to both arguments.
    NexusText(std::string_view text, std::string const& file);
    NexusText(NexusText const&) = delete;
    NexusText& operator=(NexusText const&) = delete;

    Cursor& cursor() { return cursor_; }
    std::string const& file() const { return source_.file; }
    /// A part of the text as the cursor sees it. Precondition: `part` lies in the text, behind its byte order mark.
    std::string_view visible(std::string_view part) const;

    /// Moves behind the next `begin NAME;`, over lines between blocks. Returns the name in lower case; none at the end
    /// of the text.
    std::optional<std::string> take_block();
    /// Takes the next word of a block, the name of a command, in lower case; none behind the `end;` of the block.
    std::optional<std::string> take_command();
    /// Consumes the rest of a command, with its ';'.
    void skip_command();

    /// The next word, up to blanks or punctuation.
    std::string_view next_word() const;
    std::string take_word();
    /// Takes a word, or quoted text in which two quotes stand for one. `what` says in messages what is named. The name
    /// may be empty.
    std::string take_name(std::string const& what);
    void expect(char c, std::string const& where);

private:
    void skip_to_block();

    std::string_view text_;
    std::string content_;
    Cursor::Source source_;
    Cursor cursor_;
};

}  // namespace regraft::msa
