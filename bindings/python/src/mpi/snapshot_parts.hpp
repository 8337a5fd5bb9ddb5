// What snapshots and files share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/shared.hpp"
#include "regraft/checkpoint/snapshot.hpp"

namespace regraft::python {

/// Dealing by "holders", "balanced", or a function of Python: its results as PeIds. What it raises ends this process,
/// since the others have dealt.
checkpoint::Deal deal_of(py::object const& rule);

py::list list_of(std::vector<checkpoint::Adoption> const& adopted);

checkpoint::SnapshotOptions snapshot_options(Shared const& shared, std::uint32_t copies,
                                             std::optional<std::pair<std::uint32_t, std::uint32_t>> code,
                                             std::vector<std::uint32_t> node_of, bool compressed, bool checked,
                                             std::uint64_t steps, double mtbf_hours, std::optional<store::Keep> keep,
                                             std::string const& differential, bool trusted, std::uint32_t generations);

}  // namespace regraft::python
