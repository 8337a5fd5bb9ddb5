# Completion of regraft-msa for bash.
_regraft_msa() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word command= options files=
    local commands='compress decompress extract stat verify tree cat'
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ " $commands " == *" $word "* ]] && command=$word && break
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        return
    fi
    case $previous in
        --format) mapfile -t COMPREPLY < <(compgen -W 'fasta phylip' -- "$cur"); return ;;
        --codec) mapfile -t COMPREPLY < <(compgen -W 'native thesis plain' -- "$cur"); return ;;
        -T | --threads | -B | --block | --seed | --width | --sites | --partition | --taxon) return ;;
        -o | --output | --tree | --partitions | --taxa)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
    esac
    options='--help --threads --any-size --quiet --verbose'
    case $command in
        compress)
            options+=' --output --stdout --force --keep --fast --best --tree --partitions --seed --block --codec --no-verify' ;;
        decompress) options+=' --output --stdout --force --keep --format --width' ;;
        extract) options+=' --sites --partition --taxa --taxon --output --stdout --force --format --width' ;;
        stat) options+=' --json' ;;
        cat) options+=' --format --width' ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    case $command in
        compress) unwanted='*.rgm' ;;
        stat) unwanted= ;;
        *) unwanted='!*.rgm' ;;
    esac
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X "$unwanted" -- "$cur")
}
complete -F _regraft_msa regraft-msa
