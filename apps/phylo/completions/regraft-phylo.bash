# Completion of regraft-phylo for bash.
_regraft_phylo() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word command= options
    local commands='check search evaluate loglh support consensus rfdist points'
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ " $commands " == *" $word "* ]] && command=$word && break
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        return
    fi
    case $previous in
        --brlen) mapfile -t COMPREPLY < <(compgen -W 'linked scaled unlinked' -- "$cur"); return ;;
        --criterion) mapfile -t COMPREPLY < <(compgen -W 'bic aicc aic' -- "$cur"); return ;;
        --effort) mapfile -t COMPREPLY < <(compgen -W 'fast normal thorough' -- "$cur"); return ;;
        --repeats) mapfile -t COMPREPLY < <(compgen -W 'auto on off' -- "$cur"); return ;;
        --instructions) mapfile -t COMPREPLY < <(compgen -W 'avx512 avx2 sse4 scalar' -- "$cur"); return ;;
        --model)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -W 'auto GTR+G HKY+G JC LG+G WAG+G BIN+G' -- "$cur"; compgen -f -X '!*.bestModel' -- "$cur")
            return ;;
        --msa | --partitions | --tree | --constraint | --tree-constraint | --trees | --reduced | --json | --prefix)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
        --metric | --bs-metric) mapfile -t COMPREPLY < <(compgen -W 'fbp tbe' -- "$cur"); return ;;
        --threshold) mapfile -t COMPREPLY < <(compgen -W 'strict mr mre' -- "$cur"); return ;;
        --bs-trees)
            if [[ $command == support ]]; then
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            else
                mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur")
            fi
            return ;;
        --starts | --alrt | --outgroup | --seed | --spr-radius | --replicas | --groups | --checkpoint-interval | --time-limit | --threads | --memory | --fail) return ;;
    esac
    options='--help'
    [[ $command != points ]] && options+=' --redo'
    case $command in
        check | search | evaluate | loglh) options+=' --msa --model --partitions --brlen --reduced' ;;&
        support | consensus | rfdist) options+=' --prefix' ;;&
        support | consensus) options+=' --outgroup' ;;&
        consensus | rfdist) options+=' --trees' ;;&
        support) options+=' --tree --bs-trees --metric --bs-metric' ;;
        consensus) options+=' --threshold' ;;
        rfdist) options+=' --tree --json' ;;
        check) options+=' --json' ;;
        search | evaluate | loglh)
            options+=' --criterion --tree --prefix --replicas --groups --checkpoint-interval --time-limit --threads --memory --repeats --instructions --fail' ;;
    esac
    [[ $command == search || $command == evaluate ]] && options+=' --profile'
    [[ $command == search ]] && options+=' --starts --constraint --tree-constraint --all --alrt --bs-trees --outgroup --seed --effort --spr-radius'
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
}
complete -F _regraft_phylo regraft-phylo
