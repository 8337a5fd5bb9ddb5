// Buffered sends.
#pragma once

namespace regraft::shield {

/// Returns when all buffered sends have left, or have no living receiver.
void finish_buffered_sends();

}  // namespace regraft::shield
