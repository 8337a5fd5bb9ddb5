# Completion of regraft-plan for bash.
_regraft_plan() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word command= options
    local commands='match rounds recover loss'
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ " $commands " == *" $word "* ]] && command=$word && break
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        return
    fi
    case $previous in
        --placement) mapfile -t COMPREPLY < <(compgen -W 'mod-k permuted pairwise node-aware' -- "$cur"); return ;;
        --json | --svg)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
        -p | --ranks | -r | --replicas | --blocks | --block-bytes | --partitions | --failed | --fail-nodes | --fail-rate | --seed | --node-size | --alpha | --beta | --member | --failures | --fraction | --simulate) return ;;
    esac
    options='--help --json'
    case $command in
        rounds) options+=' --list' ;;
        recover)
            options+=' --ranks --blocks --block-bytes --partitions --replicas --placement --failed --fail-nodes --fail-rate --seed --node-size --redistribute --bundle --alpha --beta --member --transfers' ;;
        loss) options+=' --ranks --replicas --placement --node-size --failures --fraction --simulate --seed --svg' ;;
    esac
    if [[ $cur == -* || $command == recover || $command == loss ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -F _regraft_plan regraft-plan
