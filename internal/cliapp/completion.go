package cliapp

import (
	"fmt"
	"io"
	"strings"
)

// completionCommand prints scripts that complete from the command tree alone.
// They do not call the program: a completion that runs it would need a hidden
// word on the command line, and a file of that name would then be read as it.
func (p *Program) completionCommand() *Command {
	shell := func(name, install string, script func(*Program) string) *Command {
		return &Command{
			Name:        name,
			Summary:     "Print the completion script for " + name,
			Description: "Prints a script for " + name + ". " + install,
			ExitCodes:   printed,
			builtin:     true,
			Action: func(c *Context) (int, error) {
				_, err := io.WriteString(c.Stdout, script(p))
				return 0, err
			},
		}
	}
	return &Command{
		Name:    "completion",
		Summary: "Print a shell completion script",
		builtin: true,
		Commands: []*Command{
			shell("bash", "Source it from ~/.bashrc.", bashScript),
			shell("zsh", "Save it as _"+p.Name+" in a directory of fpath.", zshScript),
			shell("fish", "Save it as "+p.Name+".fish in ~/.config/fish/completions.", fishScript),
		},
	}
}

// place is a command as the completion scripts see it. A script walks the
// words typed so far and keeps in the variable "here" the key of the command
// reached.
type place struct {
	key      string // the words of the command without the program, joined by "/"
	commands []*Command
	flags    []Flag
	takes    bool // there are arguments, which are completed as files
}

func (p *Program) places() []place {
	var list []place
	for _, path := range p.paths() {
		c := path[len(path)-1]
		flags := append([]Flag{}, c.Flags...)
		flags = append(flags, Flag{Name: "help", Kind: Switch, Usage: "Show help"})
		if len(path) == 1 {
			flags = append(flags, Flag{Name: "version", Kind: Switch, Usage: "Show the version"})
		}
		key := strings.ReplaceAll(pathName(path[1:]), " ", "/")
		list = append(list, place{key: key, commands: c.Commands, flags: flags, takes: c.Args != ""})
	}
	return list
}

// child is the key of a command below the place.
func (pl place) child(c *Command) string {
	return strings.TrimPrefix(pl.key+"/"+c.Name, "/")
}

// function is the name of the completion function in the scripts.
func (p *Program) function() string { return "_" + strings.ReplaceAll(p.Name, "-", "_") }

// flagPatterns are the words that stand for a flag at a place, both dashes, as
// patterns of a shell case on "$here $word".
func (pl place) flagPatterns(flags []Flag) []string {
	var list []string
	for _, f := range flags {
		list = append(list, fmt.Sprintf(`"%s --%s"`, pl.key, f.Name), fmt.Sprintf(`"%s -%s"`, pl.key, f.Name))
	}
	return list
}

func (pl place) valueFlags() []Flag {
	var list []Flag
	for _, f := range pl.flags {
		if f.takesValue() {
			list = append(list, f)
		}
	}
	return list
}

// walkCases writes the arms of the case that follows the words typed so far:
// flags whose value must be skipped run onValue, commands move "here".
func walkCases(b *strings.Builder, places []place, onValue string) {
	for _, pl := range places {
		if patterns := pl.flagPatterns(pl.valueFlags()); len(patterns) > 0 {
			fmt.Fprintf(b, "        %s)\n%s            ;;\n", strings.Join(patterns, " | "), onValue)
		}
		for _, c := range pl.commands {
			fmt.Fprintf(b, "        \"%s %s\") here=\"%s\" ;;\n", pl.key, c.Name, pl.child(c))
		}
	}
}

// choiceCases writes the arms of the case that completes the value of a flag
// with choices; command completes with the words that follow it.
func choiceCases(b *strings.Builder, places []place, command string) {
	for _, pl := range places {
		for _, f := range pl.flags {
			if len(f.Choices) > 0 {
				patterns := strings.Join(pl.flagPatterns([]Flag{f}), " | ")
				fmt.Fprintf(b, "    %s)\n        "+command+"\n        return\n        ;;\n", patterns, strings.Join(f.Choices, " "))
			}
		}
	}
}

func bashScript(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for %s

%s() {
    local cur=${COMP_WORDS[COMP_CWORD]} here="" value="" commands="" flags="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$here ${COMP_WORDS[i]}" in
`, p.Name, p.function())
	walkCases(&b, p.places(), `            value=${COMP_WORDS[i]}
            [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i))
            ((++i < COMP_CWORD)) && value=""
`)
	b.WriteString("        esac\n    done\n    [[ $cur == \"=\" ]] && cur=\"\"\n    case \"$here $value\" in\n")
	choiceCases(&b, p.places(), `COMPREPLY=($(compgen -W "%s" -- "$cur"))`)
	b.WriteString("    esac\n    COMPREPLY=()\n    [[ $value ]] && return\n    case \"$here\" in\n")
	for _, pl := range p.places() {
		var commands, flags []string
		for _, c := range pl.commands {
			commands = append(commands, c.Name)
		}
		for _, f := range pl.flags {
			flags = append(flags, p.dashed(f.Name))
		}
		fmt.Fprintf(&b, "    \"%s\") commands=\"%s\" flags=\"%s\" ;;\n", pl.key, strings.Join(commands, " "),
			strings.Join(flags, " "))
	}
	fmt.Fprintf(&b, `    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    else
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    fi
}
complete -o default -F %s %s
`, p.function(), p.Name)
	return b.String()
}

func zshScript(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, `#compdef %s

%s() {
    local here="" value="" i
    local -a subs opts
    for ((i = 2; i < CURRENT; i++)); do
        case "$here ${words[i]}" in
`, p.Name, p.function())
	walkCases(&b, p.places(), `            value=${words[i]}
            ((++i < CURRENT)) && value=""
`)
	b.WriteString(`        esac
    done
    if [[ -z $value && ${words[CURRENT]} == -*=* ]]; then
        value=${words[CURRENT]%%=*}
        compset -P '*='
    fi
    case "$here $value" in
`)
	choiceCases(&b, p.places(), `compadd -- %s`)
	b.WriteString("    esac\n    if [[ -n $value ]]; then\n        _files\n        return\n    fi\n    case \"$here\" in\n")
	for _, pl := range p.places() {
		fmt.Fprintf(&b, "    \"%s\")\n        subs=(", pl.key)
		for _, c := range pl.commands {
			b.WriteString(" " + shellQuote(c.Name+":"+c.Summary))
		}
		b.WriteString(" )\n        opts=(")
		for _, f := range pl.flags {
			b.WriteString(" " + shellQuote(p.dashed(f.Name)+":"+f.Usage))
		}
		b.WriteString(" )\n        ;;\n")
	}
	fmt.Fprintf(&b, `    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        _describe -o flag opts
    elif ((${#subs})); then
        _describe command subs
    else
        _files
    fi
}

if [[ ${funcstack[1]} == %[1]s ]]; then
    %[1]s "$@"
else
    compdef %[1]s %[2]s
fi
`, p.function(), p.Name)
	return b.String()
}

func shellQuote(s string) string { return `'` + strings.ReplaceAll(s, `'`, `'\''`) + `'` }
