/* Attributes of communicators: what MPI promises of them when communicators are duplicated and freed. Prints what has
 * happened, which is the same with and without the shield. */
#include <mpi.h>

#include <stdio.h>

static int copied, deleted, given;

/* Counts up, so that the value is how often it was copied. */
static int copy(MPI_Comm comm, int keyval, void* state, void* value, void* result, int* flag) {
    (void)comm;
    (void)keyval;
    ++copied;
    *(char**)result = (char*)value + *(int*)state;
    *flag = 1;
    return MPI_SUCCESS;
}
static int refuse(MPI_Comm comm, int keyval, void* state, void* value, void* result, int* flag) {
    (void)comm, (void)keyval, (void)value, (void)result, (void)flag;
    return *(int*)state;
}
static int free_value(MPI_Comm comm, int keyval, void* value, void* state) {
    (void)comm, (void)keyval, (void)state;
    return MPI_Comm_free(value);
}

static int delete (MPI_Comm comm, int keyval, void* value, void* state) {
    (void)comm, (void)keyval, (void)state;
    ++deleted;
    given += (int)((char*)value - (char*)0);
    return MPI_SUCCESS;
}

static void show(char const* what, MPI_Comm comm, int keyval) {
    char* value = 0;
    int found = 0;
    MPI_Comm_get_attr(comm, keyval, &value, &found);
    printf("%s: %s %d, copied %d, deleted %d, values of them %d\n", what, found ? "value" : "none",
           found ? (int)(value - (char*)0) : 0, copied, deleted, given);
}

int main(int argc, char** argv) {
    int rank, one = 1, failure = MPI_ERR_OTHER, counting, plain, never, freed, failing;
    MPI_Comm parent, child, grandchild, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) freopen("/dev/null", "w", stdout);
    MPI_Comm_create_keyval(copy, delete, &counting, &one);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, &plain, 0);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &never, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_attr(parent, counting, (char*)0 + 100);
    MPI_Comm_set_attr(parent, plain, (char*)0 + 1000);
    MPI_Comm_set_attr(parent, never, (char*)0 + 5);
    MPI_Comm_dup(parent, &child);
    show("copied", child, counting);
    show("the same", child, plain);
    show("not copied", child, never);
    MPI_Comm_delete_attr(child, plain);
    show("deleted", child, plain);
    MPI_Comm_dup_with_info(child, MPI_INFO_NULL, &grandchild);
    show("copied twice", grandchild, counting);
    show("not there to be copied", grandchild, plain);
    MPI_Comm_split(grandchild, 0, 0, &other);
    show("not split", other, counting);
    MPI_Comm_free(&other);
    freed = counting;
    MPI_Comm_free_keyval(&freed);
    show("of a keyval that is freed", grandchild, counting);
    MPI_Comm_dup(grandchild, &other);
    show("copied all the same", other, counting);
    MPI_Comm_free(&other);
    MPI_Request request;
    MPI_Comm_idup(parent, &other, &request);
    MPI_Comm_set_attr(parent, plain, (char*)0 + 7);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("as it was when the duplication began", other, plain);
    show("copied then", other, counting);
    MPI_Comm_free(&other);
    MPI_Comm_free(&grandchild);
    show("of the parent", parent, counting);
    MPI_Comm_free(&child);
    MPI_Comm_free(&parent);
    printf("in the end: copied %d, deleted %d, values of them %d\n", copied, deleted, given);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &failing, &failure);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_attr(parent, failing, 0);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    printf("a copy function fails: %s\n",
           MPI_Comm_dup(parent, &child) == MPI_SUCCESS ? "not noticed" : "so does the duplication");
    MPI_Errhandler handler;
    MPI_Comm_idup(MPI_COMM_WORLD, &child, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_get_errhandler(child, &handler);
    printf("errors of a duplicate: %s\n", handler == MPI_ERRORS_RETURN ? "returned" : "not returned");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_value, &counting, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_attr(child, counting, &other);
    MPI_Comm_free(&child);
    printf("freed with what it is attached to: %s\n", other == MPI_COMM_NULL ? "yes" : "no");
    MPI_Finalize();
    return 0;
}
