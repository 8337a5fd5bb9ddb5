#!/bin/sh
# Runs a program as one rank of a job and leaves its exit code as the rank's verdict: "exit 0", "exit 2", "exit 137".
# A rank that was killed takes this shell along, so that mpirun sees the death that it would see without the shell. Any
# other rank ends well for mpirun, which otherwise ends the job a second later, before a slow rank has written its code.
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
"$@"
code=$?
echo "exit $code" >"$REGRAFT_VERDICTS/$rank.tmp" && mv "$REGRAFT_VERDICTS/$rank.tmp" "$REGRAFT_VERDICTS/$rank"
[ "$code" -lt 128 ] || kill -9 $$
exit 0
