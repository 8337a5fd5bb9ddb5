/* A program of another project, in C, on libregraft. */
#include <math.h>
#include <regraft.h>
#include <stdio.h>

int main(void) {
    double const volatile unknown = 1.0; /* to the compiler, which has to call the library of mathematics */
    double const terms[] = {1e100, 1.0, -1e100};
    double value = 0;
    regraft_sums* sums = NULL;
    if (regraft_sums_create(1, &sums) != REGRAFT_OK || regraft_sums_add(sums, 0, terms, 3) != REGRAFT_OK ||
        regraft_sums_values(sums, 0, &value, 1) != REGRAFT_OK) {
        fprintf(stderr, "%s\n", regraft_error_message());
    }
    regraft_sums_free(sums);
    printf("regraft %s: %g\n", regraft_version(), value * cos(unknown - 1.0));
    return value == 1.0 ? 0 : 1;
}
