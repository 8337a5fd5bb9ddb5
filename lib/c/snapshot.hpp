// What snapshots and files of callers in C share.
#pragma once

#include "c/communicator.hpp"
#include "regraft/checkpoint/snapshot.hpp"

namespace regraft::c {

/// The options of a snapshot; the defaults for NULL. Throws ArgumentError.
checkpoint::SnapshotOptions snapshot_options(Shared const& shared, regraft_snapshot_options const* given);

/// The options of a restore, but for adopt; the defaults for NULL.
checkpoint::RestoreOptions restore_options(checkpoint::Snapshot const& snapshot, regraft_restore_options const* given);

inline regraft_commit_report report_of(checkpoint::CommitReport const& done) {
    return {done.bytes,
            done.stored_bytes,
            done.create_ms,
            done.exchange_ms,
            done.changed_bytes.has_value(),
            done.changed_bytes.value_or(0)};
}
inline regraft_restore_report report_of(checkpoint::RestoreReport const& done) {
    return {done.generation,  done.adopted.size(), done.lost.size(),     done.removed.size(),
            done.bytes_local, done.bytes_received, done.redundancy_bytes};
}
/// Without what OpenedArchive takes.
inline regraft_open_report report_of(checkpoint::OpenReport const& done) {
    regraft_open_report told{};
    told.generation = done.generation;
    told.saved_commit = done.saved_commit;
    told.num_adopted = done.adopted.size();
    told.num_removed = done.removed.size();
    told.bytes_read = done.bytes_read;
    return told;
}

}  // namespace regraft::c
