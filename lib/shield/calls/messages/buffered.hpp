// Buffered sends.
#pragma once

namespace regraft::shield {

/// Returns when all that was sent so is on its way or has nobody who would receive it.
void finish_buffered_sends();

}  // namespace regraft::shield
