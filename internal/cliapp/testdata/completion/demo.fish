# fish completion for demo

function __demo_at
    set -l here ""
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$here $word"
            case " --evidence"
                set skip 1
            case " -evidence"
                set skip 1
            case " --trust"
                set skip 1
            case " -trust"
                set skip 1
            case " --output"
                set skip 1
            case " -output"
                set skip 1
            case " many"
                set here "many"
            case " explain"
                set here "explain"
            case " show"
                set here "show"
            case " trust"
                set here "trust"
            case " reject"
                set here "reject"
            case " fail"
                set here "fail"
            case " clash"
                set here "clash"
            case " panic"
                set here "panic"
            case " exit"
                set here "exit"
            case " quit"
                set here "quit"
            case " typo"
                set here "typo"
            case " completion"
                set here "completion"
            case " man"
                set here "man"
            case "many --trust"
                set skip 1
            case "many -trust"
                set skip 1
            case "many --jobs"
                set skip 1
            case "many -jobs"
                set skip 1
            case "many --wait"
                set skip 1
            case "many -wait"
                set skip 1
            case "many --type"
                set skip 1
            case "many -type"
                set skip 1
            case "trust lint"
                set here "trust/lint"
            case "trust diff"
                set here "trust/diff"
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

complete -c demo -f
complete -c demo -n '__demo_at ""' -a many -d 'Check many things'
complete -c demo -n '__demo_at ""' -a explain -d 'Explain a code'
complete -c demo -n '__demo_at ""' -a show -d 'Show, maybe, something'
complete -c demo -n '__demo_at ""' -a trust -d 'Work on trust'
complete -c demo -n '__demo_at ""' -a reject -d 'Say no'
complete -c demo -n '__demo_at ""' -a fail -d 'Fail'
complete -c demo -n '__demo_at ""' -a clash -d 'Find a clash'
complete -c demo -n '__demo_at ""' -a panic -d 'Panic'
complete -c demo -n '__demo_at ""' -a exit -d 'Give a bad exit code'
complete -c demo -n '__demo_at ""' -a quit -d 'Try to end the process'
complete -c demo -n '__demo_at ""' -a typo -d 'Ask for an unknown flag'
complete -c demo -n '__demo_at ""' -a completion -d 'Print a shell completion script'
complete -c demo -n '__demo_at ""' -a man -d 'Print the manual page'
complete -c demo -n '__demo_at ""' -l evidence -r -F -d 'The thing'
complete -c demo -n '__demo_at ""' -l trust -r -F -d 'Whom to trust'
complete -c demo -n '__demo_at ""' -l output -x -a 'result brief text' -d 'What to print'
complete -c demo -n '__demo_at ""' -l help -d 'Show help'
complete -c demo -n '__demo_at ""' -l version -d 'Show the version'
complete -c demo -n '__demo_at "many"' -F
complete -c demo -n '__demo_at "many"' -l trust -r -F -d 'Whom to trust'
complete -c demo -n '__demo_at "many"' -l jobs -r -F -d 'How many at once'
complete -c demo -n '__demo_at "many"' -l wait -r -F -d 'How long to wait'
complete -c demo -n '__demo_at "many"' -l type -r -F -d 'Only these'
complete -c demo -n '__demo_at "many"' -l quiet -d 'No progress'
complete -c demo -n '__demo_at "many"' -l help -d 'Show help'
complete -c demo -n '__demo_at "explain"' -F
complete -c demo -n '__demo_at "explain"' -l help -d 'Show help'
complete -c demo -n '__demo_at "show"' -F
complete -c demo -n '__demo_at "show"' -l help -d 'Show help'
complete -c demo -n '__demo_at "trust"' -a lint -d 'Look at it'
complete -c demo -n '__demo_at "trust"' -a diff -d 'Compare'
complete -c demo -n '__demo_at "trust"' -l help -d 'Show help'
complete -c demo -n '__demo_at "trust/lint"' -F
complete -c demo -n '__demo_at "trust/lint"' -l help -d 'Show help'
complete -c demo -n '__demo_at "trust/diff"' -F
complete -c demo -n '__demo_at "trust/diff"' -l help -d 'Show help'
complete -c demo -n '__demo_at "reject"' -l help -d 'Show help'
complete -c demo -n '__demo_at "fail"' -l help -d 'Show help'
complete -c demo -n '__demo_at "clash"' -l help -d 'Show help'
complete -c demo -n '__demo_at "panic"' -l help -d 'Show help'
complete -c demo -n '__demo_at "exit"' -l help -d 'Show help'
complete -c demo -n '__demo_at "quit"' -l help -d 'Show help'
complete -c demo -n '__demo_at "typo"' -l help -d 'Show help'
complete -c demo -n '__demo_at "completion"' -a bash -d 'Print the completion script for bash'
complete -c demo -n '__demo_at "completion"' -a zsh -d 'Print the completion script for zsh'
complete -c demo -n '__demo_at "completion"' -a fish -d 'Print the completion script for fish'
complete -c demo -n '__demo_at "completion"' -l help -d 'Show help'
complete -c demo -n '__demo_at "completion/bash"' -l help -d 'Show help'
complete -c demo -n '__demo_at "completion/zsh"' -l help -d 'Show help'
complete -c demo -n '__demo_at "completion/fish"' -l help -d 'Show help'
complete -c demo -n '__demo_at "man"' -l help -d 'Show help'
