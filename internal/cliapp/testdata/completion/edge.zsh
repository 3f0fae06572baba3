#compdef edge

_edge() {
    local here="" value="" i
    local -a subs opts
    for ((i = 2; i < CURRENT; i++)); do
        case "$here ${words[i]}" in
        " --ca" | " -ca" | " --event-wait" | " -event-wait")
            value=${words[i]}
            ((++i < CURRENT)) && value=""
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
    if [[ -z $value && ${words[CURRENT]} == -*=* ]]; then
        value=${words[CURRENT]%%=*}
        compset -P '*='
    fi
    case "$here $value" in
    esac
    if [[ -n $value ]]; then
        _files
        return
    fi
    case "$here" in
    "")
        subs=( 'status:Show the status' 'events:Show the events' 'completion:Print a shell completion script' 'man:Print the manual page' )
        opts=( '-ca:The CA' '-event-wait:How long to wait' '-watch:Go on' '-help:Show help' '-version:Show the version' )
        ;;
    "status")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    "events")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    "completion")
        subs=( 'bash:Print the completion script for bash' 'zsh:Print the completion script for zsh' 'fish:Print the completion script for fish' )
        opts=( '-help:Show help' )
        ;;
    "completion/bash")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    "completion/zsh")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    "completion/fish")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    "man")
        subs=( )
        opts=( '-help:Show help' )
        ;;
    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        _describe -o flag opts
    elif ((${#subs})); then
        _describe command subs
    else
        _files
    fi
}

if [[ ${funcstack[1]} == _edge ]]; then
    _edge "$@"
else
    compdef _edge edge
fi
