#!/usr/bin/env python3
"""Which server sends which file to which client, and when: matchings and rounds, without MPI."""
from regraft import matching, schedule

NUM_SERVERS = 4
HELD_BY = [[0, 1], [0, 1], [0, 1], [0], [0, 2], [0, 2, 3], [1, 3], [0, 1]]  # per file
MEGABYTES = [7, 2, 3, 1, 6, 4, 2, 5]  # per file
WANTED_BY = [10, 11, 12, 10, 11, 12, 10, 11]  # per file, a client


def text(values) -> str:
    return " ".join("-" if value == matching.UNMATCHED else str(value) for value in values)


offsets, servers = matching.rows_to_csr(HELD_BY)  # one array of offsets, one of values
match = matching.min_b_matching(offsets, servers, NUM_SERVERS)
print("server of each file:", text(match.right_of))
print(f"the busiest server sends {match.b} files; fewer is impossible because of servers {text(match.hall_set)}")

limited = matching.max_b_matching(offsets, servers, [2, 1, 1, 1])
print("if servers send at most 2, 1, 1, 1 files:", text(limited.right_of))
print(f"{limited.num_matched} files are sent, no choice sends more")

weighted = matching.min_b_weighted(offsets, servers, MEGABYTES, NUM_SERVERS)
print("by megabytes:", text(weighted.right_of))
print(f"the busiest server sends {weighted.b} MB, no choice less than {weighted.lower_bound}")

plan = schedule.h_relation(WANTED_BY, offsets, servers)
print(f"{plan.num_rounds} rounds, no plan has fewer")
for number in range(plan.num_rounds):
    sent = [f"  file {file} {plan.sender_of[file]} -> {WANTED_BY[file]}" for file in range(len(WANTED_BY)) if plan.round_of[file] == number]
    print(f"round {number}:{''.join(sent)}")

senders = schedule.choose_senders(WANTED_BY, offsets, servers, bytes=MEGABYTES)
print(f"all at once, by megabytes: the busiest server sends {senders.most_bytes} MB")
