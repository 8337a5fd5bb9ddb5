/* Lets a rank go on where Open MPI 5.0.9 would end the job by MPI_Abort, which then hangs.
 *
 * When a peer dies, ULFM completes the requests to it with an error, which the program or the collective sees. Over TCP
 * the transport may report the same error later (pml_ob1_sendreq.h, send_request_pml_complete; the same for receives).
 * Open MPI then takes the request for one that was freed before it was complete, and calls the fatal handler without a
 * communicator ("Send error after request freed"). Nothing is wrong: the request has its error. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol_for.h"

typedef void Handler(void** communicator, int* code, ...);

/* The handler of the Open MPI that calls. */
static Handler* handler_of(void const* caller) {
    static Handler* found;
    if (found != NULL) return found;
    void* const symbol = regraft_symbol_for(caller, "ompi_mpi_errors_are_fatal_comm_handler");
    memcpy(&found, &symbol, sizeof found);
    return found;
}

__attribute__((visibility("default"))) void ompi_mpi_errors_are_fatal_comm_handler(void** communicator, int* code,
                                                                                   ...) {
    va_list rest;
    va_start(rest, code);
    char* const text = va_arg(rest, char*);
    va_end(rest);
    if (communicator == NULL && text != NULL && strstr(text, "error after request freed") != NULL) return;
    Handler* const handler = handler_of(__builtin_return_address(0));
    if (handler == NULL) {
        fprintf(stderr, "regraft-run: %s\n", text == NULL ? "an MPI error is fatal" : text);
        abort();
    }
    handler(communicator, code, text, (char*)NULL);
}
