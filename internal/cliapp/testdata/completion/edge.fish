# fish completion for edge

function __edge_at
    set -l here ""
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$here $word"
            case " --ca"
                set skip 1
            case " -ca"
                set skip 1
            case " --event-wait"
                set skip 1
            case " -event-wait"
                set skip 1
            case " status"
                set here "status"
            case " events"
                set here "events"
            case " completion"
                set here "completion"
            case " man"
                set here "man"
            case "completion bash"
                set here "completion/bash"
            case "completion zsh"
                set here "completion/zsh"
            case "completion fish"
                set here "completion/fish"
        end
    end
    test "$here" = "$argv[1]"
end

complete -c edge -f
complete -c edge -n '__edge_at ""' -a status -d 'Show the status'
complete -c edge -n '__edge_at ""' -a events -d 'Show the events'
complete -c edge -n '__edge_at ""' -a completion -d 'Print a shell completion script'
complete -c edge -n '__edge_at ""' -a man -d 'Print the manual page'
complete -c edge -n '__edge_at ""' -o ca -r -F -d 'The CA'
complete -c edge -n '__edge_at ""' -o event-wait -r -F -d 'How long to wait'
complete -c edge -n '__edge_at ""' -o watch -d 'Go on'
complete -c edge -n '__edge_at ""' -o help -d 'Show help'
complete -c edge -n '__edge_at ""' -o version -d 'Show the version'
complete -c edge -n '__edge_at "status"' -o help -d 'Show help'
complete -c edge -n '__edge_at "events"' -o help -d 'Show help'
complete -c edge -n '__edge_at "completion"' -a bash -d 'Print the completion script for bash'
complete -c edge -n '__edge_at "completion"' -a zsh -d 'Print the completion script for zsh'
complete -c edge -n '__edge_at "completion"' -a fish -d 'Print the completion script for fish'
complete -c edge -n '__edge_at "completion"' -o help -d 'Show help'
complete -c edge -n '__edge_at "completion/bash"' -o help -d 'Show help'
complete -c edge -n '__edge_at "completion/zsh"' -o help -d 'Show help'
complete -c edge -n '__edge_at "completion/fish"' -o help -d 'Show help'
complete -c edge -n '__edge_at "man"' -o help -d 'Show help'
