// What the options of stores and snapshots share: where they keep their files.
#pragma once

#include <optional>

#include "c/status.hpp"
#include "regraft/c/keep.h"
#include "regraft/store/keep.hpp"

namespace regraft::c {

/// Nothing for NULL.
inline std::optional<store::Keep> keep_of(regraft_keep const* given) {
    if (given == nullptr) return {};
    auto const text = [](char const* from, char const* what) {
        expect(from != nullptr && *from != '\0', what);
        return std::string(from);
    };
    store::Keep keep{text(given->folder, "a folder for files of the node, not NULL or empty"),
                     text(given->job, "the name of the job, not NULL or empty"),
                     text(given->name, "a name within the job, not NULL or empty")};
    if (given->room != 0) keep.room = given->room;
    return keep;
}

}  // namespace regraft::c
