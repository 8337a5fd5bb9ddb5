/* Expectations of tests in C, counted. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "regraft.h"

static int num_checks = 0;
static int num_failed = 0;

static void check(int good, char const* what, char const* file, int line) {
    ++num_checks;
    if (good) return;
    ++num_failed;
    fprintf(stderr, "%s:%d: expected %s; regraft said last: '%s'\n", file, line, what, regraft_error_message());
}

#define CHECK(condition) check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
/* Expects that the call succeeds. */
#define CHECK_OK(call) CHECK((call) == REGRAFT_OK)
/* Expects that the call has this status, and its message this text. */
#define CHECK_SAYS(call, status, text) CHECK((call) == (status) && strstr(regraft_error_message(), text) != NULL)
#define CHECK_REFUSED(call, text) CHECK_SAYS(call, REGRAFT_ERROR_ARGUMENT, text)
