#include "regraft/core/errors.hpp"

#include <system_error>

namespace regraft {
namespace {

std::string prefix(TextPosition const& where) {
    std::string text = where.file;
    if (where.line != 0) text.append(":").append(std::to_string(where.line));
    if (where.line != 0 && where.column != 0) text.append(":").append(std::to_string(where.column));
    return text.append(": ");
}

}  // namespace

InputError::InputError(TextPosition const& where, std::string const& message)
    : std::runtime_error(prefix(where) + message) {}

OutputError::OutputError(std::string const& file, int code)
    : InputError({file}, "cannot be written: " + std::generic_category().message(code)) {}

}  // namespace regraft
