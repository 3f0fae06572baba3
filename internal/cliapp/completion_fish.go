package cliapp

import (
	"fmt"
	"strings"
)

// fishScript returns the script for fish, which has no completion function but
// a list of rules, each with a condition on where the cursor is.
func fishScript(p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# fish completion for %s

function _%s_at
    set -l here ""
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$here $word"
`, p.Name, p.function())
	for _, pl := range p.places() {
		for _, pattern := range pl.flagPatterns(pl.valueFlags()) {
			fmt.Fprintf(&b, "            case %s\n                set skip 1\n", pattern)
		}
		for _, c := range pl.commands {
			fmt.Fprintf(&b, "            case \"%s %s\"\n                set here \"%s\"\n", pl.key, c.Name, pl.child(c))
		}
	}
	fmt.Fprintf(&b, "        end\n    end\n    test \"$here\" = \"$argv[1]\"\nend\n\ncomplete -c %s -f\n", p.Name)
	for _, pl := range p.places() {
		p.fishRules(&b, pl)
	}
	return b.String()
}

func (p *Program) fishRules(b *strings.Builder, pl place) {
	rule := fmt.Sprintf(`complete -c %s -n '_%s_at "%s"'`, p.Name, p.function(), pl.key)
	for _, c := range pl.commands {
		fmt.Fprintf(b, "%s -a %s -d %s\n", rule, c.Name, fishQuote(c.Summary))
	}
	if pl.takes {
		b.WriteString(rule + " -F\n")
	}
	form := "-l"
	if p.dash() == "-" {
		form = "-o"
	}
	for _, f := range pl.flags {
		value := ""
		switch {
		case len(f.Choices) > 0:
			value = " -x -a " + fishQuote(strings.Join(f.Choices, " "))
		case f.takesValue():
			value = " -r -F"
		}
		fmt.Fprintf(b, "%s %s %s%s -d %s\n", rule, form, f.Name, value, fishQuote(f.Usage))
	}
}

func fishQuote(s string) string {
	return `'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + `'`
}
