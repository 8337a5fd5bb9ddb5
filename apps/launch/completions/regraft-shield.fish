# Completion of regraft-shield for fish. The program lists its policies.
function __regraft_shield_policies
    for line in (regraft-shield --help 2>/dev/null | string match -rg '^ *([A-Z_]+=[A-Za-z|]+) ')
        set -l parts (string split = $line)
        for value in (string split '|' $parts[2])
            test $value = N; and echo $parts[1]=; or echo $parts[1]=$value
        end
    end
end
complete -c regraft-shield -l help -d 'how to use it'
complete -c regraft-shield -l version -d 'which version this is'
complete -c regraft-shield -l report -r -F -d 'write what was done, as JSON'
complete -c regraft-shield -l tolerate -d 'exit code 0 also if ranks have died'
complete -c regraft-shield -l policy -x -a '(__regraft_shield_policies)' -d 'what to do where the dead are missing'
complete -c regraft-shield -l mpirun -r -F -d 'another mpirun than the installed one'
complete -c regraft-shield -l library -r -F -d 'another library than the installed one'
complete -c regraft-shield -l node-library -r -F -d 'another library for mpirun than the installed one'
complete -c regraft-shield -l node-timeout -x -d 'seconds of silence after which a node is lost'
complete -c regraft-shield -s n -x -d 'number of ranks'
complete -c regraft-shield -l host -x -d 'hosts to run on'
complete -c regraft-shield -l hostfile -r -F -d 'hosts to run on'
complete -c regraft-shield -l map-by -x -d 'how ranks are dealt to hosts and cores'
