#compdef PROGRAM

FUNCTION() {
    local -a before all subs opts
    before=("${(@)words[1,CURRENT-1]}")
    if [[ ${words[CURRENT]} == -*=* ]]; then
        before+=("${words[CURRENT]%%=*}")
        compset -P '*='
    fi
    all=("${(@f)$("${words[1]}" completion zsh -- "${before[@]}" 2>/dev/null)}")
    all=("${(@)all/$'\t'/:}")
    opts=("${(@M)all:#-*}")
    subs=("${(@)all:#(-*|)}")
    if ((${#subs})) && [[ ${words[CURRENT]} != -* || ${words[CURRENT]} == *=* ]]; then
        _describe command subs
    elif [[ ${words[CURRENT]} == -* ]] && ((${#opts})); then
        _describe -o flag opts
    else
        _files
    fi
}

if [[ ${funcstack[1]} == FUNCTION ]]; then
    FUNCTION "$@"
else
    compdef FUNCTION PROGRAM
fi
