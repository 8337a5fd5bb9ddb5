#include "edit/outputs.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

std::optional<Replacement> second_output(std::string const& path, Places const& places) {
    namespace fs = std::filesystem;
    if (path.empty()) return std::nullopt;
    if (fs::path(path).lexically_normal() == fs::path(places.output).lexically_normal())
        throw InputError({path}, "would be written twice; expected two files");
    auto second = places;
    second.output = path;
    return Replacement(places.inputs[0], path, second, Replacement::Result::text);
}

std::string shown_output(std::string const& path) {
    return path == "-" ? "standard output" : path;
}

}  // namespace regraft::msa_cli
