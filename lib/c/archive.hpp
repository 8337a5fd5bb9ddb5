// The parts of archives that stores and snapshots share.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "c/status.hpp"
#include "regraft/store/disk.hpp"
#include "regraft_mpi.h"

namespace regraft::c {

inline std::filesystem::path archive_at(char const* path) {
    expect(path != nullptr && *path != '\0', "the path of an archive, not NULL or empty");
    return path;
}

inline store::SaveOptions save_options(regraft_save_options const* given) {
    store::SaveOptions options;
    if (given == nullptr) return options;
    options.files = given->files;
    if (given->kept != 0) options.kept = given->kept;
    auto const bytes =
        span_of(static_cast<std::byte const*>(given->attributes), given->attributes_size, "attributes, not NULL");
    options.attributes.assign(bytes.begin(), bytes.end());
    return options;
}

inline regraft_save_report report_of(store::SaveReport const& r) {
    return {r.generation, r.files, r.bytes, r.bytes_written};
}

/// What the last open has found; the caller sees it.
struct OpenedArchive {
    std::vector<std::byte> attributes;
    std::vector<std::string> refused;

    /// Takes over the contents of the report.
    template <class Report>
    regraft_open_report take(Report& report) {
        attributes = std::move(report.attributes);
        refused = std::move(report.refused);
        regraft_open_report result{};
        result.generation = report.generation;
        result.num_refused = refused.size();
        result.attributes = attributes.data();
        result.attributes_size = attributes.size();
        return result;
    }
};

/// The text at index; NULL unless index is below their number.
inline char const* text_at(std::vector<std::string> const& texts, std::uint64_t index) {
    return index < texts.size() ? texts[index].c_str() : nullptr;
}

}  // namespace regraft::c
