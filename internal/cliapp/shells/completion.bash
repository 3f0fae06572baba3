# bash completion for PROGRAM

FUNCTION() {
    local cur=${COMP_WORDS[COMP_CWORD]} word
    [[ $cur == "=" ]] && cur=""
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        [[ $word == "$cur"* && ($cur == -* || $word != -*) ]] && COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F FUNCTION PROGRAM
