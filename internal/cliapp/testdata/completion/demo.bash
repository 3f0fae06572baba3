# bash completion for demo

_demo() {
    local cur=${COMP_WORDS[COMP_CWORD]} here="" value="" commands="" flags="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$here ${COMP_WORDS[i]}" in
        " --evidence" | " -evidence" | " --trust" | " -trust" | " --output" | " -output")
            value=${COMP_WORDS[i]}
            [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i))
            ((++i < COMP_CWORD)) && value=""
            ;;
        " many") here="many" ;;
        " explain") here="explain" ;;
        " show") here="show" ;;
        " trust") here="trust" ;;
        " reject") here="reject" ;;
        " fail") here="fail" ;;
        " clash") here="clash" ;;
        " panic") here="panic" ;;
        " exit") here="exit" ;;
        " quit") here="quit" ;;
        " typo") here="typo" ;;
        " completion") here="completion" ;;
        " man") here="man" ;;
        "many --trust" | "many -trust" | "many --jobs" | "many -jobs" | "many --wait" | "many -wait" | "many --type" | "many -type")
            value=${COMP_WORDS[i]}
            [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i))
            ((++i < COMP_CWORD)) && value=""
            ;;
        "trust lint") here="trust/lint" ;;
        "trust diff") here="trust/diff" ;;
        "completion bash") here="completion/bash" ;;
        "completion zsh") here="completion/zsh" ;;
        "completion fish") here="completion/fish" ;;
        esac
    done
    [[ $cur == "=" ]] && cur=""
    case "$here $value" in
    " --output" | " -output")
        COMPREPLY=($(compgen -W "result brief text" -- "$cur"))
        return
        ;;
    esac
    COMPREPLY=()
    [[ $value ]] && return
    case "$here" in
    "") commands="many explain show trust reject fail clash panic exit quit typo completion man" flags="--evidence --trust --output --help --version" ;;
    "many") commands="" flags="--trust --jobs --wait --type --quiet --help" ;;
    "explain") commands="" flags="--help" ;;
    "show") commands="" flags="--help" ;;
    "trust") commands="lint diff" flags="--help" ;;
    "trust/lint") commands="" flags="--help" ;;
    "trust/diff") commands="" flags="--help" ;;
    "reject") commands="" flags="--help" ;;
    "fail") commands="" flags="--help" ;;
    "clash") commands="" flags="--help" ;;
    "panic") commands="" flags="--help" ;;
    "exit") commands="" flags="--help" ;;
    "quit") commands="" flags="--help" ;;
    "typo") commands="" flags="--help" ;;
    "completion") commands="bash zsh fish" flags="--help" ;;
    "completion/bash") commands="" flags="--help" ;;
    "completion/zsh") commands="" flags="--help" ;;
    "completion/fish") commands="" flags="--help" ;;
    "man") commands="" flags="--help" ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    else
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    fi
}
complete -o default -F _demo demo
