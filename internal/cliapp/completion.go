package cliapp

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// completionCommand prints scripts that ask the program what may follow. They ask by the
// same command, with the words of the line so far behind "--", so that no word on a command
// line has a hidden meaning.
func (p *Program) completionCommand() *Command {
	group := &Command{Name: "completion", Summary: "Print a shell completion script", builtin: true}
	for _, shell := range [][3]string{
		{"bash", "Source it from ~/.bashrc.", bashScript},
		{"zsh", "Save it as _" + p.Name + " in a directory of fpath.", zshScript},
		{"fish", "Save it as " + p.Name + ".fish in ~/.config/fish/completions.", fishScript},
	} {
		group.Commands = append(group.Commands, &Command{
			Name:    shell[0],
			Summary: "Print the completion script for " + shell[0],
			Description: "Prints a script for " + shell[0] + ". " + shell[1] + " With the words of a line, it prints what " +
				"may follow them.",
			Args:      "[WORD...]",
			ExitCodes: printed,
			builtin:   true,
			Action: func(c *Context) (int, error) {
				text := strings.ReplaceAll(shell[2], "FUNCTION", "_"+strings.ReplaceAll(p.Name, "-", "_"))
				text = strings.ReplaceAll(text, "PROGRAM", p.Name)
				if len(c.Args) > 0 {
					text = p.candidates(c.Args[1:])
				}
				_, err := io.WriteString(c.Stdout, text)
				return 0, err
			},
		})
	}
	return group
}

// candidates returns what may follow the words, one a line, each with a tab and what it is:
// the choices of a flag's value, or commands and flags. Where files may follow, it is empty
// but for flags.
func (p *Program) candidates(words []string) string {
	c, value := p.root(), (*Flag)(nil)
	for _, word := range words {
		name, _, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case value != nil && word == "=": // bash makes it a word of its own
		case value != nil:
			value = nil
		case word == "--":
			return ""
		case looksLikeFlag(word):
			if i := c.flag(name); i >= 0 && !whole && c.Flags[i].takesValue() {
				value = &c.Flags[i]
			}
		default:
			if i := c.sub(word); i >= 0 {
				c = c.Commands[i]
			}
		}
	}
	var b strings.Builder
	if value != nil {
		for _, choice := range value.Choices {
			fmt.Fprintf(&b, "%s\t%s\n", choice, value.Usage)
		}
		return b.String()
	}
	for _, sub := range c.Commands {
		fmt.Fprintf(&b, "%s\t%s\n", sub.Name, sub.Summary)
	}
	for _, f := range append(slices.Clip(c.Flags), Flag{Name: "help", Usage: "Show help"}) {
		fmt.Fprintf(&b, "%s\t%s\n", p.dashed(f.Name), f.Usage)
	}
	return b.String()
}

// flag returns the index of a flag of the command, or -1.
func (c *Command) flag(name string) int {
	return slices.IndexFunc(c.Flags, func(f Flag) bool { return f.Name == name })
}

// sub returns the index of a command of the group, or -1.
func (c *Command) sub(name string) int {
	return slices.IndexFunc(c.Commands, func(sub *Command) bool { return sub.Name == name })
}

const bashScript = `# bash completion for PROGRAM

FUNCTION() {
    local cur=${COMP_WORDS[COMP_CWORD]} word
    [[ $cur == "=" ]] && cur=""
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        [[ $word == "$cur"* && ($cur == -* || $word != -*) ]] && COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F FUNCTION PROGRAM
`

const zshScript = `#compdef PROGRAM

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
`

const fishScript = `# fish completion for PROGRAM

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
`
