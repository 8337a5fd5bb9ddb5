/* files SEED STEPS: in each step all ranks open a file, write it in one of many ways, read it and close it. The files
 * are in $TRACES. What a rank saw is checked and traced as traced.h says. */
#include "traced.h"

enum { items = 4 };

static MPI_File file;
static char name[1100];
static int data[items], block[most_ranks * items];

static int class_of(int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

static void check_class(char const* what, int code, int expected) {
    if (class_of(code) != expected) complain("%s: error class %d, not %d", what, class_of(code), expected);
}

/* Blocks in the order of ranks. */
static void check_blocks(char const* how, int salt) {
    int there[most_ranks], count = 0;
    MPI_Status status;
    memset(block, 0, sizeof block);
    MPI_File_read_at_all(file, 0, block, size * items, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < size; ++i) there[i] = is_there(how, block + i * items, items, i, 0, salt);
    for (int i = count / items; i < size; ++i)
        if (there[i]) complain("%s: more than was read", how);
    saw(how, "all", there);
}

static void write_at(void) {
    int how = (int)draw(5), salt = 1;
    MPI_Offset const place = me * items * (int)sizeof(int);
    MPI_Request request;
    fill(data, items, 0, salt);
    if (how == 0) MPI_File_write_at_all(file, place, data, items, MPI_INT, MPI_STATUS_IGNORE);
    if (how == 1) {
        MPI_File_write_at(file, place, data, items, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
    }
    if (how == 2) {
        MPI_File_iwrite_at_all(file, place, data, items, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
    }
    if (how == 3) {
        MPI_File_seek(file, place, MPI_SEEK_SET);
        MPI_File_write_all(file, data, items, MPI_INT, MPI_STATUS_IGNORE);
    }
    if (how == 4) {
        MPI_File_write_at_all_begin(file, place, data, items, MPI_INT);
        MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    }
    check_blocks("write_at", salt);
}

/* Each rank sees its own blocks. */
static void write_view(void) {
    int const salt = 2, whole = size * items;
    int const first = me * items;
    MPI_Datatype own;
    MPI_Type_create_subarray(1, &whole, &(int){items}, &first, MPI_ORDER_C, MPI_INT, &own);
    MPI_Type_commit(&own);
    fill(data, items, 0, salt);
    MPI_File_set_view(file, 0, MPI_INT, own, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, items, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_Type_free(&own);
    check_blocks("write_view", salt);
}

/* What is there, in any order or in that of ranks: each rank at most once, and all of its data or nothing. */
static void write_shared(void) {
    int ordered = (int)draw(3), salt = 3, there[most_ranks] = {0}, last = -1, count = 0;
    MPI_Offset position = -1, end = 0;
    MPI_Request request;
    MPI_Status status;
    fill(data, items, 0, salt);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (ordered == 0) {
        MPI_File_iwrite_shared(file, data, items / 2, MPI_INT, &request); /* does not wait for others */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_File_get_position_shared(file, &position);
        if (position < items / 2 || position > size * items / 2) complain("the pointer is at %d", (int)position);
        MPI_Barrier(comm);
        MPI_File_set_size(file, 0); /* a rank that dies in the next write leaves a gap */
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_get_position_shared(file, &position);
        if (position != 0) complain("the pointer is at %d", (int)position);
        MPI_File_write_ordered(file, data, items, MPI_INT, MPI_STATUS_IGNORE);
    } else if (ordered == 1) {
        MPI_File_write_ordered_begin(file, data, items, MPI_INT);
        MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
    } else {
        MPI_File_write_shared(file, data, items, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
    MPI_File_get_size(file, &end);
    memset(block, 0, sizeof block);
    MPI_File_read_at_all(file, 0, block, size * items, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < size * items; i += items) {
        int from = -1;
        for (int r = 0; r < size; ++r)
            if (block[i] == item(r, 0, 0, salt)) from = r;
        if (from == -1) continue; /* the place of a rank that died before it wrote; or the end */
        if (!is_there("write_shared", block + i, items, from, 0, salt)) complain("a part of a record");
        if (there[from]++) complain("rank %d is there twice", from);
        if (ordered != 2 && from < last) complain("rank %d is behind %d", from, last);
        last = from;
    }
    if (count > size * items || end < items * (int)sizeof(int)) complain("a file of %d bytes", (int)end);
    saw("write_shared", "all", there);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

static void resize(void) {
    MPI_Offset bytes = 0, wanted = 64 + (int)draw(100);
    if (draw(2)) {
        MPI_File_set_size(file, wanted);
        MPI_File_get_size(file, &bytes);
        if (bytes != wanted) complain("%d bytes, not %d", (int)bytes, (int)wanted);
    } else {
        MPI_File_preallocate(file, wanted);
        MPI_File_get_size(file, &bytes);
        if (bytes < wanted) complain("%d bytes, not at least %d", (int)bytes, (int)wanted);
    }
    MPI_Barrier(comm);
    MPI_File_set_size(file, 0);
}

/* What fails on one rank fails on all. */
static void fail(void) {
    int worst = 0, best = 0, code = 0, class = 0;
    char other[1200];
    snprintf(other, sizeof other, "%s-not-there", name);
    check_class("open", MPI_File_open(comm, other, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    if (file != MPI_FILE_NULL) complain("a file that is not there");
    snprintf(other, sizeof other, "%s%s", me == 1 ? "/nowhere" : "", name);
    code = MPI_File_open(comm, other, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    class = class_of(code);
    MPI_Allreduce(&class, &worst, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(&class, &best, 1, MPI_INT, MPI_MIN, comm);
    if (worst != best) complain("error classes %d and %d", best, worst);
    if (code == MPI_SUCCESS) MPI_File_close(&file); /* rank 1 is dead */
}

static void (*const steps[])(void) = {write_at, write_view, write_shared, resize, write_at, write_view};

static void act(void) {
    int temporary = (int)draw(2), exclusive = (int)draw(2), mode = 0, ranks = 0;
    int what = (int)draw(8);
    MPI_Group group;
    MPI_Comm own;
    snprintf(name, sizeof name, "%s/data%d", getenv("TRACES") ? getenv("TRACES") : "/tmp", step);
    if (what == 7) {
        fail();
        return;
    }
    mode =
        MPI_MODE_RDWR | MPI_MODE_CREATE | (exclusive ? MPI_MODE_EXCL : 0) | (temporary ? MPI_MODE_DELETE_ON_CLOSE : 0);
    MPI_Comm_dup(comm, &own);
    check_class("open", MPI_File_open(own, name, mode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    MPI_Comm_free(&own); /* the file has its own handler */
    if (exclusive) {
        MPI_File second;
        check_class("open", MPI_File_open(comm, name, mode, MPI_INFO_NULL, &second), MPI_ERR_FILE_EXISTS);
    }
    MPI_File_get_amode(file, &mode);
    if (!(mode & MPI_MODE_CREATE) || ((mode & MPI_MODE_DELETE_ON_CLOSE) != 0) != temporary) complain("mode %d", mode);
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &ranks);
    if (ranks != size) complain("a file of %d ranks", ranks);
    MPI_Group_free(&group);
    steps[what % (sizeof steps / sizeof *steps)]();
    MPI_File_close(&file);
    if (file != MPI_FILE_NULL) complain("a file is not closed");
    if (temporary && access(name, F_OK) == 0) complain("%s is still there", name);
    if (!temporary && access(name, F_OK) != 0) complain("%s is not there", name);
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, 0);
}
