# Completion of regraft-shield for bash. What policies there are is asked of the program.
_regraft_shield_policies() {
    "$1" --help 2>/dev/null | sed -n 's/^ *\([A-Z_]*\)=\([A-Za-z|]*\) .*/\1 \2/p'
}
_regraft_shield() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} policy= name values word
    COMPREPLY=()
    # NAME=VALUE is three words for bash.
    if [[ $cur == = ]]; then
        policy=$previous cur=
    elif [[ $previous == = ]]; then
        policy=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $previous == --policy || $policy ]]; then
        while read -r name values; do
            if [[ $name == "$policy" && $values != N ]]; then
                mapfile -t COMPREPLY < <(compgen -W "${values//|/ }" -- "$cur")
            elif [[ -z $policy && $name == "$cur"* ]]; then
                COMPREPLY+=("$name=")
            fi
        done < <(_regraft_shield_policies "${COMP_WORDS[0]}")
        compopt -o nospace 2>/dev/null
        return
    fi
    case $previous in
        --report | --mpirun | --library | --node-library | --hostfile)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
        -n | --map-by | --host | --node-timeout) return ;;
    esac
    # Behind the program its own arguments follow.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -- ]] && break
    done
    if [[ $cur == -* && $word != -- ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--help --version --report --tolerate --policy --mpirun --library --node-library --node-timeout -n --host --hostfile --map-by' -- "$cur")
        return
    fi
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u)
}
complete -F _regraft_shield regraft-shield
