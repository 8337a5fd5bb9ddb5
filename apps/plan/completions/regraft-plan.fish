# Completion of regraft-plan for fish.
set -l commands match rounds recover loss
complete -c regraft-plan -f
complete -c regraft-plan -n "not __fish_seen_subcommand_from $commands" -l version
complete -c regraft-plan -l help -d 'how to use it'
complete -c regraft-plan -n "not __fish_seen_subcommand_from $commands" -a match -d 'choose a sender for each block'
complete -c regraft-plan -n "not __fish_seen_subcommand_from $commands" -a rounds -d 'deal transfers to rounds'
complete -c regraft-plan -n "not __fish_seen_subcommand_from $commands" -a recover -d 'plan a whole recovery'
complete -c regraft-plan -n "not __fish_seen_subcommand_from $commands" -a loss -d 'how many failures a job survives'
complete -c regraft-plan -n '__fish_seen_subcommand_from match rounds' -F
complete -c regraft-plan -n "__fish_seen_subcommand_from $commands" -l json -r -F -d 'the plan, for programs'
complete -c regraft-plan -n '__fish_seen_subcommand_from rounds' -l list -d 'print every round'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover loss' -s p -l ranks -x -d 'before the failures'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover loss' -s r -l replicas -x -d 'ranks that keep each block'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover loss' -l placement -x -a 'mod-k permuted pairwise node-aware' -d 'which ranks keep which block'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover loss' -l node-size -x -d 'ranks of a node'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover loss' -l seed -x -d 'of what is drawn'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l blocks -x
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l block-bytes -x -d 'bytes of a block'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l partitions -x
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l failed -x -d 'these ranks'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l fail-nodes -x -d 'these nodes'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l fail-rate -x -d 'this part of the nodes'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l redistribute -d 'deal all blocks anew'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l bundle -d 'one message per pair of ranks'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l alpha -x -d 'microseconds per message'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l member -x -d 'microseconds of a rank at the root of an agreement'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l beta -x -d '10^9 bytes per second'
complete -c regraft-plan -n '__fish_seen_subcommand_from recover' -l transfers -d 'with --json: every transfer'
complete -c regraft-plan -n '__fish_seen_subcommand_from loss' -l failures -x -d 'so many'
complete -c regraft-plan -n '__fish_seen_subcommand_from loss' -l fraction -x -d 'these parts of all'
complete -c regraft-plan -n '__fish_seen_subcommand_from loss' -l simulate -x -d 'so many times'
complete -c regraft-plan -n '__fish_seen_subcommand_from loss' -l svg -r -F -d 'draw the figure'
