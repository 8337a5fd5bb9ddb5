/* pi by throwing darts at a square, until there are enough of them. Plain MPI: nothing here knows of failures. Under
 * regraft-shield ranks may die: their darts are missing from then on, the others throw more, and all decide alike when
 * there are enough, since they see the same sums. monte_carlo [--darts N] [--seed S]
 *   mpicc -std=c99 -O2 monte_carlo.c -lm -o monte_carlo
 *   regraft-shield -n 4 ./monte_carlo */
#include <mpi.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_ROUND = 20000 }; /* darts of a rank from one sum to the next */

struct options {
    uint64_t darts, seed;
};

/* Whole numbers, so that sums are exact in any order. */
struct tally {
    uint64_t darts, hits;
};

/* A random number that follows from its index alone (SplitMix64, Steele, Lea, Flood 2014), so ranks need no
 * generators of their own that must not overlap. */
static uint64_t random_number(uint64_t index) {
    uint64_t x = index * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Whether a dart on a square of 2^31 * 2^31 places lies in the quarter of a circle. */
static int hits(uint64_t seed, uint64_t dart) {
    uint64_t const place = random_number((seed << 48) + dart + 1);
    uint64_t const x = place >> 33, y = place & 0x7fffffff;
    return x * x + y * y < (uint64_t)1 << 62;
}

static struct tally throw_darts(struct options const* options, uint64_t round, int rank, int size) {
    struct tally tally = {PER_ROUND, 0};
    uint64_t const first = (round * (uint64_t)size + (uint64_t)rank) * PER_ROUND;
    for (uint64_t dart = first; dart < first + PER_ROUND; ++dart) tally.hits += (uint64_t)hits(options->seed, dart);
    return tally;
}

static int parse(int argc, char** argv, struct options* options) {
    for (int i = 1; i < argc; i += 2) {
        uint64_t* const number = strcmp(argv[i], "--darts") == 0  ? &options->darts
                                 : strcmp(argv[i], "--seed") == 0 ? &options->seed
                                                                  : NULL;
        char* end = "?";
        if (i + 1 < argc && number != NULL && argv[i + 1][0] != '-') *number = strtoull(argv[i + 1], &end, 10);
        if (*end != '\0' || end == argv[i + 1]) return 0;
    }
    return 1;
}

int main(int argc, char** argv) {
    struct options options = {10000000, 1};
    struct tally all = {0, 0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!parse(argc, argv, &options)) {
        if (rank == 0) fprintf(stderr, "monte_carlo [--darts N] [--seed S]\n");
        MPI_Finalize();
        return 2;
    }
    for (uint64_t round = 0; all.darts < options.darts; ++round) {
        struct tally mine = throw_darts(&options, round, rank, size), sum;
        MPI_Allreduce(&mine, &sum, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        all.darts += sum.darts;
        all.hits += sum.hits;
    }
    if (rank == 0 && all.darts > 0) {
        double const part = (double)all.hits / (double)all.darts;
        printf("pi is %.6f +- %.6f\n", 4 * part, 4 * sqrt(part * (1 - part) / (double)all.darts));
        printf("result %" PRIu64 " of %" PRIu64 " darts\n", all.hits, all.darts);
    }
    MPI_Finalize();
    return 0;
}
