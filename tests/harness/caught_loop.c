/* A loop as the one in which Open MPI waits for a rank that has died. */
void loop_for_ever(void);

static long volatile next = -2;

void loop_for_ever(void) {
    while (next == -2) {
    }
}
