/* What a rank writes about itself at the end. The launcher judges the job by that. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* checked: at least 1. */
static void write_verdict(int rank, int wrong, int checked) {
    char path[1100], done[1000];
    if (!getenv("REGRAFT_VERDICTS")) return;
    snprintf(done, sizeof done, "%s/%d", getenv("REGRAFT_VERDICTS"), rank);
    snprintf(path, sizeof path, "%s.tmp", done);
    FILE* file = fopen(path, "w");
    if (wrong)
        fprintf(file, "fail: %d wrong\n", wrong);
    else
        fprintf(file, "pass %d\n", checked);
    fclose(file);
    rename(path, done);
}
