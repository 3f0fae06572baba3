#compdef demo

_demo() {
    local here="" value="" i
    local -a subs opts
    for ((i = 2; i < CURRENT; i++)); do
        case "$here ${words[i]}" in
        " --evidence" | " -evidence" | " --trust" | " -trust" | " --output" | " -output")
            value=${words[i]}
            ((++i < CURRENT)) && value=""
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
            value=${words[i]}
            ((++i < CURRENT)) && value=""
            ;;
        "trust lint") here="trust/lint" ;;
        "trust diff") here="trust/diff" ;;
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
    " --output" | " -output")
        compadd -- result brief text
        return
        ;;
    esac
    if [[ -n $value ]]; then
        _files
        return
    fi
    case "$here" in
    "")
        subs=( 'many:Check many things' 'explain:Explain a code' 'show:Show, maybe, something' 'trust:Work on trust' 'reject:Say no' 'fail:Fail' 'clash:Find a clash' 'panic:Panic' 'exit:Give a bad exit code' 'quit:Try to end the process' 'typo:Ask for an unknown flag' 'completion:Print a shell completion script' 'man:Print the manual page' )
        opts=( '--evidence:The thing' '--trust:Whom to trust' '--output:What to print' '--help:Show help' '--version:Show the version' )
        ;;
    "many")
        subs=( )
        opts=( '--trust:Whom to trust' '--jobs:How many at once' '--wait:How long to wait' '--type:Only these' '--quiet:No progress' '--help:Show help' )
        ;;
    "explain")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "show")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "trust")
        subs=( 'lint:Look at it' 'diff:Compare' )
        opts=( '--help:Show help' )
        ;;
    "trust/lint")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "trust/diff")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "reject")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "fail")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "clash")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "panic")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "exit")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "quit")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "typo")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "completion")
        subs=( 'bash:Print the completion script for bash' 'zsh:Print the completion script for zsh' 'fish:Print the completion script for fish' )
        opts=( '--help:Show help' )
        ;;
    "completion/bash")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "completion/zsh")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "completion/fish")
        subs=( )
        opts=( '--help:Show help' )
        ;;
    "man")
        subs=( )
        opts=( '--help:Show help' )
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

if [[ ${funcstack[1]} == _demo ]]; then
    _demo "$@"
else
    compdef _demo demo
fi
