/* ends.c HOW: rank 1 ends in some way, and the others go on if MPI tells them; or all work on until a signal comes. */
#include <mpi.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char const* how;
static sig_atomic_t volatile asked;

static void note(int number) {
    asked = number;
}

/* Open MPI warns on stderr that windows do not survive failures. */
static int warn_then_print(void) {
    MPI_Win window;
    int const code = MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    printf("has a window\n");
    fflush(stdout);
    return code == MPI_SUCCESS && MPI_Win_free(&window) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

/* The folder through whose files ranks share memory, and how many of these files are there. */
static void print_shared_folder(void) {
    char const* const name = getenv("OMPI_MCA_btl_sm_backing_directory");
    DIR* const folder = name == NULL ? NULL : opendir(name);
    int files = 0;
    for (struct dirent const* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        files += strncmp(entry->d_name, "sm_segment", strlen("sm_segment")) == 0;
    }
    if (folder != NULL) closedir(folder);
    printf("%s %d\n", name == NULL ? "none" : name, files);
}

/* Adds up ones over both groups of the communicator that MPI_Comm_spawn has made. */
static int meet(MPI_Comm* others) {
    int const one = 1;
    int sum = 0, here = 0;
    MPI_Comm_set_errhandler(*others, MPI_ERRORS_RETURN);
    int const code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *others);
    MPI_Comm_size(MPI_COMM_WORLD, &here);
    if (code == MPI_SUCCESS)
        printf("%d beside %d\n", here, sum);
    else
        printf("somebody died\n");
    if (code == MPI_SUCCESS) MPI_Comm_disconnect(others);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

/* Starts two processes of this program. dies: the second one kills itself. */
static int spawn(char* program, char const* dies) {
    char* arguments[] = {(char*)dies, NULL};
    MPI_Comm children = MPI_COMM_NULL;
    int const code =
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    return code == MPI_SUCCESS ? meet(&children) : 1;
}

static int is(char const* name) {
    return strcmp(how, name) == 0;
}

int main(int argc, char** argv) {
    char const* const number = getenv("PMIX_RANK");
    int const is_victim = number != NULL && strcmp(number, "1") == 0;
    if (argc != 2) return 2;
    how = argv[1];
    if (is_victim && is("killed-before-init")) raise(SIGKILL);
    if (is_victim && is("exits-before-init")) exit(3);
    if (is("all-abort-before-init")) abort();
    if (is("all-exit-before-init")) exit(0);
    if (is("all-quick-exit-before-init")) quick_exit(0);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm parents = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL && is_victim && is("spawned-dies")) raise(SIGKILL);
    if (parents != MPI_COMM_NULL) return meet(&parents);
    if (is("spawns")) return spawn(argv[0], "spawned");
    if (is("spawns-victim")) return spawn(argv[0], "spawned-dies");
    if (is("all-return-7")) return MPI_Finalize() == MPI_SUCCESS ? 7 : 1;
    if (is("all-finalize-then-leave-7")) _exit(MPI_Finalize() == MPI_SUCCESS ? 7 : 1);
    if (is("all-finalize-then-quick-exit-7")) quick_exit(MPI_Finalize() == MPI_SUCCESS ? 7 : 1);
    if (is("all-quick-exit-6")) quick_exit(6);
    if (is("all-exit-3")) exit(3);
    if (is("all-abort")) abort();
    if (is("is-warned")) return warn_then_print();
    if (is_victim && (is("killed") || is("killed-sharing"))) raise(SIGKILL);
    if (is_victim && is("exits")) exit(3);
    if (is_victim && is("exits-at-once")) _exit(3);
    if (is_victim && is("exits-quickly")) quick_exit(3);
    if (is_victim && is("stops")) raise(SIGSTOP);
    if (is_victim && is("calls-abort")) MPI_Abort(MPI_COMM_WORLD, 9);
    if (is("stops-if-asked")) signal(SIGINT, note);
    if (is("ignores-requests")) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
    }
    if (is("stops-if-asked") || is("ignores-requests") || is("works-on")) {
        MPI_Barrier(MPI_COMM_WORLD);
        printf("at work\n");
        fflush(stdout);
        while (!asked) usleep(1000);
        return MPI_Finalize() == MPI_SUCCESS ? 75 : 1;
    }
    int const code = MPI_Barrier(MPI_COMM_WORLD);
    if (is("killed-sharing"))
        print_shared_folder();
    else if (!is_victim)
        printf("%s\n", code == MPI_SUCCESS ? "all are here" : "somebody died");
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
