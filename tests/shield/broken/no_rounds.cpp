// A shield that is broken on purpose, so that tests can show that they notice: a nonblocking operation is over when it
// has succeeded here. Linked with --wrap in place of Round's constructor.
#include "shield/protocol/pending.hpp"

namespace regraft::shield {

void real_round(Round* round, int position, int size,
                OperationNumber succeeded) asm("__real__ZN7regraft6shield5RoundC1Eiim");
void broken_round(Round* round, int position, int size,
                  OperationNumber succeeded) asm("__wrap__ZN7regraft6shield5RoundC1Eiim");

/// The constructor as if there were no other rank.
void broken_round(Round* round, int /*position*/, int /*size*/, OperationNumber succeeded) {
    real_round(round, 0, 1, succeeded);
}

}  // namespace regraft::shield
