#define _GNU_SOURCE
#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a process starts inherits the connection, and finds it by this variable: DESCRIPTOR INODE. So the launcher sees
 * the end of the connection when all processes of the rank have ended. */
#define VARIABLE "REGRAFT_CONNECTION"

enum {
    LOWEST_DESCRIPTOR = 100,    /* programs that close or redirect descriptors mostly mean lower ones */
    TIME_TO_CONNECT = 3000,     /* milliseconds for each address */
    TIME_TO_TRY_AGAIN = 100000, /* microseconds */
    TIME_TO_ANSWER = 10000
};

static int connection = -1;
static ino_t inode; /* of the connection: the program may have closed it and opened a file in its place */

static int is_ours(void) {
    struct stat state;
    return connection >= 0 && fstat(connection, &state) == 0 && S_ISSOCK(state.st_mode) && state.st_ino == inode;
}

static int inherit(void) {
    unsigned long number = 0;
    char const* const text = getenv(VARIABLE);
    if (text == NULL || sscanf(text, "%d %lu", &connection, &number) != 2) return 0;
    inode = (ino_t)number;
    if (is_ours()) return 1;
    connection = -1;
    return 0;
}

static int wait_for(int descriptor, short event, int milliseconds) {
    struct pollfd state = {.fd = descriptor, .events = event};
    int ready = 0;
    do ready = poll(&state, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

static void set(int descriptor, int name, int value) {
    setsockopt(descriptor, IPPROTO_TCP, name, &value, sizeof value);
}

/* The connection ends after so many seconds of silence. */
static void keep_alive(int descriptor, int timeout) {
    int const probes = 3, yes = 1;
    int const interval = timeout / 6 > 1 ? timeout / 6 : 1;
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    set(descriptor, TCP_KEEPIDLE, timeout > probes * interval ? timeout - probes * interval : 1);
    set(descriptor, TCP_KEEPINTVL, interval);
    set(descriptor, TCP_KEEPCNT, probes);
    set(descriptor, TCP_USER_TIMEOUT, 1000 * timeout);
}

/* A connected socket; -1 if this address cannot be reached. */
static int connect_to(char const* address, int port) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int error = 0;
    socklen_t length = sizeof error;
    if (inet_pton(AF_INET, address, &place.sin_addr) != 1) return -1;
    int const low = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int const descriptor = low < 0 ? -1 : fcntl(low, F_DUPFD, LOWEST_DESCRIPTOR);
    if (low >= 0) close(low);
    if (descriptor < 0) return -1;
    if ((connect(descriptor, (struct sockaddr const*)&place, sizeof place) == 0 ||
         (errno == EINPROGRESS && wait_for(descriptor, POLLOUT, TIME_TO_CONNECT))) &&
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0 &&
        fcntl(descriptor, F_SETFL, 0) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

static void leave_to_heirs(void) {
    char text[64];
    struct stat state;
    if (fstat(connection, &state) != 0) return;
    inode = state.st_ino;
    snprintf(text, sizeof text, "%d %lu", connection, (unsigned long)inode);
    setenv(VARIABLE, text, 1);
}

/* The parent of a process, and its name; 0 if there is none. */
static pid_t parent_of(pid_t process, char name[17]) {
    char path[32];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE* const file = fopen(path, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%*d (%16[^)]) %*c %d", name, &parent) != 2) parent = 0;
    fclose(file);
    return parent;
}

/* Ends Open MPI's daemon on this host, which has started this process. It waits for a silent mpirun for a quarter of an
 * hour if it has told it something that was not acknowledged. */
static void end_daemon(void) {
    char name[17] = "";
    pid_t process = getpid();
    while (process > 1) {
        pid_t const parent = parent_of(process, name);
        if (strcmp(name, "prted") == 0) kill(process, SIGKILL);
        process = parent;
    }
}

static void end_without_launcher(char const* why) {
    fprintf(stderr, "regraft-run: the launcher %s, and this rank ends\n", why);
    end_daemon();
    kill(getpid(), SIGKILL);
}

int regraft_connect(char const* launcher, char const* rank) {
    char key[64], line[512];
    int timeout = 0, port = 0, length = 0, step = 0;
    char address[64];
    if (inherit()) return 1;
    if (sscanf(launcher, "%63s %d %d%n", key, &timeout, &port, &length) != 3) return 0;
    time_t const begin = time(NULL);
    while (connection < 0 && time(NULL) - begin <= timeout) {
        for (int at = length; connection < 0 && sscanf(launcher + at, "%63s%n", address, &step) == 1; at += step)
            connection = connect_to(address, port);
        if (connection < 0) usleep(TIME_TO_TRY_AGAIN);
    }
    if (connection < 0) end_without_launcher("cannot be reached");
    keep_alive(connection, timeout);
    leave_to_heirs();
    snprintf(line, sizeof line, "%s %s\n", key, rank);
    return regraft_connection_send(line);
}

int regraft_connection_send(char const* line) {
    size_t const length = strlen(line);
    return is_ours() && send(connection, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

int regraft_connection_ask(char* text, size_t size) {
    size_t length = 0;
    if (!regraft_connection_send("?\n")) return 0;
    /* The answer ends with an empty line. */
    while (length + 1 < size && wait_for(connection, POLLIN, TIME_TO_ANSWER)) {
        ssize_t const got = recv(connection, text + length, size - 1 - length, 0);
        if (got <= 0) return 0;
        length += (size_t)got;
        text[length] = '\0';
        if (strcmp(text, "\n") == 0 || (length >= 2 && strcmp(text + length - 2, "\n\n") == 0)) return 1;
    }
    return 0;
}

static void obey(char const* line) {
    int number = 0;
    if (sscanf(line, "signal %d", &number) == 1) kill(getpid(), number);
    if (strcmp(line, "there?") == 0) regraft_connection_send("here\n");
}

static void* listen_to_launcher(void* unused) {
    char text[512], *place = NULL;
    (void)unused;
    for (;;) {
        if (!wait_for(connection, POLLIN, -1)) return NULL;
        if (!is_ours()) return NULL;
        ssize_t const got = recv(connection, text, sizeof text - 1, 0);
        if (got <= 0) break;
        text[got] = '\0';
        for (char* line = strtok_r(text, "\n", &place); line != NULL; line = strtok_r(NULL, "\n", &place)) obey(line);
    }
    end_without_launcher("is lost");
    return NULL;
}

void regraft_connection_listen(void) {
    pthread_t thread;
    sigset_t all, before;
    if (!is_ours()) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads of the program */
    if (pthread_create(&thread, NULL, listen_to_launcher, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
