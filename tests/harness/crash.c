/* A program without any library: it crashes where no library that is preloaded has begun. */
void _start(void);

void _start(void) {
    __builtin_trap();
}
