// Tells errors that deaths cause from errors of the program.
#pragma once

namespace regraft::shield {

class Deaths {
public:
    /// Whether an error of a call on a lane means that a member has died or called for a repair. Creations that a death
    /// interrupts also fail with errors that do not name it, so those count as well, up to some hundreds.
    bool explain(int code);

private:
    int vague_errors_ = 0;
};

}  // namespace regraft::shield
