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

/// What the last open or reopen has found; the caller sees it.
struct OpenedArchive {
    std::vector<std::byte> attributes;
    std::vector<std::string> refused;

    /// Takes over the contents of the report, and tells of them in `told`, a report in C.
    template <class Report, class Told>
    void take(Report& report, Told& told) {
        attributes = std::move(report.attributes);
        refused = std::move(report.refused);
        told.num_refused = refused.size();
        told.attributes = attributes.data();
        told.attributes_size = attributes.size();
    }
};

/// The text at index; NULL unless index is below their number.
inline char const* text_at(std::vector<std::string> const& texts, std::uint64_t index) {
    return index < texts.size() ? texts[index].c_str() : nullptr;
}

}  // namespace regraft::c
