# fish completion for PROGRAM

function FUNCTION
    set -l before (commandline -opc)
    set -l cur (commandline -ct)
    set -l flag (string match -r -- '^-[^=]+=' $cur)
    set -l all ($before[1] completion fish -- $before (string trim -r -c = -- $flag) 2>/dev/null)
    if test -n "$flag"
        string replace -r '^' -- $flag $all
    else if string match -q -- '-*' $cur
        string match -- '-*' $all
    else
        string match -v -- '-*' $all; or __fish_complete_path $cur
    end
end

complete -c PROGRAM -f -a '(FUNCTION)'
