# bash completion for edge

_edge() {
    local cur=${COMP_WORDS[COMP_CWORD]} here="" value="" commands="" flags="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$here ${COMP_WORDS[i]}" in
        " --ca" | " -ca" | " --event-wait" | " -event-wait")
            value=${COMP_WORDS[i]}
            [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i))
            ((++i < COMP_CWORD)) && value=""
            ;;
        " status") here="status" ;;
        " events") here="events" ;;
        " completion") here="completion" ;;
        " man") here="man" ;;
        "completion bash") here="completion/bash" ;;
        "completion zsh") here="completion/zsh" ;;
        "completion fish") here="completion/fish" ;;
        esac
    done
    [[ $cur == "=" ]] && cur=""
    case "$here $value" in
    esac
    COMPREPLY=()
    [[ $value ]] && return
    case "$here" in
    "") commands="status events completion man" flags="-ca -event-wait -watch -help -version" ;;
    "status") commands="" flags="-help" ;;
    "events") commands="" flags="-help" ;;
    "completion") commands="bash zsh fish" flags="-help" ;;
    "completion/bash") commands="" flags="-help" ;;
    "completion/zsh") commands="" flags="-help" ;;
    "completion/fish") commands="" flags="-help" ;;
    "man") commands="" flags="-help" ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    else
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    fi
}
complete -o default -F _edge edge
