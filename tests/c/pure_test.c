/* Everything in regraft.h, used by a program in C99 without MPI, also wrongly. pure_test VERSION */
#include <math.h>
#include <stdlib.h>

#include "check.h"

/* Four blocks, three PEs: 0 holds all, 1 the first two, 2 the last. No plan has a busiest sender with less than two. */
static uint64_t const offsets[] = {0, 2, 4, 5, 7};
static uint32_t const holders[] = {0, 1, 0, 1, 0, 0, 2};
static regraft_graph const graph = {4, 3, offsets, holders};

static int is_neighbour(regraft_graph const* g, uint64_t x, uint32_t v) {
    for (uint64_t e = g->offsets[x]; e < g->offsets[x + 1]; ++e) {
        if (g->neighbours[e] == v) return 1;
    }
    return 0;
}

/* The most weight at one right vertex if each left vertex goes to a neighbour; UINT64_MAX if one does not. */
static uint64_t most_load(regraft_graph const* g, uint64_t const* weight, uint32_t const* right_of) {
    uint64_t most = 0;
    for (uint32_t v = 0; v < g->num_right; ++v) {
        uint64_t load = 0;
        for (uint64_t x = 0; x < g->num_left; ++x) {
            if (!is_neighbour(g, x, right_of[x])) return UINT64_MAX;
            if (right_of[x] == v) load += weight == NULL ? 1 : weight[x];
        }
        if (load > most) most = load;
    }
    return most;
}

static void sums_are_exact_in_any_order(void) {
    double const terms[] = {1e100, 1.0, -1e100, 0x1p-1000};
    double const backwards[] = {0x1p-1000, -1e100, 1.0, 1e100};
    double values[2];
    regraft_sums* sums = NULL;
    CHECK_OK(regraft_sums_create(2, &sums));
    CHECK_OK(regraft_sums_add(sums, 0, terms, 4));
    for (int i = 0; i < 4; ++i) CHECK_OK(regraft_sums_add_each(sums, 1, &backwards[i], 1));
    CHECK_OK(regraft_sums_values(sums, 0, values, 2));
    CHECK(values[0] == 1.0 && values[1] == 1.0);
    double const infinity = INFINITY;
    CHECK_OK(regraft_sums_add(sums, 0, &infinity, 1));
    CHECK_OK(regraft_sums_values(sums, 0, values, 1));
    CHECK(isinf(values[0]));
    CHECK_OK(regraft_sums_clear(sums));
    CHECK_OK(regraft_sums_values(sums, 0, values, 2));
    CHECK(values[0] == 0 && values[1] == 0);
    CHECK_OK(regraft_sums_add(sums, 0, NULL, 0));

    CHECK_REFUSED(regraft_sums_add(NULL, 0, terms, 4), "sums, not NULL");
    CHECK_REFUSED(regraft_sums_add(sums, 2, terms, 4), "sums that there are");
    CHECK_REFUSED(regraft_sums_add(sums, 0, NULL, 1), "values, not NULL");
    CHECK_REFUSED(regraft_sums_add_each(sums, 1, terms, 2), "sums that there are");
    CHECK_REFUSED(regraft_sums_add_each(sums, 1, terms, UINT64_MAX), "sums that there are");
    CHECK_REFUSED(regraft_sums_values(sums, UINT64_MAX, values, 2), "sums that there are");
    CHECK_REFUSED(regraft_sums_values(sums, 0, NULL, 2), "not NULL");
    CHECK_REFUSED(regraft_sums_clear(NULL), "not NULL");
    CHECK_REFUSED(regraft_sums_create(1, NULL), "not NULL");
    regraft_sums* none = NULL;
    CHECK_SAYS(regraft_sums_create(UINT64_MAX / 8, &none), REGRAFT_NO_MEMORY, "no memory");
    CHECK(none == NULL);
    regraft_sums_free(sums);
    regraft_sums_free(NULL);
}

/* 0.1 is rounded to the grid alone, 3 is above the bound. */
static void scaled_sums_are_the_same_in_any_order(void) {
    double const terms[] = {0.1, 3, -0.1, 0x1p-84, 0x1p-90};
    double values[2];
    regraft_sums* sums = NULL;
    CHECK_OK(regraft_sums_create_scaled(2, 1, 1 << 19, &sums));
    CHECK_OK(regraft_sums_add(sums, 0, terms, 5));
    for (int i = 4; i >= 0; --i) CHECK_OK(regraft_sums_add_each(sums, 1, &terms[i], 1));
    CHECK_OK(regraft_sums_values(sums, 0, values, 2));
    CHECK(values[0] == 3 && values[1] == 3);
    CHECK_OK(regraft_sums_clear(sums));
    CHECK_OK(regraft_sums_add(sums, 0, terms + 3, 2));
    CHECK_OK(regraft_sums_values(sums, 0, values, 2));
    CHECK(values[0] == 0x1p-84 && values[1] == 0);
    CHECK_REFUSED(regraft_sums_add(sums, 2, terms, 1), "sums that there are");
    regraft_sums_free(sums);
    sums = NULL;
    double const no_bounds[] = {0, -1, 3, INFINITY, NAN};
    for (int i = 0; i < 5; ++i) CHECK_REFUSED(regraft_sums_create_scaled(1, no_bounds[i], 9, &sums), "a power of two");
    CHECK_REFUSED(regraft_sums_create_scaled(1, 1, UINT64_C(1) << 50, &sums), "fewer than 2^50 values");
    CHECK(sums == NULL);
}

static void matchings_are_optimal(void) {
    uint32_t right_of[4], hall_set[3];
    regraft_matching m;
    CHECK_OK(regraft_matching_min_b(&graph, right_of, hall_set, &m));
    CHECK(m.b == 2 && m.lower_bound == 2 && m.num_isolated == 0 && most_load(&graph, NULL, right_of) == 2);
    CHECK(m.hall_size >= 1 && m.hall_size <= 3);
    CHECK_OK(regraft_matching_min_b(&graph, right_of, NULL, NULL));

    uint64_t const lonely_offsets[] = {0, 0, 1};
    regraft_graph const lonely = {2, 1, lonely_offsets, holders};
    CHECK_OK(regraft_matching_min_b(&lonely, right_of, NULL, &m));
    CHECK(right_of[0] == REGRAFT_NONE && right_of[1] == 0 && m.num_isolated == 1 && m.b == 1);

    uint64_t const weight[] = {5, 4, 1, 7};
    CHECK_OK(regraft_matching_min_b_weighted(&graph, weight, right_of, hall_set, &m));
    CHECK(most_load(&graph, weight, right_of) == m.b && m.b >= m.lower_bound && m.b <= m.lower_bound + 7);

    uint64_t const units[] = {10, 10, 1, 9};
    uint64_t share[7];
    CHECK_OK(regraft_matching_min_b_shares(&graph, units, share, NULL, &m));
    CHECK(share[0] + share[1] == 10 && share[2] + share[3] == 10 && share[4] == 1 && share[5] + share[6] == 9);
    CHECK(m.b == 11); /* PE 2 takes the 9 of the last block, the others share 21 */

    uint32_t const capacity[] = {1, 1, 0};
    uint64_t num_matched = 0;
    CHECK_OK(regraft_matching_max_b(&graph, capacity, right_of, &num_matched));
    CHECK(num_matched == 2);
    regraft_graph const empty = {0, 0, offsets, NULL};
    CHECK_OK(regraft_matching_min_b(&empty, NULL, NULL, &m));
    CHECK(m.b == 0 && m.hall_size == 0);
}

static void wrong_graphs_are_refused(void) {
    uint32_t right_of[4];
    uint64_t share[7];
    uint64_t const falling[] = {0, 2, 1, 5, 7}, late[] = {1, 2, 4, 5, 7}, huge[] = {0, 0, 0, 0, UINT64_MAX};
    uint64_t const heavy[] = {UINT64_MAX / 4, UINT64_MAX / 4, 1, 1};
    regraft_graph const wrong[] = {{4, 3, falling, holders},
                                   {4, 3, late, holders},
                                   {4, 2, offsets, holders},
                                   {4, 3, NULL, holders},
                                   {4, 3, offsets, NULL},
                                   {4, 3, huge, holders},
                                   {UINT64_MAX, 3, offsets, holders},
                                   {4, REGRAFT_NONE, offsets, holders}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        CHECK_REFUSED(regraft_matching_min_b(&wrong[i], right_of, NULL, NULL), "expected");
        CHECK_REFUSED(regraft_matching_min_b_weighted(&wrong[i], heavy, right_of, NULL, NULL), "expected");
        CHECK_REFUSED(regraft_matching_min_b_shares(&wrong[i], heavy, share, NULL, NULL), "expected");
        CHECK_REFUSED(regraft_matching_max_b(&wrong[i], holders, right_of, NULL), "expected");
    }
    CHECK_REFUSED(regraft_matching_min_b(NULL, right_of, NULL, NULL), "a graph, not NULL");
    CHECK_REFUSED(regraft_matching_min_b(&graph, NULL, NULL, NULL), "right_of, not NULL");
    CHECK_REFUSED(regraft_matching_min_b_weighted(&graph, heavy, right_of, NULL, NULL), "below 2^63");
    CHECK_REFUSED(regraft_matching_min_b_weighted(&graph, NULL, right_of, NULL, NULL), "weight, not NULL");
    CHECK_REFUSED(regraft_matching_min_b_shares(&graph, heavy, share, NULL, NULL), "below 2^63");
    CHECK_REFUSED(regraft_matching_min_b_shares(&graph, huge, NULL, NULL, NULL), "share, not NULL");
    CHECK_REFUSED(regraft_matching_max_b(&graph, NULL, right_of, NULL), "capacity, not NULL");
}

/* In no round a PE sends or receives two messages, or two different ones if they are bundled. */
static int rounds_are_proper(regraft_requests const* r, int messages, uint32_t const* from, uint32_t const* round) {
    for (uint64_t i = 0; i < r->count; ++i) {
        for (uint64_t j = 0; j < i; ++j) {
            int const same = from[i] == from[j] && r->receivers[i] == r->receivers[j];
            if (round[i] != round[j] || round[i] == REGRAFT_NONE || (messages == REGRAFT_BUNDLED && same)) continue;
            if (from[i] == from[j] || r->receivers[i] == r->receivers[j]) return 0;
        }
    }
    return 1;
}

static void schedules_serve_every_request(void) {
    /* PEs far apart: their numbers must not cost memory. The third request is local, no PE holds the fourth. */
    uint32_t const receivers[] = {4000000000u, 7, 5, 9, 7, 4000000000u};
    uint64_t const rows[] = {0, 2, 4, 6, 6, 8, 9};
    uint32_t const held_by[] = {5, 4000000001u, 5, 4000000001u, 5, 7, 5, 4000000001u, 5};
    uint64_t const bytes[] = {10, 20, 30, 40, 50, 60};
    uint32_t from[6], round[6];
    regraft_requests requests = {6, receivers, rows, held_by, NULL};
    regraft_schedule s;
    for (int weighted = 0; weighted < 2; ++weighted) {
        requests.bytes = weighted ? bytes : NULL;
        for (int messages = REGRAFT_PER_BLOCK; messages <= REGRAFT_BUNDLED; ++messages) {
            CHECK_OK(regraft_schedule_rounds(&requests, messages, from, round, &s));
            CHECK(s.num_local == 1 && s.num_lost == 1 && from[2] == 5 && from[3] == REGRAFT_NONE);
            CHECK(round[2] == REGRAFT_NONE && round[3] == REGRAFT_NONE);
            CHECK(rounds_are_proper(&requests, messages, from, round));
            for (uint64_t i = 0; i < 6; ++i) CHECK(round[i] == REGRAFT_NONE || round[i] < s.num_rounds);
            for (uint64_t i = 0; i < 6; ++i) CHECK(i == 3 || from[i] == 5 || from[i] == 4000000001u);
            if (!weighted) CHECK(s.b == 2 && s.num_rounds == 2);
            if (weighted) CHECK(s.most_bytes >= s.most_bytes_min && s.most_bytes_min >= 70);
        }
        CHECK_OK(regraft_schedule_senders(&requests, round, &s));
        CHECK(s.b >= 2 && round[3] == REGRAFT_NONE && round[5] == 5);
    }
    regraft_requests const none = {0, NULL, rows, NULL, NULL};
    CHECK_OK(regraft_schedule_rounds(&none, REGRAFT_PER_BLOCK, NULL, NULL, &s));
    CHECK(s.num_rounds == 0 && s.b == 0);

    CHECK_REFUSED(regraft_schedule_rounds(&requests, 7, from, round, NULL), "REGRAFT_PER_BLOCK");
    CHECK_REFUSED(regraft_schedule_rounds(NULL, 0, from, round, NULL), "not NULL");
    CHECK_REFUSED(regraft_schedule_rounds(&requests, 0, from, NULL, NULL), "round_of, not NULL");
    CHECK_REFUSED(regraft_schedule_senders(&requests, NULL, NULL), "sender_of, not NULL");
    uint64_t const heavy[] = {UINT64_MAX, 1, 1, 1, 1, 1};
    requests.bytes = heavy;
    CHECK_REFUSED(regraft_schedule_senders(&requests, from, NULL), "below 2^63");
    requests.bytes = NULL;
    requests.count = UINT64_MAX;
    CHECK_REFUSED(regraft_schedule_senders(&requests, from, NULL), "2^30");
    requests.count = 6;
    requests.receivers = NULL;
    CHECK_REFUSED(regraft_schedule_senders(&requests, from, NULL), "receivers, not NULL");
    uint32_t const nobody[] = {1, 2, 3, 4, 5, REGRAFT_NONE};
    requests.receivers = nobody;
    CHECK_REFUSED(regraft_schedule_senders(&requests, from, NULL), "below 2^32 - 1");
}

/* The slots hold what the blocks say of their holders. */
static void agrees_with_itself(regraft_placement const* placement, uint64_t num_blocks, uint32_t num_slots) {
    uint64_t held = 0, copies = 0, count = 0;
    regraft_range ranges[64];
    for (uint32_t slot = 0; slot < num_slots; ++slot) {
        CHECK_OK(regraft_placement_held(placement, slot, ranges, 64, &count));
        CHECK(count <= 64);
        for (uint64_t i = 0; i < count; ++i) {
            held += ranges[i].last - ranges[i].first;
            uint32_t holder[8];
            uint64_t num_holders = 0;
            int found = 0;
            CHECK_OK(regraft_placement_holders(placement, ranges[i].first, holder, 8, &num_holders));
            for (uint64_t j = 0; j < num_holders && j < 8; ++j) found += holder[j] == slot;
            CHECK(found == 1);
        }
    }
    for (uint64_t block = 0; block < num_blocks; ++block) {
        CHECK_OK(regraft_placement_holders(placement, block, NULL, 0, &count));
        CHECK(count >= 2);
        copies += count;
    }
    CHECK(held == copies);
    uint32_t slots[1];
    CHECK_REFUSED(regraft_placement_holders(placement, num_blocks, slots, 1, &count), "a block that there is");
    CHECK_REFUSED(regraft_placement_holders(placement, 0, NULL, 1, &count), "slots, not NULL");
    CHECK_REFUSED(regraft_placement_holders(placement, 0, slots, 1, NULL), "count, not NULL");
    CHECK_REFUSED(regraft_placement_held(placement, num_slots, ranges, 64, &count), "a slot that there is");
    CHECK_REFUSED(regraft_placement_held(NULL, 0, ranges, 64, &count), "a placement, not NULL");
}

/* No two copies of a block are on one node. */
static void is_spread(regraft_placement const* placement, uint64_t num_blocks, uint32_t const* node_of) {
    for (uint64_t block = 0; block < num_blocks; ++block) {
        uint32_t slots[8];
        uint64_t count = 0;
        CHECK_OK(regraft_placement_holders(placement, block, slots, 8, &count));
        CHECK(count == 2 && node_of[slots[0]] != node_of[slots[1]]);
    }
}

static void placements_know_nodes(void) {
    regraft_placement *rule = NULL, *spread = NULL;
    uint32_t const node_of[] = {0, 0, 0, 8, 8}, each[] = {5, 4, 3, 2, 1};
    uint32_t before[8], after[8];
    uint64_t num_before = 0, num_after = 0;
    CHECK_OK(regraft_placement_pairwise(20, 5, 2, &rule));
    CHECK_OK(regraft_placement_over_nodes(rule, node_of, 5, 3, 7, &spread));
    agrees_with_itself(spread, 20, 5);
    is_spread(spread, 20, node_of);
    regraft_placement_free(spread);
    CHECK_OK(regraft_placement_over_nodes(rule, each, 5, 0, 0, &spread)); /* it stays as it is */
    for (uint64_t block = 0; block < 20; ++block) {
        CHECK_OK(regraft_placement_holders(rule, block, before, 8, &num_before));
        CHECK_OK(regraft_placement_holders(spread, block, after, 8, &num_after));
        CHECK(num_before == num_after && memcmp(before, after, num_after * sizeof *after) == 0);
    }
    regraft_placement_free(spread);

    spread = NULL;
    CHECK_REFUSED(regraft_placement_over_nodes(NULL, node_of, 5, 0, 0, &spread), "a placement, not NULL");
    CHECK_REFUSED(regraft_placement_over_nodes(rule, NULL, 5, 0, 0, &spread), "node_of, not NULL");
    CHECK_REFUSED(regraft_placement_over_nodes(rule, node_of, 4, 0, 0, &spread), "as many nodes as");
    CHECK_REFUSED(regraft_placement_over_nodes(rule, node_of, 5, 0, 0, NULL), "where to put the handle");
    CHECK(spread == NULL);
    regraft_placement_free(rule);
    CHECK_OK(regraft_placement_permuted(UINT64_MAX, 5, 2, UINT64_C(1) << 60, 1, &rule));
    CHECK_REFUSED(regraft_placement_over_nodes(rule, node_of, 5, 1, 1, &spread), "fewer ranges");
    regraft_placement_free(rule);
}

static void placements_keep_copies(void) {
    regraft_placement* p = NULL;
    uint32_t const node_of[] = {0, 0, 1, 1, 2};
    CHECK_OK(regraft_placement_pairwise(20, 5, 2, &p));
    agrees_with_itself(p, 20, 5);
    regraft_placement_free(p);
    CHECK_OK(regraft_placement_permuted(20, 5, 2, 0, 3, &p));
    agrees_with_itself(p, 20, 5);
    regraft_placement_free(p);
    CHECK_OK(regraft_placement_permuted(20, 5, 2, 3, REGRAFT_NO_SEED, &p));
    agrees_with_itself(p, 20, 5);
    regraft_placement_free(p);
    CHECK_OK(regraft_placement_mod_k(20, 5, 2, REGRAFT_NO_SEED, &p));
    agrees_with_itself(p, 20, 5);
    regraft_placement_free(p);
    CHECK_OK(regraft_placement_node_aware(20, node_of, 5, 2, 1, 9, &p));
    agrees_with_itself(p, 20, 5);
    regraft_placement_free(p);
    regraft_placement_free(NULL);

    p = NULL;
    CHECK_REFUSED(regraft_placement_pairwise(20, 5, 6, &p), "replicas");
    CHECK_REFUSED(regraft_placement_pairwise(20, 5, 2, NULL), "not NULL");
    CHECK_REFUSED(regraft_placement_permuted(20, 0, 0, 0, 1, &p), "replicas");
    CHECK_REFUSED(regraft_placement_permuted(UINT64_MAX, 5, 2, 1, 1, &p), "fewer ranges");
    CHECK_REFUSED(regraft_placement_mod_k(20, 5, 0, 1, &p), "replicas");
    CHECK_REFUSED(regraft_placement_node_aware(20, NULL, 5, 2, 1, 9, &p), "node_of, not NULL");
    CHECK_REFUSED(regraft_placement_node_aware(UINT64_MAX, node_of, 5, 2, 1, 9, &p), "fewer ranges");
    CHECK(p == NULL);
}

/* How many sites a PE has; -1 if its pieces are in disorder. */
static int64_t num_sites(regraft_assignment const* a, uint32_t pe) {
    regraft_range const* sites;
    uint32_t const* partitions;
    uint64_t count;
    int64_t sum = 0;
    CHECK_OK(regraft_assignment_pieces(a, pe, &sites, &partitions, &count));
    for (uint64_t i = 0; i < count; ++i) {
        if (sites[i].first >= sites[i].last || (i > 0 && sites[i].first < sites[i - 1].last)) return -1;
        if (partitions[i] != (sites[i].first < 100 ? 0 : 1)) return -1;
        sum += (int64_t)(sites[i].last - sites[i].first);
    }
    return sum;
}

static void assignments_follow_the_living(void) {
    uint64_t const begins[] = {0, 100, 120}, costs[] = {1, 5}, falling[] = {0, 120, 100}, free_of_charge[] = {0, 1};
    uint32_t const survivors[] = {0, 2, 3}, disorder[] = {2, 0}, strangers[] = {0, 4};
    regraft_assignment* a = NULL;
    regraft_range const* sites;
    uint64_t count;
    CHECK_OK(regraft_assignment_balance(begins, 2, NULL, 4, &a));
    for (uint32_t pe = 0; pe < 4; ++pe) CHECK(num_sites(a, pe) == 30);
    CHECK_OK(regraft_assignment_gained(a, 0, &sites, NULL, &count));
    CHECK(count == 0);
    CHECK_OK(regraft_assignment_reassign(a, survivors, 3));
    CHECK(num_sites(a, 0) == 40 && num_sites(a, 1) == 0 && num_sites(a, 2) == 40 && num_sites(a, 3) == 40);
    uint64_t gained = 0;
    for (uint32_t pe = 0; pe < 4; ++pe) {
        CHECK_OK(regraft_assignment_gained(a, pe, &sites, NULL, &count));
        for (uint64_t i = 0; i < count; ++i) gained += sites[i].last - sites[i].first;
    }
    CHECK(gained == 30);
    CHECK_REFUSED(regraft_assignment_reassign(a, disorder, 2), "ascend");
    CHECK_REFUSED(regraft_assignment_reassign(a, strangers, 2), "ascend");
    CHECK_REFUSED(regraft_assignment_reassign(a, NULL, 0), "at least one");
    CHECK_REFUSED(regraft_assignment_reassign(NULL, survivors, 3), "not NULL");
    CHECK_REFUSED(regraft_assignment_pieces(a, 4, &sites, NULL, &count), "a PE of the assignment");
    CHECK_REFUSED(regraft_assignment_pieces(a, 0, NULL, NULL, &count), "sites, not NULL");
    CHECK_REFUSED(regraft_assignment_gained(a, 0, &sites, NULL, NULL), "count, not NULL");
    CHECK(num_sites(a, 0) == 40);
    regraft_assignment_free(a);

    a = NULL;
    CHECK_OK(regraft_assignment_balance(begins, 2, costs, 2, &a));
    CHECK(num_sites(a, 0) != num_sites(a, 1) && num_sites(a, 0) + num_sites(a, 1) == 120);
    regraft_assignment_free(a);
    regraft_assignment_free(NULL);
    a = NULL;
    CHECK_REFUSED(regraft_assignment_balance(falling, 2, NULL, 2, &a), "ascends");
    CHECK_REFUSED(regraft_assignment_balance(begins, 2, free_of_charge, 2, &a), "positive costs");
    CHECK_REFUSED(regraft_assignment_balance(begins, 2, NULL, 0, &a), "at least one PE");
    CHECK_REFUSED(regraft_assignment_balance(NULL, 2, NULL, 2, &a), "partition_begin");
    CHECK_REFUSED(regraft_assignment_balance(begins, 2, NULL, 2, NULL), "not NULL");
    CHECK(a == NULL);
}

static void parts_cover_evenly(void) {
    uint64_t next = 0;
    for (uint64_t i = 0; i < 7; ++i) {
        regraft_range const part = regraft_even_part(100, i, 7);
        CHECK(part.first == next && part.last - part.first >= 14 && part.last - part.first <= 15);
        next = part.last;
    }
    CHECK(next == 100);
    CHECK(regraft_even_part(100, 7, 7).last == 0 && regraft_even_part(100, 0, 0).last == 0);
    CHECK(regraft_hash("abc", 3) == regraft_hash("abcd", 3) && regraft_hash("abc", 3) != regraft_hash("abd", 3));
    CHECK(regraft_hash(NULL, 3) == regraft_hash("", 0));
}

static void random_numbers_follow_from_the_seed(void) {
    regraft_random a, b, other;
    regraft_random_seed(&a, 7);
    regraft_random_seed(&b, 7);
    regraft_random_seed(&other, 8);
    int different = 0, hits[3] = {0};
    for (int i = 0; i < 3000; ++i) {
        double const x = regraft_random_unit(&a);
        CHECK(x >= 0 && x < 1 && x == regraft_random_unit(&b));
        different += x != regraft_random_unit(&other);
        ++hits[regraft_random_below(&a, 3)];
        regraft_random_below(&b, 3);
    }
    CHECK(different > 2990 && hits[0] > 850 && hits[1] > 850 && hits[2] > 850);
    CHECK(regraft_random_below(&a, 0) == 0 && regraft_random_below(&a, 1) == 0);
    regraft_random_seed(NULL, 1);
    CHECK(regraft_random_unit(NULL) == 0 && regraft_random_below(NULL, 5) == 0);
    CHECK(regraft_mix(1) != regraft_mix(2));
}

int main(int argc, char** argv) {
    CHECK(strcmp(regraft_error_message(), "") == 0);
    CHECK(argc == 2 && strcmp(regraft_version(), argv[1]) == 0); /* the project's */
    sums_are_exact_in_any_order();
    scaled_sums_are_the_same_in_any_order();
    matchings_are_optimal();
    wrong_graphs_are_refused();
    schedules_serve_every_request();
    placements_keep_copies();
    placements_know_nodes();
    assignments_follow_the_living();
    parts_cover_evenly();
    random_numbers_follow_from_the_seed();
    printf("%d checks, %d failed\n", num_checks, num_failed);
    return num_failed == 0 && num_checks > 0 ? 0 : 1;
}
