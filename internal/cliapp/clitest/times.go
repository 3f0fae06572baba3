package clitest

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// spelling is which values the flags of some kinds accept.
type spelling struct {
	kinds             []cliapp.Kind
	expects           string // how the message about the refused ends
	accepted, refused []string
}

var spellings = []spelling{{
	kinds: []cliapp.Kind{cliapp.Time, cliapp.Moment},
	expects: "expected a time such as 2026-03-02T09:00:00Z or 2026-03-02T10:00:00+01:00, or a date such as " +
		"2026-03-02",
	accepted: []string{"2026-03-02T09:00:00Z", "2026-03-02T10:00:00+01:00", "2026-03-02T09:00:00-00:30", "2026-03-02",
		"2026-03-02T09:00:00.5Z", "2026-03-02T09:00:00.000Z", "2026-03-02T09:00:00.123456789+14:00",
		"1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2024-02-29"},
	refused: []string{"now", "yesterday", "0", "1772442000", "2026", "2026-03", "2026-3-2", "20260302", "02.03.2026",
		"2026-02-29", "2026-02-30T09:00:00Z", "2026-03-02T24:00:00Z", "2026-03-02T09:00:60Z", "2026-03-02T9:00:00Z",
		"2026-03-02T09:00Z", "2026-03-02T09:00:00,5Z", "2026-03-02t09:00:00z", "2026-03-02 09:00:00Z",
		"2026-03-02T09:00:00+0100", "2026-03-02T09:00:00+24:00", "2026-03-02T09:00:00+01:60",
		"2026-03-02Z", " 2026-03-02", "2026-03-02\n", "12026-03-02T09:00:00Z", "-2026-03-02"},
}, {
	kinds:    []cliapp.Kind{cliapp.Time},
	expects:  "; this one has no time zone, and in UTC it is written 2026-03-02T09:00:00Z",
	refused:  []string{"2026-03-02T09:00:00", "2026-03-02 09:00:00", "2026-03-02T09:00", "2026-03-02 09:00"},
	accepted: []string{"2026-03-02T09:00:00Z"},
}, {
	kinds:   []cliapp.Kind{cliapp.Time, cliapp.Moment},
	expects: "expected a time in the years 1970 to 9999 UTC",
	refused: []string{"0001-01-01", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00+01:00",
		"9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59.9999Z"},
	accepted: []string{"1970-01-01", "9999-12-31T23:59:59Z"},
}, {
	kinds:    []cliapp.Kind{cliapp.Moment},
	expects:  "expected a time in the years 1970 to 9999 UTC",
	refused:  []string{"1969-12-31 23:59", "0001-01-01T00:00:00"},
	accepted: []string{"2026-03-02T09:00:00", "2026-03-02 09:00:00", "2026-03-02T09:00", "2026-03-02 09:00"},
}, {
	kinds:    []cliapp.Kind{cliapp.Duration, cliapp.Seconds},
	expects:  "expected a duration such as 30s, 1m30s or 90d",
	refused:  []string{"90", "1w", "1y", "-1s", "+1d", "1.5d", "d", "1h1d", "a day", "2026-03-02"},
	accepted: []string{"60s", "1m", "0d1m"},
}}

// moments are the names of flags that take a time, except where they name a RUN of an archive.
var moments = regexp.MustCompile(`^(at|since|until|from|to|.*-(before|after|since|until))$`)

// WrongTimes gives values to each flag of a program that accepts a time or a duration, and
// returns the faults: all flags must accept the same values, and refuse the others in the same
// words. It also returns the number of flags. No command does its work.
func WrongTimes(p *cliapp.Program) (wrong []string, flags int) {
	t := &timesTest{program: *p}
	t.program.Flags, t.program.Action = lenient(p.Flags), idle
	t.program.Shared, t.program.Commands = lenient(p.Shared), idleCommands(p.Commands)
	for _, f := range slices.Concat(p.Flags, p.Shared) {
		t.try(nil, f)
	}
	walkCommands(nil, p.Commands, func(path []string, c *cliapp.Command) {
		for _, f := range c.Flags {
			t.try(path, f)
		}
	})
	return t.wrong, t.flags
}

// timesTest is a program whose commands do nothing and need nothing.
type timesTest struct {
	program cliapp.Program
	wrong   []string
	flags   int
}

func idle(*cliapp.Context) (int, error) { return 0, nil }

func idleCommands(commands []*cliapp.Command) []*cliapp.Command {
	var all []*cliapp.Command
	for _, c := range commands {
		one := *c
		one.Args, one.Flags, one.Commands = "", lenient(c.Flags), idleCommands(c.Commands)
		if c.Action != nil {
			one.Action = idle
		}
		all = append(all, &one)
	}
	return all
}

func lenient(flags []cliapp.Flag) []cliapp.Flag {
	flags = slices.Clone(flags)
	for i := range flags {
		flags[i].Required = false
	}
	return flags
}

// try gives one flag all values.
func (t *timesTest) try(path []string, f cliapp.Flag) {
	if f.Kind != cliapp.Time && f.Kind != cliapp.Moment && f.Value != "RUN" && moments.MatchString(f.Name) {
		t.wrong = append(t.wrong, fmt.Sprintf("%s --%s: expected the kind Time", strings.Join(path, " "), f.Name))
	}
	before := t.flags
	for _, s := range spellings {
		if !slices.Contains(s.kinds, f.Kind) {
			continue
		}
		t.flags = before + 1
		for _, value := range slices.Concat(s.refused, s.accepted) {
			var stderr strings.Builder
			line := append(slices.Clone(path), "--"+f.Name+"="+value)
			code := t.program.Run(line, strings.NewReader(""), io.Discard, &stderr)
			message, _, _ := strings.Cut(stderr.String(), "\n")
			dash := cmp.Or(t.program.Dash, "--")
			names := fmt.Sprintf("%s: invalid value %q for flag %s%s: ", t.program.Name, value, dash, f.Name)
			accepts := slices.Contains(s.accepted, value) || slices.Contains(f.Choices, value)
			refused := code == cliapp.ExitFailure && strings.HasPrefix(message, names) && strings.HasSuffix(message, s.expects)
			if !accepts && !refused || accepts && code != 0 {
				t.wrong = append(t.wrong, fmt.Sprintf("%q: exit code %d, %s", line, code, message))
			}
		}
	}
}
